package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"vivra/app"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/telegram"
	"vivra/app/x"
)

const (
	// lookAgain is how long after the attempt a platform is trusted to show what
	// went out, and how often one that can't be asked is asked again.
	lookAgain = 10 * time.Minute
	// tryAgain is how long a publication waits after a fault that may pass.
	tryAgain = time.Minute
	// maxAttempts is how often a publication is tried before a person has to look.
	maxAttempts = 20
)

// notYet says that a publication is to be tried again later, and nothing is wrong.
type notYet struct {
	reason string
	wait   time.Duration
	cause  error // nil when it is only too early
}

func (e *notYet) Error() string { return e.reason }

// CarryOut attempts one approved effect: "attempting" is committed, then the
// call is made, then what became of it is stored.
func (o *Orchestrator) CarryOut(ctx context.Context, id int64) error {
	settings, err := o.Store.Settings(ctx)
	if err != nil {
		return err
	}
	e, ok, err := o.Store.AttemptEffect(ctx, id, settings.PostSpacing, o.Clock.Now().UTC(), o.Wall.Now().Add(o.Lease))
	if err != nil || !ok {
		return err
	}
	o.reached("attempting")
	call, cancel := context.WithTimeout(ctx, max(o.Lease*3/4, time.Second))
	sent, err := o.send(call, e)
	cancel()
	o.reached("sent")
	// What happened must be stored even when the process is stopping.
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return o.book(ctx, e, sent, err)
}

// book stores what became of an attempt.
func (o *Orchestrator) book(ctx context.Context, e app.Effect, sent postgres.Sent, err error) error {
	now := o.Clock.Now().UTC()
	var later *notYet
	switch {
	case err == nil:
		return o.Store.EffectDone(ctx, e, sent, now)
	case errors.As(err, &later):
		if err := o.alertAccount(ctx, e, later.cause, now); err != nil {
			return err
		}
		return o.Store.EffectLater(ctx, e, later.reason, now.Add(later.wait), now)
	case inDoubt(err):
		o.Log.WarnContext(ctx, "outcome of a publication unknown", "effect", e.Key, "error", err)
		return o.Store.EffectUnknown(ctx, e, err.Error(), now, now)
	case duplicate(err):
		return o.saidBefore(ctx, e, err, now)
	}
	if wait, ok := passing(err, now); ok && e.Attempt < maxAttempts {
		return o.Store.EffectLater(ctx, e, err.Error(), now.Add(wait), now)
	}
	return errors.Join(err, o.Store.EffectFailed(ctx, e, err, now))
}

// duplicate tells whether X refused a post because it is there already.
func duplicate(err error) bool {
	var refused *x.APIError
	return errors.As(err, &refused) && refused.Duplicate()
}

// saidBefore looks for the post that X says is there: when an attempt of this
// effect made it, it has gone out.
func (o *Orchestrator) saidBefore(ctx context.Context, e app.Effect, refusal error, now time.Time) error {
	sent, found, err := o.find(ctx, e)
	switch {
	case err != nil:
		return errors.Join(refusal, o.Store.EffectUnknown(ctx, e, refusal.Error(), now.Add(lookAgain), now))
	case found:
		return o.Store.EffectDone(ctx, e, sent, now)
	}
	return errors.Join(refusal, o.Store.EffectFailed(ctx, e, refusal, now))
}

// inDoubt tells whether a call may have gone through although it failed here.
func inDoubt(err error) bool {
	return x.Unknown(err) || telegram.Unknown(err) || pages.Unknown(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// passing tells how long to wait when a service asked for patience, or was not
// reached at all.
func passing(err error, now time.Time) (time.Duration, bool) {
	var onX *x.APIError
	if errors.As(err, &onX) && onX.RateLimited() {
		return max(onX.RetryAfter, onX.ResetAt.Sub(now), tryAgain), true
	}
	var onTelegram *telegram.APIError
	if errors.As(err, &onTelegram) && onTelegram.RateLimited() {
		return max(onTelegram.RetryAfter, time.Second), true
	}
	var network *net.OpError
	if errors.As(err, &network) && network.Op == "dial" {
		return tryAgain, true
	}
	return 0, false
}

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
		return o.Store.EffectUndecided(ctx, e, now.Add(24*time.Hour), now)
	case err != nil:
		o.Log.WarnContext(ctx, "reconcile", "effect", e.Key, "error", err)
		if err := o.alertAccount(ctx, e, err, now); err != nil {
			return err
		}
		return o.Store.EffectUnknown(ctx, e, e.Error, now.Add(lookAgain), now)
	case found:
		return o.Store.EffectDone(ctx, e, sent, now)
	case e.Attempt >= maxAttempts:
		return o.Store.EffectUndecided(ctx, e, now.Add(24*time.Hour), now)
	}
	// A timeline may lag: what it does not show yet may still appear.
	if shown := e.AttemptedAt.Add(lookAgain); !harmless(e.Kind) && now.Before(shown) {
		return o.Store.EffectUnknown(ctx, e, e.Error, shown, now)
	}
	return o.Store.EffectLater(ctx, e, "it had not gone out", now.Add(again(e)), now)
}

// alertAccount tells the team of a fault that only they can mend.
func (o *Orchestrator) alertAccount(ctx context.Context, e app.Effect, fault error, now time.Time) error {
	if !disconnected(fault) {
		return nil
	}
	return o.Store.RaiseAlert(ctx, e.OperationID, "x_account", e.Key, e.StepKey+" can't be published yet: "+fault.Error(), now)
}

// disconnected tells whether an account has to be connected by a person.
func disconnected(err error) bool {
	return app.KindOf(err) == app.Unavailable || app.KindOf(err) == app.NotFound
}

// again is how long a publication waits that is to be made anew: the first
// time not at all.
func again(e app.Effect) time.Duration {
	if e.Attempt > 1 {
		return tryAgain
	}
	return 0
}

var errCannotTell = errors.New("the platform does not say whether it went out")

func unknownKind(kind string) error { return fmt.Errorf("there is no effect of kind %q", kind) }
