package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// Sessions keeps who is signed in, by the hash of a cookie's token. It fits the
// session library's context store. Whose a session is stands in the row and not
// in its data: one that has ended can't come back as anybody's when a request
// that was under way saves its data.
type Sessions struct {
	store *Store
	now   func() time.Time
}

// Sessions returns the session store on the given clock.
func (s *Store) Sessions(now func() time.Time) *Sessions { return &Sessions{s, now} }

func sessionKey(token string) string { return app.SHA256Hex([]byte(token)) }

// instants are now and the last instant at which an idle session was seen.
func (s *Sessions) instants() (now time.Time, idleSince *time.Time) {
	now = s.now()
	since := now.Add(-app.SessionIdle)
	return now, &since
}

// FindCtx returns the data of a session that has not expired.
func (s *Sessions) FindCtx(ctx context.Context, token string) ([]byte, bool, error) {
	b, err := s.store.q.SessionData(ctx, s.store.pool, dbsqlc.SessionDataParams{Token: sessionKey(token), Now: s.now()})
	if noRows(err) {
		return nil, false, nil
	}
	return b, err == nil, err
}

// CommitCtx stores a session.
func (s *Sessions) CommitCtx(ctx context.Context, token string, b []byte, expiry time.Time) error {
	return s.store.q.SaveSession(ctx, s.store.pool, dbsqlc.SaveSessionParams{Token: sessionKey(token), Data: b, Expiry: expiry})
}

// DeleteCtx ends a session.
func (s *Sessions) DeleteCtx(ctx context.Context, token string) error {
	return s.store.q.DeleteSession(ctx, s.store.pool, sessionKey(token))
}

// Find is FindCtx without a context, as the library asks for.
func (s *Sessions) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s *Sessions) Commit(token string, b []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, b, expiry)
}

// Delete is DeleteCtx without a context.
func (s *Sessions) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// SignIn makes a stored session the user's, if the account is as it was when it
// was read: not disabled, and with the same password.
func (s *Sessions) SignIn(ctx context.Context, token string, user app.User, by, browser string) error {
	now := s.now()
	return s.store.audited(ctx, user.Name, "session.start", user.Name, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		n, err := s.store.q.SignIn(ctx, tx, dbsqlc.SignInParams{Browser: browserName(browser), Now: now, Token: sessionKey(token), UserID: user.ID, PasswordHash: user.PasswordHash})
		if err != nil {
			return nil, nil, fmt.Errorf("sign in: %w", err)
		}
		if n == 0 {
			return nil, nil, app.Errorf(app.Conflict, "The account was changed at the same moment. Sign in again.")
		}
		return nil, map[string]string{"by": by, "browser": browserName(browser)}, nil
	})
}

// browserName is what a browser calls itself, at a length that fits a page.
func browserName(agent string) string {
	const most = 300
	return plain(agent[:min(len(agent), most)])
}

// SignedIn returns whose session it is, read anew: what an admin changed holds
// at once. NotFound: nobody's.
func (s *Sessions) SignedIn(ctx context.Context, token string) (app.User, app.Session, error) {
	now, idleSince := s.instants()
	row, err := s.store.q.SignedIn(ctx, s.store.pool, dbsqlc.SignedInParams{Token: sessionKey(token), Now: now, IdleSince: idleSince})
	if err != nil {
		return app.User{}, app.Session{}, notFound(err, "session")
	}
	return userOf(row.User), app.Session{ID: row.ID, Browser: row.Browser, StartedAt: *row.StartedAt, SeenAt: *row.SeenAt, ExpiresAt: row.Expiry, Current: true}, nil
}

// seenEvery is how exactly it is known when a session was last used.
const seenEvery = time.Minute

// Touch keeps a session from being idle.
func (s *Sessions) Touch(ctx context.Context, token string, session app.Session) error {
	now := s.now()
	if now.Sub(session.SeenAt) < seenEvery {
		return nil
	}
	if err := s.store.q.TouchSession(ctx, s.store.pool, dbsqlc.TouchSessionParams{Now: &now, Token: sessionKey(token)}); err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// KeepChallenge keeps what a passkey is to sign next.
func (s *Sessions) KeepChallenge(ctx context.Context, token, challenge string) error {
	n, err := s.store.q.KeepChallenge(ctx, s.store.pool, dbsqlc.KeepChallengeParams{Challenge: challenge, Token: sessionKey(token)})
	if err == nil && n == 0 {
		return app.Errorf(app.Denied, "The session has ended. Reload the page.")
	}
	return err
}

// TakeChallenge returns it to one caller only. NotFound: there is none.
func (s *Sessions) TakeChallenge(ctx context.Context, token string) (string, error) {
	challenge, err := s.store.q.TakeChallenge(ctx, s.store.pool, sessionKey(token))
	return challenge, notFound(err, "challenge")
}

// Members are all accounts, those that are not disabled first.
func (s *Sessions) Members(ctx context.Context) ([]app.Member, error) {
	now, idleSince := s.instants()
	rows, err := s.store.q.Members(ctx, s.store.pool, dbsqlc.MembersParams{Now: now, IdleSince: idleSince})
	if err != nil {
		return nil, fmt.Errorf("read members: %w", err)
	}
	out := make([]app.Member, len(rows))
	for i, r := range rows {
		out[i] = app.Member{User: userOf(r.User), Passkeys: r.Passkeys, Sessions: r.Sessions, SeenAt: instant(r.SeenAt)}
	}
	return out, nil
}

// SessionsOf are the user's open sessions, the one used last first.
func (s *Sessions) SessionsOf(ctx context.Context, userID int64) ([]app.Session, error) {
	now, idleSince := s.instants()
	rows, err := s.store.q.SessionsOf(ctx, s.store.pool, dbsqlc.SessionsOfParams{UserID: &userID, Now: now, IdleSince: idleSince})
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	out := make([]app.Session, len(rows))
	for i, r := range rows {
		out[i] = app.Session{ID: r.ID, Browser: r.Browser, StartedAt: *r.StartedAt, SeenAt: *r.SeenAt, ExpiresAt: r.Expiry}
	}
	return out, nil
}
