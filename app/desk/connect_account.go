package desk

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/x"
)

// purpose binds a sealed token to the account it is for.
func purpose(kind, handle string) string { return "x " + kind + " " + handle }

// ConnectX stores the tokens of an account, sealed.
func (d *Desk) ConnectX(ctx context.Context, handle, userID string, token x.Token) error {
	now := d.Clock.Now()
	return d.Store.SaveXAccount(ctx, d.sealed(postgres.XAccount{Handle: handle, UserID: userID, ConnectedAt: &now}, token), now)
}

// sealed is the account with a pair in place of the one it had.
func (d *Desk) sealed(a postgres.XAccount, token x.Token) postgres.XAccount {
	now, sum := d.Clock.Now(), sha256.Sum256([]byte(token.AccessToken))
	a.PreviousSealed = a.RefreshSealed
	a.AccessSealed = d.Seal.Seal(token.AccessToken, purpose("access", a.Handle))
	a.RefreshSealed = d.Seal.Seal(token.RefreshToken, purpose("refresh", a.Handle))
	a.AccessSHA256, a.KeyID, a.ExpiresAt, a.RenewedAt = sum[:], d.Seal.KeyID(), token.ExpiresAt, &now
	if len(token.Scopes) > 0 || a.Scopes == nil {
		a.Scopes = append([]string{}, token.Scopes...)
	}
	a.NeedsReconnect, a.Disconnected, a.Fault, a.FaultSince, a.RenewAfter = false, false, "", nil, nil
	return a
}

// Account is a connected account and a token that works now.
type Account struct {
	Handle, UserID, AccessToken string
}

// Account returns the account with a live token, renewed under the account's
// lock when it is about to end.
func (d *Desk) Account(ctx context.Context, handle string) (Account, error) {
	a, err := d.Store.XAccount(ctx, handle)
	if err != nil {
		return Account{}, err
	}
	if err := usable(a); err != nil {
		return Account{}, err
	}
	if a.ExpiresAt.Sub(d.Clock.Now()) < app.XRenewBefore {
		if a, err = d.renewed(ctx, a); err != nil {
			return Account{}, err
		}
	}
	token, err := d.Seal.Open(a.AccessSealed, purpose("access", a.Handle))
	if err != nil {
		return Account{}, fmt.Errorf("X account @%s: %w", a.Handle, err)
	}
	return Account{a.Handle, a.UserID, token}, nil
}

// usable refuses an account that only a person can bring back.
func usable(a postgres.XAccount) error {
	switch {
	case a.Disconnected:
		return app.Errorf(app.Unavailable, "The X account @%s is disconnected: connect it under Accounts.", a.Handle)
	case a.NeedsReconnect:
		return app.Errorf(app.Unavailable, "The X account @%s must be connected again.", a.Handle)
	}
	return nil
}

// refusedLate is how old a token must be for X's refusal to be about its age.
const refusedLate = time.Minute

// TokenRefused notes that X no longer takes an access token before its time, so
// that whoever needs the account next renews it. A note that is lost is made at
// the next refusal.
func (d *Desk) TokenRefused(ctx context.Context, accessToken string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	now, sum := d.Clock.Now(), sha256.Sum256([]byte(accessToken))
	_ = d.Store.RefuseXToken(ctx, sum[:], now.Add(-refusedLate), now)
}
