package postgres

import (
	"context"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// EffectChanged gives up an attempt, before anything was sent, because what
// would have been sent is not what was approved: changes says how. The draft
// waits for a decision again unless a part of it is out.
func (s *Store) EffectChanged(ctx context.Context, e app.Effect, changes []string, now time.Time) error {
	return s.under(ctx, e, []app.EffectState{app.EffectAttempting}, now, func(t *opTx, row dbsqlc.Effect) error {
		if err := t.unsent(ctx, &row, e.StepKey); err != nil {
			return err
		}
		if err := t.endEffect(ctx, row, app.EffectVoid, changedSince); err != nil {
			return err
		}
		v, err := t.validation(ctx, row.ValidationID)
		if err != nil {
			return err
		}
		_, err = t.requeue(ctx, v, "payload_changed", changedSince, changes)
		return err
	})
}

// RetryEffect lets a publication that failed be attempted once more under the
// approval it has, as often as if it had been attempted once. A thread goes on
// where it broke off.
func (s *Store) RetryEffect(ctx context.Context, effectID int64, reason string, by app.User, now time.Time) error {
	e, err := s.Effect(ctx, effectID)
	if err != nil {
		return err
	}
	return s.steerStep(ctx, e.StepID, "effect.retry", reason, by, now, func(t *opTx, st app.Step) error {
		row, err := s.q.Effect(ctx, t, effectID)
		if err != nil {
			return notFound(err, "publication")
		}
		if err := t.retriable(ctx, row.Effect, st); err != nil {
			return err
		}
		if err := t.releaseAccount(ctx, row.Effect); err != nil {
			return err
		}
		err = t.saveEffect(ctx, row.Effect, dbsqlc.EndEffectParams{State: app.EffectIntent, NotBefore: now, GivenBack: max(row.Effect.Attempt-1, 0)})
		if err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "decision", Agent: "team", Step: st.Key, Summary: "To be published again, by the team"})
		return t.endStep(ctx, st.ID, app.StepWaiting, nil, "")
	})
}

// expiredRetry says what can be done in place of a retry whose approval has run
// out.
func (t *opTx) expiredRetry(ctx context.Context, e dbsqlc.Effect) error {
	parts, err := t.parts(ctx, e.StepID)
	if err != nil {
		return err
	}
	if parts.Broken() {
		return app.Errorf(app.Conflict, "The approval has expired. Have the rest approved again: %s and stay as they are.", parts)
	}
	return app.Errorf(app.Conflict, "The approval has expired. Run the step again: it writes a new draft.")
}

func (t *opTx) retriable(ctx context.Context, e dbsqlc.Effect, st app.Step) error {
	v, err := t.validation(ctx, e.ValidationID)
	if err != nil {
		return err
	}
	expired, err := t.expired(ctx, v)
	switch {
	case err != nil:
		return err
	case e.State != app.EffectFailed:
		return app.Errorf(app.Conflict, "This publication is %s: only a failed one can be tried again.", e.State)
	case st.State != app.StepFailed:
		return app.Errorf(app.Conflict, "Its step is %s, so nothing of it can be published again.", st.State)
	case v.State != app.ValidationApproved:
		return app.Errorf(app.Conflict, "The draft is %s: it needs an approval to be published.", v.State)
	case expired:
		return t.expiredRetry(ctx, e)
	}
	early, err := t.store.q.EarlierOpen(ctx, t, e.ID)
	if err != nil {
		return fmt.Errorf("look at what comes before it: %w", err)
	}
	if early {
		return app.Errorf(app.Conflict, "What comes before it is not published. Try that one first.")
	}
	return nil
}
