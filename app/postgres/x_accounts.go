package postgres

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// XAccount is an account on X with its tokens, which are sealed.
type XAccount struct {
	Handle, UserID, KeyID       string
	AccessSealed, RefreshSealed []byte
	// PreviousSealed is the refresh token that the present one was given for.
	PreviousSealed []byte
	AccessSHA256   []byte
	Scopes         []string
	ExpiresAt      time.Time
	NeedsReconnect bool
	Disconnected   bool // its tokens are forgotten

	ConnectedAt, RenewedAt *time.Time
	ConnectedBy            string
	Fault                  string // why the tokens can't be renewed
	FaultSince             *time.Time
	RenewAfter             *time.Time // nil: at once
}

// XAccount returns an account that was connected once. Names on X do not tell
// upper case from lower.
func (s *Store) XAccount(ctx context.Context, handle string) (XAccount, error) {
	r, err := s.q.XAccount(ctx, s.pool, handle)
	if err != nil {
		return XAccount{}, notFound(err, "connected X account")
	}
	return xAccountOf(r), nil
}

// XAccounts returns every account of which there are tokens.
func (s *Store) XAccounts(ctx context.Context) ([]XAccount, error) {
	rows, err := s.q.XAccounts(ctx, s.pool)
	if err != nil {
		return nil, fmt.Errorf("read X accounts: %w", err)
	}
	out := make([]XAccount, len(rows))
	for i, r := range rows {
		out[i] = xAccountOf(r)
	}
	return out, nil
}

func xAccountOf(r dbsqlc.XAccount) XAccount {
	return XAccount{Handle: r.Handle, UserID: r.UserID, KeyID: r.KeyID, AccessSealed: r.AccessSealed, RefreshSealed: r.RefreshSealed, PreviousSealed: r.PreviousSealed,
		AccessSHA256: r.AccessSha256, Scopes: r.Scopes, ExpiresAt: r.ExpiresAt.UTC(), NeedsReconnect: r.State == string(app.XNeedsReconnect), Disconnected: r.State == string(app.XDisconnected),
		ConnectedAt: r.ConnectedAt, RenewedAt: r.RenewedAt, ConnectedBy: r.ConnectedBy, Fault: r.Fault, FaultSince: r.FaultSince, RenewAfter: r.RenewAfter}
}

func (a XAccount) state() app.XAccountState {
	switch {
	case a.Disconnected:
		return app.XDisconnected
	case a.NeedsReconnect:
		return app.XNeedsReconnect
	}
	return app.XConnected
}

// SaveXAccount keeps an account with its tokens.
func (s *Store) SaveXAccount(ctx context.Context, a XAccount, now time.Time) error {
	return s.saveXAccount(ctx, s.pool, a, now)
}

func (s *Store) saveXAccount(ctx context.Context, db dbsqlc.DBTX, a XAccount, now time.Time) error {
	err := s.q.SaveXAccount(ctx, db, dbsqlc.SaveXAccountParams{Handle: a.Handle, UserID: a.UserID, AccessSealed: some(a.AccessSealed), RefreshSealed: some(a.RefreshSealed),
		PreviousSealed: some(a.PreviousSealed), AccessSha256: some(a.AccessSHA256), KeyID: a.KeyID, Scopes: a.Scopes, ExpiresAt: a.ExpiresAt, State: string(a.state()),
		ConnectedAt: a.ConnectedAt, ConnectedBy: a.ConnectedBy, RenewedAt: a.RenewedAt, Fault: plain(a.Fault), FaultSince: a.FaultSince, RenewAfter: a.RenewAfter, UpdatedAt: now})
	if err != nil {
		return fmt.Errorf("save X account: %w", err)
	}
	return nil
}

// some is what a column takes that is never null.
func some(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// ChangeXAccount runs change under the account's row lock, so that a single-use
// refresh token is used by one process, and commits what it returns before
// anyone can use it. change may return the account as it was.
func (s *Store) ChangeXAccount(ctx context.Context, handle string, now time.Time, change func(XAccount) (XAccount, error)) (a XAccount, err error) {
	err = s.tx(ctx, func(tx pgx.Tx) error {
		r, err := s.q.XAccountForUpdate(ctx, tx, handle)
		if err != nil {
			return notFound(err, "connected X account")
		}
		before := xAccountOf(r)
		if a, err = change(before); err != nil || a.same(before) {
			return err
		}
		return s.saveXAccount(ctx, tx, a, now)
	})
	return a, err
}

// same tells whether nothing has to be saved. Not the expiry decides: a token
// renewed twice in one instant has the same.
func (a XAccount) same(b XAccount) bool {
	return bytes.Equal(a.AccessSealed, b.AccessSealed) && bytes.Equal(a.RefreshSealed, b.RefreshSealed) && a.state() == b.state() &&
		a.Fault == b.Fault && sameInstant(a.RenewAfter, b.RenewAfter)
}

func sameInstant(a, b *time.Time) bool {
	return a == b || a != nil && b != nil && a.Equal(*b)
}

// RefuseXToken has the account renewed whose access token X refused although its
// time is not over. A token given after since is not meant: it is refused for
// another reason than its age.
func (s *Store) RefuseXToken(ctx context.Context, sha256 []byte, since, now time.Time) error {
	err := s.q.XTokenRefused(ctx, s.pool, dbsqlc.XTokenRefusedParams{Now: now, AccessSha256: sha256, Before: since})
	if err != nil {
		return fmt.Errorf("note refused token: %w", err)
	}
	return nil
}
