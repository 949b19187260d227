package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// RunEnd is what a run that reached its output leaves behind.
type RunEnd struct {
	RunID   string
	Output  json.RawMessage
	Summary string
	// Policy: the agent's outputs are approved at once, unless a person must.
	Policy bool
	// Reading, when set, is kept as the operation's metrics.
	Reading  *app.Metrics
	Baseline *app.Metrics
}

// FinishRun ends a claimed step's run: the step is done, or waits for a person
// when its output is to be public.
func (s *Store) FinishRun(ctx context.Context, c app.Claim, end RunEnd, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		if end.RunID != "" {
			// A tool that was given up may still have a paid call open.
			if err := t.loseCallsOfRun(ctx, end.RunID); err != nil {
				return err
			}
			if err := s.q.EndRun(ctx, t, dbsqlc.EndRunParams{State: "succeeded", Output: end.Output, FinishedAt: &now, ID: end.RunID}); err != nil {
				return fmt.Errorf("end run: %w", err)
			}
		}
		if err := t.keepReadings(ctx, end); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: end.Summary})
		if !st.Validates {
			st.Output = end.Output
			return t.completeStep(ctx, st)
		}
		return t.await(ctx, st, end)
	})
}

func (t *opTx) keepReadings(ctx context.Context, end RunEnd) error {
	for _, m := range []struct {
		reading  *app.Metrics
		baseline bool
	}{{end.Baseline, true}, {end.Reading, false}} {
		if m.reading == nil {
			continue
		}
		if err := t.store.q.AddMetrics(ctx, t, dbsqlc.AddMetricsParams{OperationID: t.op.ID, At: m.reading.At, Baseline: m.baseline, Reading: mustJSON(m.reading)}); err != nil {
			return fmt.Errorf("keep metrics: %w", err)
		}
	}
	return nil
}

// await makes the step wait for a person, or has the policy decide.
func (t *opTx) await(ctx context.Context, st app.Step, end RunEnd) error {
	pending, err := t.store.q.PendingOfStep(ctx, t, st.ID)
	if noRows(err) {
		kind := app.KindOfTask(st.Task)
		if kind == "" {
			return t.giveUp(ctx, st, end)
		}
		pending.Kind = kind
		pending.ID, err = t.propose(ctx, st.ID, Proposal{RunID: end.RunID, CallID: "output", Kind: kind,
			Payload: app.OutputPayload{Step: st.Key, Output: end.Output}, Risk: app.Risk{Effect: effectOf(st)}})
	}
	if err != nil {
		return fmt.Errorf("find the proposal: %w", err)
	}
	if err := t.endStep(ctx, st.ID, app.StepWaiting, end.Output, ""); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Waits for a person"})
	v, err := t.validation(ctx, pending.ID)
	if err != nil {
		return err
	}
	if !end.Policy || v.Risk.Tainted || pending.Kind.AlwaysByPerson() || v.Answers() != nil {
		return nil
	}
	return t.approve(ctx, v)
}

// giveUp skips a step whose agent found nothing fit to be proposed, as a
// builder does when no template passes its tests.
func (t *opTx) giveUp(ctx context.Context, st app.Step, end RunEnd) error {
	message := st.Key + " ended without anything to publish."
	if _, err := t.raise(ctx, "nothing_to_publish", st.Key, message+" Its output says why."); err != nil {
		return err
	}
	t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Skipped: nothing was fit to be published"})
	return t.endStep(ctx, st.ID, app.StepSkipped, end.Output, message)
}

func effectOf(st app.Step) string {
	switch st.Task {
	case "scanner.go_nogo":
		return "Lets the takeover go on and requests the buyback, or stops it when the answer is no-go."
	case "scanner.verdict":
		return "Makes the verdict public."
	}
	return "Accepts the output; the steps that wait for it can start."
}

// AwaitPerson makes a claimed system step wait for a person's decision on p.
func (s *Store) AwaitPerson(ctx context.Context, c app.Claim, p Proposal, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		if _, err := t.propose(ctx, st.ID, p); err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Waits for a person"})
		return t.endStep(ctx, st.ID, app.StepWaiting, nil, "")
	})
}
