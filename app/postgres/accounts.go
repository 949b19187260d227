package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

func userOf(u dbsqlc.User) app.User {
	return app.User{ID: u.ID, Name: u.Name, Role: u.Role, PasswordHash: u.PasswordHash, Handle: u.Handle, CreatedAt: u.CreatedAt, DisabledAt: u.DisabledAt}
}

// UserByName returns a member of the team, however the name's case was typed.
func (s *Store) UserByName(ctx context.Context, name string) (app.User, error) {
	u, err := s.q.UserByName(ctx, s.pool, app.FoldUserName(name))
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

// HasAdmin tells whether an admin can sign in. Without one, a start prints a
// link that makes one.
func (s *Store) HasAdmin(ctx context.Context) (bool, error) {
	return s.q.HasAdmin(ctx, s.pool)
}

// CreateUser adds a member of the team. Without a password nobody can sign in
// until a link has given it one.
func (s *Store) CreateUser(ctx context.Context, name, role, passwordHash string, by string, now time.Time) (user app.User, err error) {
	err = s.audited(ctx, by, "user.create", name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		user, err = s.createUser(ctx, tx, name, role, passwordHash, now)
		return nil, map[string]string{"role": role}, err
	})
	return user, err
}

func (s *Store) createUser(ctx context.Context, tx dbsqlc.DBTX, name, role, passwordHash string, now time.Time) (app.User, error) {
	if err := app.CheckUserName(name); err != nil {
		return app.User{}, err
	}
	if err := app.CheckRole(role); err != nil {
		return app.User{}, err
	}
	if err := s.checkLookalikes(ctx, tx, name); err != nil {
		return app.User{}, err
	}
	u, err := s.q.CreateUser(ctx, tx, dbsqlc.CreateUserParams{Name: name, Role: role, PasswordHash: passwordHash, CreatedAt: now})
	if isConstraint(err, "users_name_key") || isConstraint(err, "users_name_folded_key") {
		return app.User{}, app.Errorf(app.Conflict, "That name is taken.")
	}
	if err != nil {
		return app.User{}, fmt.Errorf("create account: %w", err)
	}
	return userOf(u), nil
}

// ChangePassword gives the account, as it was read, a new password. Its
// sessions end, and links that would give it one close.
func (s *Store) ChangePassword(ctx context.Context, user app.User, hash string, now time.Time) error {
	return s.audited(ctx, user.Name, "user.password", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		ended, err := s.setPassword(ctx, tx, user, hash, now)
		return nil, map[string]any{"sessions_ended": ended}, err
	})
}

func (s *Store) setPassword(ctx context.Context, tx dbsqlc.DBTX, user app.User, hash string, now time.Time) (ended int64, err error) {
	n, err := s.q.SetPassword(ctx, tx, dbsqlc.SetPasswordParams{PasswordHash: hash, ID: user.ID, Before: user.PasswordHash})
	if err != nil {
		return 0, fmt.Errorf("set password: %w", err)
	}
	if n == 0 {
		return 0, app.Errorf(app.Conflict, "The password was changed elsewhere at the same moment. Try again.")
	}
	if err := s.closeLinksFor(ctx, tx, user.ID, now); err != nil {
		return 0, err
	}
	return s.endSessions(ctx, tx, user.ID, "")
}

// Rehash keeps the same password under a hash of today's cost, unless another
// one was set meanwhile.
func (s *Store) Rehash(ctx context.Context, user app.User, hash string) error {
	_, err := s.q.SetPassword(ctx, s.pool, dbsqlc.SetPasswordParams{PasswordHash: hash, ID: user.ID, Before: user.PasswordHash})
	if err != nil {
		return fmt.Errorf("rehash password: %w", err)
	}
	return nil
}
