package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres/dbsqlc"
)

// AttemptEffect claims an effect for one attempt: its price is reserved, its
// account spaced, and "attempting" is committed before anyone calls out. It
// returns false when the effect is not to be attempted now.
func (s *Store) AttemptEffect(ctx context.Context, id int64, spacing time.Duration, now, lease time.Time) (e app.Effect, ok bool, err error) {
	operationID, err := s.q.EffectOperation(ctx, s.pool, id)
	if err != nil {
		return e, false, notFound(err, "publication")
	}
	var early time.Time
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		ok = false // a commit that failed is tried again
		r, err := s.q.Effect(ctx, t, id)
		if err != nil {
			return notFound(err, "publication")
		}
		if r.Effect.State != app.EffectIntent || t.op.State != app.OperationRunning {
			return nil
		}
		if r.Effect.NotBefore.After(now) {
			early = r.Effect.NotBefore
			return errNothing
		}
		if early, err := s.q.EarlierOpen(ctx, t, id); err != nil || early {
			return err
		}
		v, may, err := t.bound(ctx, r)
		if err != nil || !may {
			return err
		}
		if may, err = t.spaced(ctx, r.Effect, spacing); err != nil || !may {
			return err
		}
		if may, err = t.mayReply(ctx, r, v); err != nil || !may {
			return err
		}
		e = effectOfRow(r.Effect, r.Slug, r.StepKey)
		e.Media, e.Charged = effects.Kept(e, now), 0
		price := effects.PostPrice(e) + effects.PicturesPrice(e, now)
		if may, err = t.affordable(ctx, r, price); err != nil || !may {
			return err
		}
		fence, err := s.q.AttemptEffect(ctx, t, dbsqlc.AttemptEffectParams{LeaseUntil: &lease, Now: &now, ReservedNusd: price, ID: id})
		if err != nil {
			return fmt.Errorf("claim effect: %w", err)
		}
		if err := t.bindAccount(ctx, v, e.Kind); err != nil {
			return err
		}
		ok = true
		e.Fence, e.Attempt, e.State, e.AttemptedAt = fence, e.Attempt+1, app.EffectAttempting, &now
		return nil
	})
	if errors.Is(err, errNothing) {
		// A process whose clock is ahead of ours has woken it, and would again at
		// once if it was told of this.
		return e, false, s.q.DelayEffect(ctx, s.pool, dbsqlc.DelayEffectParams{NotBefore: early, ID: id})
	}
	return e, ok, err
}

// bound checks that the effect is the call that was approved, in a world that is
// as it was then. One that is not is never sent.
func (t *opTx) bound(ctx context.Context, e dbsqlc.EffectRow) (v app.Validation, ok bool, err error) {
	if v, err = t.validation(ctx, e.Effect.ValidationID); err != nil {
		return v, false, err
	}
	if v.State != app.ValidationApproved || v.AppliedAt == nil {
		return v, false, t.unapproved(ctx, e, v)
	}
	lapsed, err := t.lapsed(ctx, v)
	if err != nil {
		return v, false, err
	}
	if lapsed {
		return v, false, t.expire(ctx, v)
	}
	changes, err := t.changes(ctx, v)
	if err != nil {
		return v, false, err
	}
	if f, ok := frozenOf(v); ok && !effects.Allowed(f, effectOfRow(e.Effect, e.Slug, e.StepKey)) {
		changes = append(changes, "A call that waited was not among those that were approved.")
	}
	if len(changes) == 0 {
		return v, true, nil
	}
	_, err = t.requeue(ctx, v, "payload_changed", changedSince, changes)
	return v, false, err
}

const changedSince = "what would go out is not what was approved"

// unapproved voids an effect that should not be there.
func (t *opTx) unapproved(ctx context.Context, e dbsqlc.EffectRow, v app.Validation) error {
	const message = "nobody's approval stands behind it"
	if _, err := t.raise(ctx, "payload_changed", v.ID, e.StepKey+": a publication was not sent because "+message+"."); err != nil {
		return err
	}
	if err := t.endEffect(ctx, e.Effect, app.EffectVoid, message); err != nil {
		return err
	}
	if _, err := t.store.q.PendingOfStep(ctx, t, e.Effect.StepID); !noRows(err) {
		return err // another draft of its step waits
	}
	return t.failPublishing(ctx, e.Effect.StepID, e.StepKey, message)
}

