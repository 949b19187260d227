package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
)

const (
	// lookAgain is how long after the attempt a platform is trusted to show what
	// went out, and how often one that can't be asked is asked again.
	lookAgain = 10 * time.Minute
	// tryAgain is how long a publication waits after a fault that may pass.
	tryAgain = time.Minute
	// pagesWindow is how long Cloudflare counts calls.
	pagesWindow = 5 * time.Minute
	// askAgain is how often a person's answer is waited for before the platform
	// is asked once more.
	askAgain = 24 * time.Hour
	// asksAgain is the longest that X is taken at its word when it asks for
	// patience: no limit of its lasts longer than a day.
	asksAgain = 24 * time.Hour
	// tooLong is how long a platform that can't be asked is waited for before a
	// person has to look.
	tooLong = 2 * time.Hour
	// payWithin is how long an account's posts wait when X has no credits of ours.
	payWithin = time.Hour
	// maxAttempts is how often a publication is tried before a person has to look.
	maxAttempts = 20
)

// CarryOut attempts one approved effect: "attempting" is committed, then the
// call is made, then what became of it is stored.
func (o *Orchestrator) CarryOut(ctx context.Context, id int64) error {
	settings, err := o.Store.Settings(ctx)
	if err != nil {
		return err
	}
	until := o.Wall.Now().Add(o.Lease)
	e, ok, err := o.Store.AttemptEffect(ctx, id, settings.PostSpacing, o.Clock.Now().UTC(), until)
	if err != nil || !ok {
		return err
	}
	o.reached(Attempting)
	call, cancel := context.WithTimeout(ctx, max(o.Lease*3/4, time.Second))
	given := given{media: e.Media}
	sent, err := o.send(call, attempt{e, until, &given})
	cancel()
	e.Media, e.Charged = given.media, given.charged
	o.reached(Sent)
	// What happened must be stored even when the process is stopping.
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	return o.book(ctx, e, sent, err)
}

// book stores what became of an attempt.
func (o *Orchestrator) book(ctx context.Context, e app.Effect, sent postgres.Sent, err error) error {
	now := o.Clock.Now().UTC()
	var (
		later *notYet
		other *changed
	)
	switch {
	case err == nil:
		return o.booked(Booked, o.Store.EffectDone(ctx, e, sent, now))
	case errors.As(err, &other):
		o.Log.WarnContext(ctx, "a publication changed after its approval and was not sent", "effect", e.Key, "changes", other.what)
		return o.booked(Booked, o.Store.EffectChanged(ctx, e, other.what, now))
	case errors.As(err, &later):
		return o.putOff(ctx, e, later, now)
	case inDoubt(err):
		o.Log.WarnContext(ctx, "outcome of a publication unknown", "effect", e.Key, "error", err)
		return o.booked(Unknown, o.Store.EffectUnknown(ctx, e, err.Error(), now, now))
	case duplicate(err):
		return o.saidBefore(ctx, e, err, now)
	}
	if wait, ok := passing(err, now); ok && e.Attempt < maxAttempts {
		return o.booked(Booked, o.Store.EffectLater(ctx, e, err.Error(), now.Add(wait), now))
	}
	return o.failEffect(ctx, e, err, now)
}

// booked marks that what became of an effect is committed.
func (o *Orchestrator) booked(at Point, err error) error {
	if err == nil {
		o.reached(at)
	}
	return err
}

// failEffect ends a publication with what a person can do about it, unless an
// attempt before this one has made it. Where X wants to be paid first, what else
// waits on the account is not refused as well. Nobody is woken for a reply that
// X does not take.
func (o *Orchestrator) failEffect(ctx context.Context, e app.Effect, cause error, now time.Time) error {
	before, err := o.triedBefore(ctx, e)
	if err != nil {
		return errors.Join(cause, err)
	}
	if before {
		if settled, err := o.madeBefore(ctx, e, cause.Error(), now); settled {
			return err
		}
	}
	switch {
	case effects.Replies(e) && unanswerable(cause):
		return o.booked(Booked, o.Store.ReplyRefused(ctx, e, whyRefused(cause), now))
	case unpaid(cause):
		return errors.Join(cause, o.booked(Booked, o.Store.EffectUnpaid(ctx, e, advised(e, cause), now.Add(payWithin), now)))
	}
	e.Media = nil // what X has of it may be why
	return errors.Join(cause, o.booked(Booked, o.Store.EffectFailed(ctx, e, advised(e, cause), now)))
}

