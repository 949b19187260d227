package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// RaiseCap lets an operation spend up to a higher cap, if it still is what the
// person saw. The agents' shares rise with it, and its alerts
// may be raised once more.
func (s *Store) RaiseCap(ctx context.Context, slug string, seen, to app.Nano, reason string, by app.User, now time.Time) error {
	if reason == "" {
		return app.Errorf(app.Invalid, "Say why: the reason is kept with the change.")
	}
	op, err := s.OperationBySlug(ctx, slug)
	if err != nil {
		return err
	}
	return s.inOperation(ctx, op.ID, now, func(t *opTx) error {
		before := t.op.Cap
		if err := t.op.RaiseCap(seen, to); err != nil {
			return err
		}
		if err := s.q.SetCap(ctx, t, dbsqlc.SetCapParams{CapNusd: t.op.Cap, ID: t.op.ID}); err != nil {
			return fmt.Errorf("save cap: %w", err)
		}
		if err := t.raiseShares(ctx); err != nil {
			return err
		}
		if err := s.q.SealBudgetAlerts(ctx, t, dbsqlc.SealBudgetAlertsParams{Cap: "of " + before.String(), OperationID: t.op.ID}); err != nil {
			return fmt.Errorf("set apart the alerts of the cap before: %w", err)
		}
		t.add(app.EventLine{Kind: "operation", Agent: "team", Summary: fmt.Sprintf("Cap raised from %s to %s by the team: %s", before, t.op.Cap, reason)})
		return s.audit(ctx, t, by.Name, "operation.raise_cap", slug, now, map[string]any{"cap_nusd": before}, map[string]any{"cap_nusd": t.op.Cap, "reason": reason})
	})
}

func (t *opTx) raiseShares(ctx context.Context) error {
	shares, err := t.store.q.Shares(ctx, t, t.op.ID)
	if err != nil {
		return fmt.Errorf("read shares: %w", err)
	}
	for _, g := range shares {
		if err := t.share(ctx, g.Agent); err != nil {
			return err
		}
	}
	return nil
}

// RetryStep has a step run again from its start: one that has failed, one that
// runs and is broken off, one whose draft waits and is withdrawn.
func (s *Store) RetryStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error {
	return s.steerStep(ctx, stepID, "step.retry", reason, by, now, func(t *opTx, st app.Step) error {
		calls, err := t.callsOf(ctx, st)
		if err != nil {
			return err
		}
		if err := st.MayRetry(calls); err != nil {
			return err
		}
		if err := t.cutIn(ctx, st, "started again by the team: "+reason); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "decision", Agent: "team", Step: st.Key, Summary: "To be tried again, by the team"})
		return s.q.RetryStep(ctx, t, dbsqlc.RetryStepParams{Error: "", NotBefore: nil, Rejections: 0, Attempt: 0, Input: json.RawMessage("{}"), ID: st.ID})
	})
}

// SkipStep gives a step up; what depends on it is skipped too.
func (s *Store) SkipStep(ctx context.Context, stepID int64, reason string, by app.User, now time.Time) error {
	return s.steerStep(ctx, stepID, "step.skip", reason, by, now, func(t *opTx, st app.Step) error {
		calls, err := t.callsOf(ctx, st)
		if err != nil {
			return err
		}
		if err := st.MaySkip(calls); err != nil {
			return err
		}
		if err := t.cutIn(ctx, st, "skipped by the team: "+reason); err != nil {
			return err
		}
		if err := t.unread(ctx, st); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "decision", Agent: "team", Step: st.Key, Summary: "Skipped by the team"})
		return t.endStep(ctx, st.ID, app.StepSkipped, nil, "skipped by the team: "+reason)
	})
}

// cutIn leaves nothing of a step under way: its run ends, what its worker still
// writes is refused, its drafts are withdrawn and its unsent calls never made.
func (t *opTx) cutIn(ctx context.Context, st app.Step, why string) error {
	if err := t.endRun(ctx, st, "", why); err != nil {
		return err
	}
	if err := t.store.q.VoidOpenOfStep(ctx, t, dbsqlc.VoidOpenOfStepParams{Reason: why, StepID: st.ID}); err != nil {
		return fmt.Errorf("void drafts: %w", err)
	}
	if err := t.store.q.VoidEffectsOfStep(ctx, t, st.ID); err != nil {
		return fmt.Errorf("void effects: %w", err)
	}
	return nil
}

func (t *opTx) callsOf(ctx context.Context, st app.Step) (app.StepCalls, error) {
	calls, err := t.store.q.StepCalls(ctx, t, st.ID)
	if err != nil {
		return app.StepCalls{}, fmt.Errorf("count the step's calls: %w", err)
	}
	return app.StepCalls{Sent: calls.Sent, Open: calls.Open, Waiting: calls.Waiting}, nil
}

func (s *Store) steerStep(ctx context.Context, stepID int64, action, reason string, by app.User, now time.Time, fn func(*opTx, app.Step) error) error {
	if reason == "" {
		return app.Errorf(app.Invalid, "Say why: the reason is kept with the change.")
	}
	step, err := s.Step(ctx, stepID)
	if err != nil {
		return err
	}
	return s.inOperation(ctx, step.OperationID, now, func(t *opTx) error {
		if t.op.State.Final() {
			return app.Errorf(app.Conflict, "This operation is %s: its steps are as they are. Nothing was changed.", t.op.State)
		}
		row, err := s.q.Step(ctx, t, stepID) // again, now that the operation is locked
		if err != nil {
			return notFound(err, "step")
		}
		if err := fn(t, stepOf(row)); err != nil {
			return err
		}
		return s.audit(ctx, t, by.Name, action, t.op.Slug+" "+step.Key, now, map[string]any{"state": row.State}, map[string]any{"reason": reason})
	})
}
