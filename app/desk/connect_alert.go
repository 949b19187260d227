package desk

import (
	"context"
	"strings"
	"time"

	"vivra/app/postgres"
)

// AlertAccount tells the team what is wrong with an account on X that an
// operation speaks with, once for as long as it is: however much waits for it.
func (d *Desk) AlertAccount(ctx context.Context, operationID int64, handle, message string) error {
	subject := "@" + handle
	if a, err := d.Store.XAccount(ctx, handle); err == nil {
		subject = accountTrouble(a)
	}
	return d.Store.RaiseAlert(ctx, operationID, "x_account", subject, message, d.Clock.Now())
}

// accountTrouble names what is wrong with an account, another name each time
// that something is.
func accountTrouble(a postgres.XAccount) string {
	subject := "@" + a.Handle
	if a.FaultSince != nil {
		return subject + " " + a.FaultSince.UTC().Format(time.RFC3339)
	}
	for _, since := range []*time.Time{a.RenewedAt, a.ConnectedAt} { // tokens that are forgotten were connected once
		if since != nil {
			return subject + " " + since.UTC().Format(time.RFC3339)
		}
	}
	return subject
}

// alertLost tells it in every operation that speaks with the account.
func (d *Desk) alertLost(ctx context.Context, a postgres.XAccount) error {
	all, err := d.Store.AccountsOnX(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if !strings.EqualFold(one.Handle, a.Handle) {
			continue
		}
		for _, o := range one.Operations {
			if o.State.Final() {
				continue
			}
			if err := d.AlertAccount(ctx, o.ID, a.Handle, "X no longer takes the tokens of @"+a.Handle+": connect the account again. What is approved waits for that."); err != nil {
				return err
			}
		}
	}
	return nil
}