// madeBefore looks for what an attempt of e has made. It settles what is there,
// as published, and what can't be looked for, which is in doubt again for a reason.
func (o *Orchestrator) madeBefore(ctx context.Context, e app.Effect, why string, now time.Time) (settled bool, err error) {
	sent, found, err := o.find(ctx, e)
	switch {
	case found:
		o.reached(Found)
		return true, o.booked(Reconciled, o.Store.EffectDone(ctx, e, sent, now))
	case err != nil:
		return true, errors.Join(err, o.booked(Unknown, o.Store.EffectUnknown(ctx, e, why, now.Add(lookAgain), now)))
	}
	return false, nil
}

// putOff has an effect tried later; what never gets better ends with a person.
func (o *Orchestrator) putOff(ctx context.Context, e app.Effect, later *notYet, now time.Time) error {
	if !later.endless && e.Attempt >= maxAttempts {
		return o.failEffect(ctx, e, later.cause, now)
	}
	if later.told {
		if err := o.alertAccount(ctx, e, later.cause); err != nil {
			return err
		}
		return o.booked(Booked, o.Store.EffectAwaitsAccount(ctx, e, later.Error(), now.Add(later.wait), now))
	}
	if later.byHand {
		v, err := o.Store.Validation(ctx, e.ValidationID)
		if err != nil {
			return err
		}
		if v.AppliedAt != nil && !now.Before(v.AppliedAt.Add(byHandWithin)) {
			return o.booked(Booked, o.Store.EffectNotApplied(ctx, e, later.Error(), now.Add(later.wait), now))
		}
	}
	if later.endless {
		return o.booked(Booked, o.Store.EffectAwaitsPerson(ctx, e, later.Error(), now.Add(later.wait), now))
	}
	return o.booked(Booked, o.Store.EffectLater(ctx, e, later.Error(), now.Add(later.wait), now))
}

// alertAccount tells the team of an account that only they can connect, once
// for all that waits for it.
func (o *Orchestrator) alertAccount(ctx context.Context, e app.Effect, fault error) error {
	return o.Desk.AlertAccount(ctx, e.OperationID, accountOf(e), e.StepKey+" can't be published yet: "+fault.Error())
}

// accountOf is the account on X that an effect needs, empty for none.
func accountOf(e app.Effect) string {
	var r struct {
		Account string `json:"account"`
	}
	if !effects.OnX(e.Kind) || json.Unmarshal(e.Request, &r) != nil {
		return ""
	}
	return r.Account
}

// stands is what is kept of an effect that X calls a duplicate while one of its
// attempts is in doubt.
const stands = "X says that this text stands there already"

// saidBefore looks for the post that X says is there. A timeline lags, so one
// that was tried before is looked for again.
func (o *Orchestrator) saidBefore(ctx context.Context, e app.Effect, refusal error, now time.Time) error {
	settled, err := o.madeBefore(ctx, e, stands, now)
	if settled {
		return err
	}
	before, err := o.triedBefore(ctx, e)
	switch {
	case err != nil:
		return errors.Join(refusal, err)
	case before:
		return o.booked(Unknown, o.Store.EffectUnknown(ctx, e, stands, now.Add(lookAgain), now))
	}
	return o.failEffect(ctx, e, refusal, now)
}

// triedBefore tells whether an attempt before this one may have made the post
// that e is to make, be it under an earlier approval of the same call.
func (o *Orchestrator) triedBefore(ctx context.Context, e app.Effect) (bool, error) {
	if e.Kind != effects.XPost || e.Attempt > 1 {
		return e.Kind == effects.XPost, nil
	}
	at, err := o.Store.DoubtedBefore(ctx, e.ID)
	return at != nil, err
}

func unknownKind(kind string) error { return fmt.Errorf("there is no effect of kind %q", kind) }
