package postgres

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

func userOf(u dbsqlc.User) app.User {
	return app.User{ID: u.ID, Name: u.Name, Role: u.Role, PasswordHash: u.PasswordHash}
}

// UserByName returns a member of the team.
func (s *Store) UserByName(ctx context.Context, name string) (app.User, error) {
	u, err := s.q.UserByName(ctx, s.pool, name)
	if err != nil {
		return app.User{}, notFound(err, "account")
	}
	return userOf(u), nil
}

// UserByID returns a member of the team.
func (s *Store) UserByID(ctx context.Context, id int64) (app.User, error) {
	u, err := s.q.UserByID(ctx, s.pool, id)
	if err != nil {
		return app.User{}, notFound(err, "account")
	}
	return userOf(u), nil
}

// CreateUser adds a member of the team.
func (s *Store) CreateUser(ctx context.Context, name, role, passwordHash string, by string, now time.Time) (app.User, error) {
	user := app.User{Name: name, Role: role, PasswordHash: passwordHash}
	err := s.audited(ctx, by, "user.create", name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		user.ID, err = s.q.CreateUser(ctx, tx, dbsqlc.CreateUserParams{Name: name, Role: role, PasswordHash: passwordHash, CreatedAt: now})
		return nil, map[string]string{"role": role}, nameTaken(err)
	})
	return user, err
}

func nameTaken(err error) error {
	if isConstraint(err, "users_name_key") {
		return app.Errorf(app.Conflict, "That name is taken.")
	}
	if isConstraint(err, "users_name_check") {
		return app.Errorf(app.Invalid, "A name has 1 to 60 characters.")
	}
	return err
}

// HasUsers tells whether anyone can sign in yet.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	n, err := s.q.CountUsers(ctx, s.pool)
	return n > 0, err
}

// CreateInvite keeps the hash of a token whose link creates one account.
func (s *Store) CreateInvite(ctx context.Context, token, role string, expires, now time.Time) error {
	sum := sha256.Sum256([]byte(token))
	if err := s.q.CreateInvite(ctx, s.pool, dbsqlc.CreateInviteParams{TokenSha256: sum[:], Role: role, CreatedAt: now, ExpiresAt: expires}); err != nil {
		return fmt.Errorf("create invite: %w", err)
	}
	return nil
}

// InviteOpen tells whether a link can still create an account.
func (s *Store) InviteOpen(ctx context.Context, token string, now time.Time) (bool, error) {
	sum := sha256.Sum256([]byte(token))
	_, err := s.q.OpenInvite(ctx, s.pool, dbsqlc.OpenInviteParams{TokenSha256: sum[:], Now: now})
	if noRows(err) {
		return false, nil
	}
	return err == nil, err
}

// UseInvite creates the account of a link, once.
func (s *Store) UseInvite(ctx context.Context, token, name, passwordHash string, now time.Time) (user app.User, err error) {
	sum := sha256.Sum256([]byte(token))
	err = s.tx(ctx, func(tx pgx.Tx) error {
		invite, err := s.q.OpenInvite(ctx, tx, dbsqlc.OpenInviteParams{TokenSha256: sum[:], Now: now})
		if noRows(err) {
			return app.Errorf(app.NotFound, "This link was used already, or is too old.")
		}
		if err != nil {
			return fmt.Errorf("read invite: %w", err)
		}
		user = app.User{Name: name, Role: invite.Role, PasswordHash: passwordHash}
		user.ID, err = s.q.CreateUser(ctx, tx, dbsqlc.CreateUserParams{Name: name, Role: invite.Role, PasswordHash: passwordHash, CreatedAt: now})
		if err != nil {
			return nameTaken(err)
		}
		if err := s.q.UseInvite(ctx, tx, dbsqlc.UseInviteParams{UsedBy: &user.ID, TokenSha256: sum[:]}); err != nil {
			return fmt.Errorf("use invite: %w", err)
		}
		return s.audit(ctx, tx, name, "user.join", name, now, nil, map[string]string{"role": invite.Role})
	})
	return user, err
}

// Sessions keeps who is signed in. It fits the session library's context store.
type Sessions struct {
	store *Store
	now   func() time.Time
}

// Sessions returns the session store on the given clock.
func (s *Store) Sessions(now func() time.Time) *Sessions { return &Sessions{s, now} }

// FindCtx returns the data of a session that has not expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	b, err := s.store.q.SessionByToken(ctx, s.store.pool, dbsqlc.SessionByTokenParams{Token: token, Now: s.now()})
	if noRows(err) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// CommitCtx stores a session.
func (s *Sessions) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	return s.store.q.SaveSession(ctx, s.store.pool, dbsqlc.SaveSessionParams{Token: token, Data: b, Expiry: expiry})
}

// DeleteCtx ends a session.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.q.DeleteSession(ctx, s.store.pool, token)
}

// Find, Commit and Delete are the forms without a context.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit stores a session.
func (s *Sessions) Commit(token string, b []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, b, expiry)
}

// Delete ends a session.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// DeleteExpiredSessions forgets sessions that have ended.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time) error {
	return s.q.DeleteExpiredSessions(ctx, s.pool, now)
}
