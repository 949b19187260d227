package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// OpenRun returns the step's running run with its transcript, or a new one.
// Calls of an earlier worker that were never settled are booked at their bound.
func (s *Store) OpenRun(ctx context.Context, c app.Claim, fresh app.Run, now time.Time) (run app.Run, items []app.RunItem, err error) {
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		row, err := s.q.RunningRunOfStep(ctx, t, &c.StepID)
		if noRows(err) {
			row, err = s.q.CreateRun(ctx, t, dbsqlc.CreateRunParams{OperationID: c.OperationID, StepID: &c.StepID, Agent: fresh.Agent, Fence: c.Fence,
				Task: fresh.Task, Model: fresh.Model, PromptSha256: fresh.PromptSHA256, System: fresh.System, BudgetNusd: fresh.Budget, StartedAt: now,
				Tainted: fresh.Tainted, Sources: append([]string{}, fresh.Sources...)})
		} else if err == nil {
			row, err = t.takeUp(ctx, c, row.ID)
		}
		if err != nil {
			return fmt.Errorf("open run: %w", err)
		}
		if err := t.share(ctx, row.Agent); err != nil {
			return err
		}
		run = runOf(row)
		if err := t.recall(ctx, &run); err != nil {
			return err
		}
		stored, err := s.q.RunItems(ctx, t, run.ID)
		items = itemsOf(stored)
		return err
	})
	return run, items, err
}

// takeUp books what a run's earlier worker lost and returns the run with it,
// under the claim that it goes on under.
func (t *opTx) takeUp(ctx context.Context, c app.Claim, runID string) (dbsqlc.AgentRun, error) {
	if err := t.loseCallsOfRun(ctx, runID); err != nil {
		return dbsqlc.AgentRun{}, err
	}
	if err := t.store.q.HoldRunOfStep(ctx, t, dbsqlc.HoldRunOfStepParams{Fence: c.Fence, StepID: &c.StepID}); err != nil {
		return dbsqlc.AgentRun{}, err
	}
	return t.store.q.RunningRunOfStep(ctx, t, &c.StepID)
}

// recall notes what a run has asked so far.
func (t *opTx) recall(ctx context.Context, run *app.Run) (err error) {
	if run.Failures, err = t.store.q.FailuresOfRun(ctx, t, run.ID); err != nil {
		return fmt.Errorf("count failed calls: %w", err)
	}
	newest, err := t.store.q.NewestModelCall(ctx, t, run.ID)
	if noRows(err) {
		return nil
	}
	if err == nil {
		run.Asked, err = storedCall(newest)
	}
	if err != nil {
		return fmt.Errorf("read newest call: %w", err)
	}
	return nil
}

func runOf(r dbsqlc.AgentRun) app.Run {
	run := app.Run{ID: r.ID, OperationID: r.OperationID, Agent: r.Agent, Task: r.Task, Model: r.Model, PromptSHA256: r.PromptSha256,
		System: r.System, Turns: r.Turns, Tainted: r.Tainted, Sources: r.Sources, Budget: r.BudgetNusd, Spent: r.SpentNusd}
	if r.StepID != nil {
		run.StepID = *r.StepID
	}
	return run
}

func itemsOf(rows []dbsqlc.RunItem) []app.RunItem {
	out := make([]app.RunItem, len(rows))
	for i, r := range rows {
		out[i] = app.RunItem{Seq: r.Seq, Turn: r.Turn, Item: r.Item, At: r.CreatedAt.UTC()}
		if r.CallID != nil {
			out[i].CallID = *r.CallID
		}
	}
	return out
}

func (t *opTx) addItem(ctx context.Context, runID string, turn int, callID string, item json.RawMessage) error {
	p := dbsqlc.AddRunItemParams{RunID: runID, Turn: turn, Item: item, CreatedAt: t.now}
	if callID != "" {
		p.CallID = &callID
	}
	if err := t.store.q.AddRunItem(ctx, t, p); err != nil {
		return fmt.Errorf("keep item: %w", err)
	}
	return nil
}

// AddItem stores one entry that is not an answer: a reminder, a list of faults.
func (s *Store) AddItem(ctx context.Context, c app.Claim, runID string, turn int, item json.RawMessage, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		return t.addItem(ctx, runID, turn, "", item)
	})
}

// BeginTranscript stores what a run is told first. sources are those of what
// others wrote in it: with any, the run is tainted from the start.
func (s *Store) BeginTranscript(ctx context.Context, c app.Claim, runID string, item json.RawMessage, sources []string, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		for _, source := range sources {
			if err := t.taint(ctx, runID, source); err != nil {
				return err
			}
		}
		return t.addItem(ctx, runID, 0, "", item)
	})
}

func (t *opTx) taint(ctx context.Context, runID, source string) error {
	if err := t.store.q.TaintRun(ctx, t, dbsqlc.TaintRunParams{Source: source, ID: runID}); err != nil {
		return fmt.Errorf("taint run: %w", err)
	}
	return nil
}