// threadHolds is how long a post that is in doubt, or that X holds up, has others
// wait behind it, so that a thread is not cut in two: by then a person was asked
// to look.
const threadHolds = 2 * time.Hour

// spaced keeps the gap between two publications of one account, from the last
// post of one to the first of the next: the later one is delayed, never dropped.
// What goes on after it broke off keeps it too, behind what went out meanwhile.
// Nothing is posted while X wants to be paid first, nor for a while when a post
// is in doubt.
func (t *opTx) spaced(ctx context.Context, e dbsqlc.Effect, spacing time.Duration) (bool, error) {
	if e.Account == "" {
		return true, nil
	}
	if err := t.lockAccount(ctx, e.Account); err != nil {
		return false, err
	}
	q := t.store.q
	since, doubted := t.now.Add(-spacing), t.now.Add(-threadHolds)
	last, err := q.LastOnAccount(ctx, t, dbsqlc.LastOnAccountParams{Account: e.Account, StepID: e.StepID, Since: &since, DoubtedSince: &doubted,
		BeforeLong: t.now.Add(threadHolds)})
	if err != nil {
		return false, fmt.Errorf("read account's last post: %w", err)
	}
	next := last.LastAt.Add(spacing)
	if last.Busy || last.Within {
		next = t.now.Add(time.Minute)
	}
	next = latest(next, last.HeldUntil)
	switch {
	case !next.After(t.now):
		return true, nil
	case !e.Begins: // its place is before all that waits to begin
		return false, q.DelayEffect(ctx, t, dbsqlc.DelayEffectParams{NotBefore: next, ID: e.ID})
	}
	return false, q.DelayAccount(ctx, t, dbsqlc.DelayAccountParams{Next: next, SpacingS: spacing.Seconds(), Account: e.Account})
}

// lockAccount keeps what counts an account's posts or replies from doing so for
// two operations at a time. Names on X do not tell upper case from lower.
func (t *opTx) lockAccount(ctx context.Context, account string) error {
	if err := t.store.q.LockAccount(ctx, t, strings.ToLower(account)); err != nil {
		return fmt.Errorf("lock account: %w", err)
	}
	return nil
}

// affordable reserves the price of a publication, or fails its step.
func (t *opTx) affordable(ctx context.Context, r dbsqlc.EffectRow, price app.Nano) (bool, error) {
	if price <= t.left() {
		t.op.Reserved += price
		return true, nil
	}
	cause := &app.BudgetError{Wall: "operation"}
	if _, err := t.raise(ctx, "budget_exceeded", "operation", r.StepKey+" was not published: "+cause.Error()+". Raise the cap or skip the step."); err != nil {
		return false, err
	}
	if err := t.endEffect(ctx, r.Effect, app.EffectFailed, cause.Error()); err != nil {
		return false, err
	}
	return false, t.failPublishing(ctx, r.Effect.StepID, r.StepKey, cause.Error())
}

// failPublishing fails a step whose publication can't go out. One that no
// longer waits for it, as after a stop, stays as it is.
func (t *opTx) failPublishing(ctx context.Context, stepID int64, stepKey, message string) error {
	st, err := t.store.q.Step(ctx, t, stepID)
	if err != nil {
		return notFound(err, "step")
	}
	if st.State != app.StepWaiting {
		return nil
	}
	parts, err := t.parts(ctx, stepID)
	if err != nil {
		return err
	}
	said, why := "Publishing failed", "publishing failed: "
	if parts.Broken() {
		said, why = "Publishing broke off: "+parts.String(), "publishing broke off, "+parts.String()+": "
	}
	t.add(app.EventLine{Kind: "step", Agent: "system", Step: stepKey, Summary: said})
	return t.endStep(ctx, stepID, app.StepFailed, nil, why+message)
}
