package orchestrator

import (
	"context"
	"errors"

	"vivra/app"
)

// Reconcile finds out what became of an effect in doubt: only one that
// certainly did not go out is sent again; what can't be told goes to a person.
func (o *Orchestrator) Reconcile(ctx context.Context, id int64) error {
	e, err := o.Store.Effect(ctx, id)
	if err != nil || e.State != app.EffectUnknown {
		return err
	}
	now := o.Clock.Now().UTC()
	sent, found, err := o.find(ctx, e)
	switch {
	case errors.Is(err, errCannotTell):
		return o.undecided(ctx, e)
	case err != nil:
		return o.askLater(ctx, e, err)
	case found:
		o.reached(Found)
		return o.booked(Reconciled, o.Store.EffectDone(ctx, e, sent, now))
	}
	o.reached(Missing)
	if e.Attempt >= maxAttempts || e.Error == stands {
		return o.undecided(ctx, e)
	}
	// A timeline may lag: what it does not show yet may still appear.
	if shown := e.AttemptedAt.Add(lookAgain); lags(e.Kind) && now.Before(shown) {
		return o.booked(Unknown, o.Store.EffectUnknown(ctx, e, e.Error, shown, now))
	}
	return o.booked(Reconciled, o.Store.EffectLater(ctx, e, "it had not gone out", now.Add(again(e)), now))
}

// undecided puts an outcome that nobody can tell before a person.
func (o *Orchestrator) undecided(ctx context.Context, e app.Effect) error {
	now := o.Clock.Now().UTC()
	return o.booked(Reconciled, o.Store.EffectUndecided(ctx, e, now.Add(askAgain), now))
}

// askLater keeps an effect in doubt while its platform can't be asked. When it
// refuses to be, or for long, a person has to look; but not while all that is
// wanting is the account, of which an alert tells.
func (o *Orchestrator) askLater(ctx context.Context, e app.Effect, fault error) error {
	now := o.Clock.Now().UTC()
	o.Log.WarnContext(ctx, "reconcile", "effect", e.Key, "error", fault)
	wait, _ := passing(fault, now)
	at := now.Add(max(wait, lookAgain))
	if accountOf(e) != "" && disconnected(fault) {
		if err := o.alertAccount(ctx, e, fault); err != nil {
			return err
		}
		return o.booked(Unknown, o.Store.EffectUnknown(ctx, e, e.Error, at, now))
	}
	if refusedForGood(fault) || !now.Before(e.AttemptedAt.Add(tooLong)) {
		return o.booked(Reconciled, o.Store.EffectUndecided(ctx, e, at, now))
	}
	return o.booked(Unknown, o.Store.EffectUnknown(ctx, e, e.Error, at, now))
}