// Answer is the result of one tool call.
type Answer struct {
	RunID   string
	Turn    int
	CallID  string
	Item    json.RawMessage
	Tainted bool
	Source  string
	Line    app.EventLine
}

// AnswerCall stores a tool's result with its log line.
func (s *Store) AnswerCall(ctx context.Context, c app.Claim, a Answer, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		if a.Tainted {
			if err := t.taint(ctx, a.RunID, a.Source); err != nil {
				return err
			}
		}
		t.add(a.Line)
		return t.addItem(ctx, a.RunID, a.Turn, a.CallID, a.Item)
	})
}

// AddLine puts a line in the log that nothing else is stored with.
func (s *Store) AddLine(ctx context.Context, c app.Claim, line app.EventLine, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		t.add(line)
		return nil
	})
}

// FailRun ends the running run of a step, which did not reach its output. The step is tried again
// after the next wait, or fails with an alert when there is none left or when
// trying again can't help.
func (s *Store) FailRun(ctx context.Context, c app.Claim, runID string, cause error, final bool, waits []time.Duration, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		message := plain(cause.Error())
		if err := t.endRun(ctx, st, runID, message); err != nil {
			return err
		}
		if err := s.q.VoidOpenOfStep(ctx, t, dbsqlc.VoidOpenOfStepParams{Reason: "the run that wrote it failed", StepID: st.ID}); err != nil {
			return fmt.Errorf("void drafts: %w", err)
		}
		if !final && st.Attempt <= len(waits) {
			wait := waits[st.Attempt-1]
			again := now.Add(wait)
			t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Failed, to be tried again in " + wait.String()})
			return s.q.RetryStep(ctx, t, dbsqlc.RetryStepParams{Error: message, NotBefore: &again, Rejections: st.Rejections, Attempt: st.Attempt, Input: json.RawMessage("{}"), ID: st.ID})
		}
		t.add(app.EventLine{Kind: "step", Agent: st.Agent, Step: st.Key, Summary: "Failed"})
		if err := t.alertFailure(ctx, st, cause); err != nil {
			return err
		}
		if err := t.unread(ctx, st); err != nil {
			return err
		}
		return t.endStep(ctx, st.ID, app.StepFailed, nil, message)
	})
}

// endRun ends a run that has failed, for an empty id the running one of its
// step: a worker may fail before it knows that there is one.
func (t *opTx) endRun(ctx context.Context, st app.Step, runID, message string) error {
	if runID == "" {
		row, err := t.store.q.RunningRunOfStep(ctx, t, &st.ID)
		if noRows(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find run: %w", err)
		}
		runID = row.ID
	}
	if err := t.loseCallsOfRun(ctx, runID); err != nil {
		return err
	}
	if err := t.store.q.EndRun(ctx, t, dbsqlc.EndRunParams{State: "failed", Error: message, FinishedAt: &t.now, ID: runID}); err != nil {
		return fmt.Errorf("end run: %w", err)
	}
	return nil
}

func (t *opTx) alertFailure(ctx context.Context, st app.Step, cause error) error {
	var budget *app.BudgetError
	if errors.As(cause, &budget) && budget.Wall != wallRun {
		_, err := t.raise(ctx, "budget_exceeded", wallSubject(budget.Wall, st.Agent), exceeded(budget.Wall, st.Agent))
		return err
	}
	_, err := t.raise(ctx, "step_failed", st.Key+"#"+strconv.Itoa(st.Rejections)+"/"+t.now.Format(time.RFC3339), st.Key+" failed: "+cause.Error()+" Retry it, skip it or stop the operation.")
	return err
}

// RunsOfStep returns the runs of a step without their transcripts, oldest first.
func (s *Store) RunsOfStep(ctx context.Context, stepID int64) ([]app.RunTrace, error) {
	rows, err := s.q.RunsOfStep(ctx, s.pool, &stepID)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	out := make([]app.RunTrace, len(rows))
	for i, r := range rows {
		out[i] = traceOf(r.AgentRun, r.StepKey, r.Slug)
	}
	return out, nil
}

func traceOf(r dbsqlc.AgentRun, stepKey, slug string) app.RunTrace {
	return app.RunTrace{ID: r.ID, Agent: r.Agent, Task: r.Task, Model: r.Model, State: r.State, Error: r.Error, PromptSHA256: r.PromptSha256,
		System: r.System, StepKey: stepKey, OperationID: r.OperationID, OperationSlug: slug, Turns: r.Turns, Tainted: r.Tainted, Budget: r.BudgetNusd, Spent: r.SpentNusd,
		Reserved: r.ReservedNusd, StartedAt: r.StartedAt.UTC(), FinishedAt: r.FinishedAt}
}

// RunBegun tells whether a step has a run that is not over.
func (s *Store) RunBegun(ctx context.Context, stepID int64) (bool, error) {
	_, err := s.q.RunningRunOfStep(ctx, s.pool, &stepID)
	if noRows(err) {
		return false, nil
	}
	return err == nil, err
}
