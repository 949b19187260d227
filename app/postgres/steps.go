package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/app/postgres/dbsqlc"
)

func stepOf(r dbsqlc.OperationStep) app.Step {
	return app.Step{ID: r.ID, OperationID: r.OperationID, Key: r.Key, Task: r.Task, Agent: r.Agent, DueAt: r.DueAt.UTC(),
		DependsOn: r.DependsOn, After: r.After, Validates: r.Validates, Recurring: r.Recurring, Continuous: r.Continuous, State: r.State,
		Attempt: r.Attempt, Rejections: r.Rejections, NotBefore: r.NotBefore, Input: r.Input, Output: r.Output,
		Error: r.Error, StartedAt: r.StartedAt, FinishedAt: r.FinishedAt, LeaseUntil: r.LeaseUntil, Fence: r.Fence}
}

func stepsOf(rows []dbsqlc.OperationStep) []app.Step {
	out := make([]app.Step, len(rows))
	for i, r := range rows {
		out[i] = stepOf(r)
	}
	return out
}

// Steps returns the calendar of an operation by due time, each with its cost.
func (s *Store) Steps(ctx context.Context, operationID int64) ([]app.Step, error) {
	rows, err := s.q.Steps(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	costs, err := s.q.StepCosts(ctx, s.pool, operationID)
	if err != nil {
		return nil, fmt.Errorf("sum steps: %w", err)
	}
	byKey := make(map[string]app.Nano, len(costs))
	for _, c := range costs {
		byKey[c.StepKey] = app.Nano(c.Cost)
	}
	steps := stepsOf(rows)
	for i := range steps {
		steps[i].Cost = byKey[steps[i].Key]
	}
	return steps, nil
}

// Step returns one step.
func (s *Store) Step(ctx context.Context, id int64) (app.Step, error) {
	row, err := s.q.Step(ctx, s.pool, id)
	if err != nil {
		return app.Step{}, notFound(err, "step")
	}
	return stepOf(row), nil
}

// OperationsWithDueSteps returns the running operations that have a pending
// step whose time has come.
func (s *Store) OperationsWithDueSteps(ctx context.Context, now time.Time) ([]int64, error) {
	ids, err := s.q.OperationsWithDueSteps(ctx, s.pool, now)
	if err != nil {
		return nil, fmt.Errorf("list due steps: %w", err)
	}
	return ids, nil
}

// AdvanceSteps applies the plan of one operation at now: it skips what can't
// or need not happen and starts what may, each with a lease until lease (wall
// clock) and a job. It returns how many steps changed.
func (s *Store) AdvanceSteps(ctx context.Context, operationID int64, now, lease time.Time) (changed int, err error) {
	err = s.inOperation(ctx, operationID, now, func(t *opTx) error {
		if t.op.State != app.OperationRunning {
			return errNothing
		}
		rows, err := s.q.Steps(ctx, t, operationID)
		if err != nil {
			return fmt.Errorf("read steps: %w", err)
		}
		beside, err := s.q.PendingContinuousSteps(ctx, t, operationID)
		if err != nil {
			return fmt.Errorf("read continuous steps: %w", err)
		}
		moves := calendar.Plan(stepsOf(append(rows, beside...)), now)
		for _, m := range moves {
			if err := t.move(ctx, m, lease); err != nil {
				return err
			}
		}
		if changed = len(moves); changed == 0 {
			return errNothing
		}
		return nil
	})
	if errors.Is(err, errNothing) {
		return 0, nil
	}
	return changed, err
}

// errNothing ends a transaction that changed nothing without a trace: steps that
// wait for a person are looked at every minute, and nobody needs to hear of it.
var errNothing = errors.New("nothing to do")

func (t *opTx) move(ctx context.Context, m calendar.Move, lease time.Time) error {
	if m.To == app.StepSkipped {
		t.add(app.EventLine{Kind: "step", Agent: m.Step.Agent, Step: m.Step.Key, Summary: "Skipped: " + m.Reason})
		return t.endStep(ctx, m.Step.ID, app.StepSkipped, nil, m.Reason)
	}
	fence, err := t.store.q.StartStep(ctx, t, dbsqlc.StartStepParams{LeaseUntil: &lease, Now: &t.now, ID: m.Step.ID})
	if err != nil {
		return fmt.Errorf("start step %s: %w", m.Step.Key, err)
	}
	t.add(app.EventLine{Kind: "step", Agent: m.Step.Agent, Step: m.Step.Key, Summary: "Started"})
	return t.enqueue(ctx, app.Job{Kind: app.JobStep, ID: m.Step.ID, Fence: fence})
}

func (t *opTx) enqueue(ctx context.Context, job app.Job) error {
	if t.store.Enqueue == nil {
		return nil
	}
	if err := t.store.Enqueue(ctx, t.Tx, job); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	return nil
}

func (t *opTx) endStep(ctx context.Context, id int64, state app.StepState, output json.RawMessage, message string) error {
	err := t.store.q.EndStep(ctx, t, dbsqlc.EndStepParams{State: state, Output: output, Error: plain(message), FinishedAt: &t.now, ID: id})
	if err != nil {
		return fmt.Errorf("end step: %w", err)
	}
	return nil
}

// TakeOverExpired gives every running step whose lease has run out (wall
// clock) a new fence, lease and job: its worker is dead or too slow to trust.
func (s *Store) TakeOverExpired(ctx context.Context, now, wall, lease time.Time) error {
	rows, err := s.q.ExpiredSteps(ctx, s.pool, &wall)
	if err != nil {
		return fmt.Errorf("list expired steps: %w", err)
	}
	for _, r := range rows {
		err := s.inOperation(ctx, r.OperationID, now, func(t *opTx) error {
			fence, err := s.q.TakeOverStep(ctx, t, dbsqlc.TakeOverStepParams{LeaseUntil: &lease, ID: r.ID, Wall: &wall})
			if noRows(err) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("take over step: %w", err)
			}
			if err := s.q.HoldRunOfStep(ctx, t, dbsqlc.HoldRunOfStepParams{Fence: fence, StepID: &r.ID}); err != nil {
				return fmt.Errorf("take over run: %w", err)
			}
			return t.enqueue(ctx, app.Job{Kind: app.JobStep, ID: r.ID, Fence: fence})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrLost says that another worker has taken the work over: stop, write nothing.
var ErrLost = app.Errorf(app.Conflict, "Another worker has taken this over.")

// claimed returns the step if the claim still holds.
func (t *opTx) claimed(ctx context.Context, c app.Claim) (app.Step, error) {
	row, err := t.store.q.ClaimedStep(ctx, t, dbsqlc.ClaimedStepParams{ID: c.StepID, Fence: c.Fence})
	if noRows(err) {
		return app.Step{}, ErrLost
	}
	if err != nil {
		return app.Step{}, fmt.Errorf("check claim: %w", err)
	}
	return stepOf(row), nil
}

// RenewLease keeps a claim alive until lease (wall clock), ErrLost if it no longer holds.
func (s *Store) RenewLease(ctx context.Context, c app.Claim, lease time.Time) error {
	n, err := s.q.RenewStepLease(ctx, s.pool, dbsqlc.RenewStepLeaseParams{LeaseUntil: &lease, ID: c.StepID, Fence: c.Fence})
	if err != nil {
		return fmt.Errorf("renew lease: %w", err)
	}
	if n == 0 {
		return ErrLost
	}
	return nil
}

// ClaimedStep returns the step of a claim, ErrLost if it no longer holds.
func (s *Store) ClaimedStep(ctx context.Context, c app.Claim) (app.Step, error) {
	row, err := s.q.ClaimedStep(ctx, s.pool, dbsqlc.ClaimedStepParams{ID: c.StepID, Fence: c.Fence})
	if noRows(err) {
		return app.Step{}, ErrLost
	}
	if err != nil {
		return app.Step{}, fmt.Errorf("read claimed step: %w", err)
	}
	return stepOf(row), nil
}

// SetInput adds to what a claimed step is given.
func (s *Store) SetInput(ctx context.Context, c app.Claim, input json.RawMessage, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		return s.q.SetStepInput(ctx, t, dbsqlc.SetStepInputParams{Input: input, ID: c.StepID})
	})
}

// FinishStep ends a claimed step that needs no validation.
func (s *Store) FinishStep(ctx context.Context, c app.Claim, output json.RawMessage, summary string, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: summary})
		return t.endStep(ctx, st.ID, app.StepDone, output, "")
	})
}

