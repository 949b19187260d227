package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// AddContinuousStep adds a step to a running operation, once for each key, and
// tells whether it is new.
func (s *Store) AddContinuousStep(ctx context.Context, step app.ContinuousStep, now time.Time) (created bool, err error) {
	err = s.inOperation(ctx, step.OperationID, now, func(t *opTx) error {
		if t.op.State.Final() {
			return app.Errorf(app.Conflict, "This operation is %s: nothing more is started.", t.op.State)
		}
		id, err := t.addContinuous(ctx, step)
		if created = id != 0; err == nil && !created {
			return errNothing
		}
		return err
	})
	if errors.Is(err, errNothing) {
		return false, nil
	}
	return created, err
}

// addContinuous returns the new step's number, 0 when there is one of that key.
func (t *opTx) addContinuous(ctx context.Context, step app.ContinuousStep) (int64, error) {
	input := json.RawMessage("{}")
	if step.Input != nil {
		var err error
		if input, err = json.Marshal(step.Input); err != nil {
			return 0, fmt.Errorf("encode input of %s: %w", step.Key, err)
		}
	}
	id, err := t.store.q.AddContinuousStep(ctx, t, dbsqlc.AddContinuousStepParams{OperationID: t.op.ID, Key: step.Key, Task: step.Task, Agent: step.Agent,
		DueAt: step.Due, Validates: step.Validates, Input: input})
	if noRows(err) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("add step %s: %w", step.Key, err)
	}
	return id, nil
}

// ContinuousSteps returns the newest steps beside an operation's calendar, what
// is open or has failed before the rest.
func (s *Store) ContinuousSteps(ctx context.Context, operationID int64, most int) ([]app.Step, error) {
	rows, err := s.q.ContinuousSteps(ctx, s.pool, dbsqlc.ContinuousStepsParams{OperationID: operationID, Most: int32(most)})
	if err != nil {
		return nil, fmt.Errorf("read continuous steps: %w", err)
	}
	return stepsOf(rows), nil
}

// StepsBeside returns the same steps as pages show them, and what all have cost.
func (s *Store) StepsBeside(ctx context.Context, operationID int64, most int) (b app.StepsBeside, err error) {
	sum, err := s.q.SumBeside(ctx, s.pool, operationID)
	if err != nil {
		return b, fmt.Errorf("sum steps beside the calendar: %w", err)
	}
	b.Count, b.Ended, b.Cost = int(sum.Count), int(sum.Ended), app.Nano(sum.Cost)
	if b.Count == 0 {
		return b, nil
	}
	rows, err := s.q.StepsBeside(ctx, s.pool, dbsqlc.StepsBesideParams{OperationID: operationID, Most: int32(most)})
	if err != nil {
		return b, fmt.Errorf("read steps beside the calendar: %w", err)
	}
	for _, r := range rows {
		step := stepOf(r.OperationStep)
		step.Cost = app.Nano(r.Cost)
		b.Steps = append(b.Steps, app.BesideStep{Step: step, Mentions: int(r.Mentions), To: r.Answers})
	}
	return b, nil
}
