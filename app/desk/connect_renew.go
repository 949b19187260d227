package desk

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/x"
)

const (
	// answerWithin is how long X may take to answer for a pair.
	answerWithin = 20 * time.Second
	// atWork is how long a renewal that X has not answered may be at work there:
	// a second one meanwhile would use a token twice, and end all of them.
	atWork = time.Minute
	// longFault is how long a fault of X's is nobody's business.
	longFault = 10 * time.Minute
	// lockedWithin bounds how long the account is locked, and waited for.
	lockedWithin = 90 * time.Second
)

// The points of a renewal that Desk.Reached is told.
const (
	Renewing = "renewing" // the account is locked, X has not been asked
	Renewed  = "renewed"  // X has given a new pair and spent the old one; only this process has it
	Kept     = "kept"     // the new pair is committed
)

func (d *Desk) reached(point string) {
	if d.Reached != nil {
		d.Reached(point)
	}
}

// renewed returns the account with a new pair. Callers of this process go
// together, so that those who wait hold no connection of the database.
func (d *Desk) renewed(ctx context.Context, a postgres.XAccount) (postgres.XAccount, error) {
	result := d.renewals.DoChan(a.Handle, func() (any, error) {
		// What X has given must be kept, whoever has gone meanwhile.
		return d.renew(context.WithoutCancel(ctx), a.Handle)
	})
	select {
	case <-ctx.Done():
		return a, ctx.Err()
	case r := <-result:
		a, _ = r.Val.(postgres.XAccount)
		return a, r.Err
	}
}

// renew renews a pair under the account's row lock.
func (d *Desk) renew(ctx context.Context, handle string) (postgres.XAccount, error) {
	locked, cancel := context.WithTimeout(ctx, lockedWithin)
	defer cancel()
	now := d.Clock.Now()
	var before, after postgres.XAccount
	a, err := d.Store.ChangeXAccount(locked, handle, now, func(a postgres.XAccount) (_ postgres.XAccount, err error) {
		if before = a; !due(a, now) {
			return a, nil
		}
		d.reached(Renewing)
		after, err = d.ask(locked, a, now)
		return after, err
	})
	if err != nil && len(after.AccessSHA256) > 0 && !bytes.Equal(after.AccessSHA256, before.AccessSHA256) {
		a, err = d.keep(ctx, before, after, err)
	}
	if err != nil {
		return a, fmt.Errorf("renew the tokens of @%s: %w", handle, err)
	}
	d.reached(Kept)
	if a.NeedsReconnect && !before.NeedsReconnect {
		err = d.alertLost(ctx, a)
	}
	return a, cmp.Or(err, d.current(a, now))
}

// due tells whether X is to be asked: another process may have been faster, or
// may have asked just now.
func due(a postgres.XAccount, now time.Time) bool {
	return usable(a) == nil && a.ExpiresAt.Sub(now) < app.XRenewBefore && (a.RenewAfter == nil || !now.Before(*a.RenewAfter))
}

// ask asks X for a new pair, and returns the account with it or with why there
// is none.
func (d *Desk) ask(ctx context.Context, a postgres.XAccount, now time.Time) (postgres.XAccount, error) {
	token, err := d.trade(ctx, a, a.RefreshSealed, now)
	if spent(err) && len(a.PreviousSealed) > 0 {
		// It was given in exchange for the one before. Nothing is left to lose by
		// asking whether X knows of that.
		if again, fault := d.trade(ctx, a, a.PreviousSealed, now); fault == nil {
			token, err = again, nil
		}
	}
	var unsealed unsealable
	switch {
	case err == nil:
		d.reached(Renewed)
		return d.sealed(a, token), nil
	case errors.As(err, &unsealed):
		return a, err
	case spent(err):
		a.NeedsReconnect = true
	case x.Unknown(err):
		a.RenewAfter = new(now.Add(atWork))
	}
	a.Fault = fault(err)
	if a.FaultSince == nil {
		a.FaultSince = &now
	}
	return a, nil
}

// unsealable is a token that our key does not open: that is our fault, not X's.
type unsealable struct{ error }

func (d *Desk) trade(ctx context.Context, a postgres.XAccount, sealed []byte, now time.Time) (x.Token, error) {
	secret, err := d.Seal.Open(sealed, purpose("refresh", a.Handle))
	if err != nil {
		return x.Token{}, unsealable{err}
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	return d.X.Refresh(ctx, secret, now)
}

// keep saves a pair that is nowhere else when the database failed at it. It
// gives up when another pair stands there by now.
func (d *Desk) keep(ctx context.Context, before, after postgres.XAccount, cause error) (postgres.XAccount, error) {
	for wait := 100 * time.Millisecond; wait < 30*time.Second; wait *= 2 {
		time.Sleep(wait)
		a, err := d.Store.ChangeXAccount(ctx, after.Handle, d.Clock.Now(), func(a postgres.XAccount) (postgres.XAccount, error) {
			if !bytes.Equal(a.RefreshSealed, before.RefreshSealed) {
				return a, nil
			}
			return after, nil
		})
		if err == nil {
			return a, nil
		}
	}
	return after, cause
}

// current tells whether the account's token works at now, in words when not.
func (d *Desk) current(a postgres.XAccount, now time.Time) error {
	switch err := usable(a); {
	case err != nil && a.Fault != "":
		return app.Errorf(app.Unavailable, "X no longer takes the tokens of @%s (%s): connect the account again.", a.Handle, a.Fault)
	case err != nil:
		return err
	case a.ExpiresAt.After(now):
		return nil
	case a.Fault == unknownClient || a.FaultSince != nil && now.Sub(*a.FaultSince) >= longFault:
		return app.Errorf(app.Unavailable, "The token of @%s has ended, and X has not given another since %s: %s.", a.Handle, a.FaultSince.UTC().Format("15:04 UTC"), a.Fault)
	}
	return errors.New("X gives no new token at the moment: " + a.Fault)
}

func spent(err error) bool {
	var refused *x.APIError
	return errors.As(err, &refused) && refused.Spent()
}

const unknownClient = "X does not know this application: check X_CLIENT_ID and X_CLIENT_SECRET"

// fault says for the pages what went wrong.
func fault(err error) string {
	var refused *x.APIError
	if errors.As(err, &refused) && refused.UnknownClient() {
		return unknownClient
	}
	if errors.As(err, &refused) {
		return refused.Error()
	}
	return err.Error()
}