// RequestBuyback records the request to start the buyback with the whole
// envelope, and ends its step.
func (s *Store) RequestBuyback(ctx context.Context, c app.Claim, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		if err := s.q.RequestBuyback(ctx, t, dbsqlc.RequestBuybackParams{OperationID: t.op.ID, AmountNusd: t.op.Envelope, RequestedAt: now}); err != nil {
			return fmt.Errorf("request buyback: %w", err)
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Requested the buyback of " + t.op.Envelope.String()})
		return t.endStep(ctx, st.ID, app.StepDone, mustJSON(map[string]any{"amount_nusd": t.op.Envelope}), "")
	})
}

// BuybackRequested tells whether the buyback of an operation was requested.
func (s *Store) BuybackRequested(ctx context.Context, operationID int64) (bool, error) {
	return s.q.BuybackRequested(ctx, s.pool, operationID)
}

// mustJSON encodes what can't fail to encode.
func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// DoneOutput returns the output of a step that is done, app.NotFound otherwise.
func (s *Store) DoneOutput(ctx context.Context, operationID int64, key string) (json.RawMessage, error) {
	row, err := s.q.StepByKey(ctx, s.pool, dbsqlc.StepByKeyParams{OperationID: operationID, Key: key})
	if err != nil {
		return nil, notFound(err, "step")
	}
	if row.State != app.StepDone {
		return nil, app.Errorf(app.NotFound, "%s is not done.", key)
	}
	return row.Output, nil
}

// StepInput returns what a step was given.
func (s *Store) StepInput(ctx context.Context, operationID int64, key string) (json.RawMessage, error) {
	row, err := s.q.StepByKey(ctx, s.pool, dbsqlc.StepByKeyParams{OperationID: operationID, Key: key})
	if err != nil {
		return nil, notFound(err, "step")
	}
	return row.Input, nil
}
