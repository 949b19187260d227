package postgres

import (
	"context"
	"crypto/subtle"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// connectionsKept is how long it is remembered who tried to connect what.
const connectionsKept = 90 * 24 * time.Hour

// NewXConnection is somebody's setting out to connect an account.
type NewXConnection struct {
	Handle         string
	Session        string // that must bring the answer
	State          string // kept as its hash only
	VerifierSealed []byte
	Expires        time.Time // wall clock
}

// XSpelling is how an account's name is spelt where it is known already.
func (s *Store) XSpelling(ctx context.Context, handle string) (string, error) {
	known, err := s.q.XSpelling(ctx, s.pool, handle)
	if err != nil {
		return "", fmt.Errorf("look for the account on X: %w", err)
	}
	if known == "" {
		return handle, nil
	}
	return known, nil
}

// OperationOfAccount returns the operation that speaks with an account and can
// best pay a price, its id 0 when none does: one that has ended pays nothing.
func (s *Store) OperationOfAccount(ctx context.Context, handle string, price app.Nano) (id int64, slug string, err error) {
	row, err := s.q.OperationOfAccount(ctx, s.pool, dbsqlc.OperationOfAccountParams{Handle: handle, Price: int64(price)})
	if err != nil && !noRows(err) {
		return 0, "", fmt.Errorf("look for who speaks with @%s: %w", handle, err)
	}
	return row.ID, row.Slug, nil
}

// StartXConnection keeps what an answer of X is to be held against.
func (s *Store) StartXConnection(ctx context.Context, c NewXConnection, by app.User, now time.Time) (id string, err error) {
	err = s.audited(ctx, by.Name, "x_account.connect_begin", c.Handle, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		if before, err = s.xAccountAudit(ctx, tx, c.Handle); err != nil {
			return nil, nil, err
		}
		if err := s.q.DeleteOldXConnections(ctx, tx, now.Add(-connectionsKept)); err != nil {
			return nil, nil, fmt.Errorf("tidy connections: %w", err)
		}
		id, err = s.q.StartXConnection(ctx, tx, dbsqlc.StartXConnectionParams{Handle: c.Handle, UserName: by.Name, SessionID: c.Session, StateSha256: hashOf(c.State),
			VerifierSealed: c.VerifierSealed, StartedAt: now, ExpiresAt: c.Expires})
		if err != nil {
			return nil, nil, fmt.Errorf("save connection: %w", err)
		}
		return before, map[string]any{"asked": id}, nil
	})
	return id, err
}

// broken is what stands of an answer that was never looked at to its end.
const broken = "The program ended while it looked at X's answer. Nothing was connected: press Connect again."

// TakeXConnection gives what an answer is held against, once: to the session
// that asked, in time. What it refuses stays as it was.
func (s *Store) TakeXConnection(ctx context.Context, state, session string, wall, now time.Time) (id, handle string, verifierSealed []byte, err error) {
	c, err := s.q.XConnectionByState(ctx, s.pool, hashOf(state))
	switch {
	case noRows(err):
		return "", "", nil, app.Errorf(app.NotFound, "This answer of X belongs to nothing that was asked for here.")
	case err != nil:
		return "", "", nil, fmt.Errorf("read connection: %w", err)
	case subtle.ConstantTimeCompare(c.StateSha256, hashOf(state)) != 1 || subtle.ConstantTimeCompare([]byte(c.SessionID), []byte(session)) != 1:
		return "", "", nil, app.Errorf(app.NotFound, "This answer of X belongs to another session than this one.")
	case c.AnsweredAt != nil:
		return c.ID, c.Handle, nil, app.Errorf(app.Conflict, "This answer of X was taken already.")
	case !c.ExpiresAt.After(wall):
		return "", "", nil, app.Errorf(app.Conflict, "X has answered after more than ten minutes.")
	}
	r, err := s.q.TakeXConnection(ctx, s.pool, dbsqlc.TakeXConnectionParams{StateSha256: c.StateSha256, SessionID: session, Wall: wall, Now: &now, Said: broken})
	if noRows(err) { // taken meanwhile
		return c.ID, c.Handle, nil, app.Errorf(app.Conflict, "This answer of X was taken already.")
	}
	if err != nil {
		return "", "", nil, fmt.Errorf("take connection: %w", err)
	}
	return r.ID, r.Handle, r.VerifierSealed, nil
}

// EndXConnection keeps what became of it when nothing was connected.
func (s *Store) EndXConnection(ctx context.Context, id string, outcome app.XOutcome, said string) error {
	return s.endXConnection(ctx, s.pool, id, outcome, said)
}

func (s *Store) endXConnection(ctx context.Context, db dbsqlc.DBTX, id string, outcome app.XOutcome, said string) error {
	if err := s.q.EndXConnection(ctx, db, dbsqlc.EndXConnectionParams{Outcome: string(outcome), Said: plain(said), ID: id}); err != nil {
		return fmt.Errorf("save outcome: %w", err)
	}
	return nil
}

// ConnectXAccount keeps the tokens that a connection has brought, in place of
// those that were there. What has waited for the account goes on.
func (s *Store) ConnectXAccount(ctx context.Context, connection string, a XAccount, said string, by app.User, now time.Time) error {
	return s.audited(ctx, by.Name, "x_account.connect", a.Handle, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		if before, err = s.xAccountAudit(ctx, tx, a.Handle); err != nil {
			return nil, nil, err
		}
		if err := s.saveXAccount(ctx, tx, a, now); err != nil {
			return nil, nil, err
		}
		if _, err := s.q.WakeAccount(ctx, tx, dbsqlc.WakeAccountParams{Now: now, Handle: a.Handle, Awaits: awaitsAccount}); err != nil {
			return nil, nil, fmt.Errorf("wake what waits for the account: %w", err)
		}
		return before, auditOf(a), s.endXConnection(ctx, tx, connection, app.XJoined, said)
	})
}

// DisconnectXAccount forgets an account's tokens and returns it as it was. Its
// number stays: what was approved for it is for that number.
func (s *Store) DisconnectXAccount(ctx context.Context, handle string, by app.User, now time.Time) (was XAccount, err error) {
	err = s.audited(ctx, by.Name, "x_account.disconnect", handle, now, func(tx dbsqlc.DBTX) (before, after any, err error) {
		r, err := s.q.XAccountForUpdate(ctx, tx, handle)
		if err != nil {
			return nil, nil, notFound(err, "connected X account")
		}
		if was = xAccountOf(r); was.Disconnected {
			return nil, nil, app.Errorf(app.Conflict, "@%s is disconnected already. Nothing was changed.", was.Handle)
		}
		a := XAccount{Handle: was.Handle, UserID: was.UserID, ExpiresAt: now, Scopes: []string{}, Disconnected: true, ConnectedAt: was.ConnectedAt, ConnectedBy: was.ConnectedBy}
		return auditOf(was), auditOf(a), s.saveXAccount(ctx, tx, a, now)
	})
	return was, err
}

// xAccountAudit is an account as the audit shows it, locked so that it stays.
func (s *Store) xAccountAudit(ctx context.Context, tx dbsqlc.DBTX, handle string) (any, error) {
	r, err := s.q.XAccountForUpdate(ctx, tx, handle)
	if noRows(err) {
		return map[string]any{"state": "never connected"}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read X account: %w", err)
	}
	return auditOf(xAccountOf(r)), nil
}

// auditOf leaves out what opens the account.
func auditOf(a XAccount) map[string]any {
	return map[string]any{"state": a.state(), "user_id": a.UserID, "scopes": a.Scopes, "key_id": a.KeyID}
}
