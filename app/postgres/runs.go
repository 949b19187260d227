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
			row, err = s.q.CreateRun(ctx, t, dbsqlc.CreateRunParams{OperationID: c.OperationID, StepID: &c.StepID, Agent: fresh.Agent,
				Task: fresh.Task, Model: fresh.Model, PromptSha256: fresh.PromptSHA256, System: fresh.System, BudgetNusd: fresh.Budget, StartedAt: now})
		} else if err == nil {
			if err = t.loseCallsOfRun(ctx, row.ID); err == nil {
				row, err = s.q.RunningRunOfStep(ctx, t, &c.StepID) // with what was lost booked
			}
		}
		if err != nil {
			return fmt.Errorf("open run: %w", err)
		}
		run = runOf(row)
		stored, err := s.q.RunItems(ctx, t, run.ID)
		items = itemsOf(stored)
		return err
	})
	return run, items, err
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

func (t *opTx) loseCallsOfRun(ctx context.Context, runID string) error {
	open, err := t.store.q.OpenCalls(ctx, t, runID)
	if err != nil {
		return err
	}
	for _, id := range open {
		if err := t.loseCall(ctx, id, "the process died before the answer was kept"); err != nil {
			return err
		}
	}
	return nil
}

// loseCall books a call whose answer was lost at its bound.
func (t *opTx) loseCall(ctx context.Context, id int64, reason string) error {
	line := app.EventLine{Kind: "model_call", Summary: "An answer was lost; its whole reservation counts as spent"}
	err := t.QueryRow(ctx, `SELECT r.agent, coalesce(s.key, '') FROM llm_calls c JOIN agent_runs r ON r.id = c.run_id
LEFT JOIN operation_steps s ON s.id = r.step_id WHERE c.id = $1`, id).Scan(&line.Agent, &line.Step)
	if err != nil {
		return fmt.Errorf("read lost call: %w", err)
	}
	return t.settle(ctx, id, app.CallOutcome{State: "unknown", Cost: -1, Source: app.CostBound, Error: reason}, line)
}

// ReserveCall admits one paid call: its worst cost is reserved against the
// run's budget and the operation's cap, the output limit lowered to what is
// left. A *app.BudgetError says that not even a minimal answer fits.
func (s *Store) ReserveCall(ctx context.Context, c app.Claim, req app.CallRequest, now time.Time) (grant app.CallGrant, err error) {
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		if _, err := t.claimed(ctx, c); err != nil {
			return err
		}
		if t.op.State.Final() {
			return ErrLost
		}
		money, err := s.q.RunMoney(ctx, t, req.RunID)
		if err != nil {
			return fmt.Errorf("read run's money: %w", err)
		}
		grant.OutputLimit, grant.Reserved, err = admit(req, money.BudgetNusd-money.SpentNusd-money.ReservedNusd, t.left())
		if err != nil {
			return err
		}
		grant.ID, err = s.q.ReserveCall(ctx, t, dbsqlc.ReserveCallParams{OperationID: t.op.ID, RunID: req.RunID, Turn: req.Turn, Kind: req.Kind,
			Model: req.Model, RequestSha256: req.RequestSHA256, ReservedNusd: grant.Reserved, CreatedAt: now})
		if err != nil {
			return fmt.Errorf("reserve call: %w", err)
		}
		t.op.Reserved += grant.Reserved
		return s.q.SetRunMoney(ctx, t, dbsqlc.SetRunMoneyParams{SpentNusd: money.SpentNusd, ReservedNusd: money.ReservedNusd + grant.Reserved,
			OverrunNusd: money.OverrunNusd, ID: req.RunID})
	})
	return grant, err
}

// left is what may still be planned. An overrun is no allowance: what a
// provider charged too much is missing from what comes after.
func (t *opTx) left() app.Nano { return t.op.Cap - t.op.Spent - t.op.Reserved }

// admit decides how much of a call fits under both walls.
func admit(req app.CallRequest, runLeft, opLeft app.Nano) (output int64, reserve app.Nano, err error) {
	wall, left := "run", runLeft
	if opLeft < runLeft {
		wall, left = "operation", opLeft
	}
	if req.Fixed > 0 {
		if req.Fixed > left {
			return 0, 0, &app.BudgetError{Wall: wall}
		}
		return 0, req.Fixed, nil
	}
	output = min(req.WantOutput, req.Price.OutputFor(req.RequestBytes, left))
	reserve = req.Price.Bound(req.RequestBytes, output)
	if output < req.MinOutput || reserve > left {
		return 0, 0, &app.BudgetError{Wall: wall}
	}
	return output, reserve, nil
}

// SettleCall replaces a reservation by the true cost and stores what the answer
// added to the run, with its log line, in one commit.
func (s *Store) SettleCall(ctx context.Context, c app.Claim, runID string, turn int, callID int64, out app.CallOutcome, items []json.RawMessage, line app.EventLine, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		// The cost is booked whoever holds the step now; the answer is kept only
		// under the claim.
		if err := t.settle(ctx, callID, out, line); err != nil {
			return err
		}
		if _, err := t.claimed(ctx, c); err != nil {
			if err == ErrLost {
				return nil // commit the cost; the caller finds out at its next step
			}
			return err
		}
		for _, item := range items {
			if err := t.addItem(ctx, runID, turn, "", item); err != nil {
				return err
			}
		}
		if len(items) == 0 {
			return nil
		}
		return s.q.SetRunTurn(ctx, t, dbsqlc.SetRunTurnParams{Turn: turn, ID: runID})
	})
}

// settle books the outcome of a call. A cost of -1 means its reservation.
func (t *opTx) settle(ctx context.Context, id int64, out app.CallOutcome, line app.EventLine) error {
	q := t.store.q
	var usage json.RawMessage
	if out.Usage != nil {
		usage = mustJSON(out.Usage)
	}
	cost := out.Cost
	if cost < 0 {
		if err := t.QueryRow(ctx, `SELECT reserved_nusd FROM llm_calls WHERE id = $1`, id).Scan(&cost); err != nil {
			return fmt.Errorf("read reservation: %w", err)
		}
	}
	row, err := q.SettleCall(ctx, t, dbsqlc.SettleCallParams{State: out.State, CostNusd: &cost, CostSource: string(out.Source), Usage: usage,
		LatencyMs: out.LatencyMS, Error: plain(out.Error), SettledAt: &t.now, ID: id})
	if noRows(err) {
		return nil // already booked, by whoever found it lost
	}
	if err != nil {
		return fmt.Errorf("settle call: %w", err)
	}
	line.Cost, line.CostSource, line.Model = cost, string(out.Source), row.Model
	if out.Usage != nil {
		line.TokensIn, line.TokensOut = out.Usage.PromptTokens, out.Usage.BillableOutput()
	}
	t.add(line)
	if err := t.bookRun(ctx, row.RunID, row.ReservedNusd, cost); err != nil {
		return err
	}
	return t.book(ctx, row.ReservedNusd, cost)
}

// book replaces a reservation of the operation by a cost. What a provider
// charged beyond it can't be refused any more: it is counted and alerted.
func (t *opTx) book(ctx context.Context, reserved, cost app.Nano) error {
	t.op.Reserved -= reserved
	t.op.Spent += cost
	if over := t.op.Spent + t.op.Reserved - t.op.Cap - t.overrun; over > 0 {
		t.overrun += over
		if _, err := t.raise(ctx, "overrun", "operation", "A provider charged "+over.String()+" more than the most it should have. The cap is passed by that much."); err != nil {
			return err
		}
	}
	return t.warnBudget(ctx)
}

func (t *opTx) bookRun(ctx context.Context, runID string, reserved, cost app.Nano) error {
	m, err := t.store.q.RunMoney(ctx, t, runID)
	if err != nil {
		return fmt.Errorf("read run's money: %w", err)
	}
	spent, held := m.SpentNusd+cost, m.ReservedNusd-reserved
	over := max(spent+held-m.BudgetNusd, m.OverrunNusd)
	return t.store.q.SetRunMoney(ctx, t, dbsqlc.SetRunMoneyParams{SpentNusd: spent, ReservedNusd: held, OverrunNusd: max(over, 0), ID: runID})
}

// warnBudget raises the alert at the warning share of the cap, once.
func (t *opTx) warnBudget(ctx context.Context) error {
	settings, err := t.store.settings(ctx, t)
	if err != nil {
		return err
	}
	if t.op.Cap == 0 || t.op.Spent*100 < t.op.Cap*app.Nano(settings.BudgetWarning) {
		return nil
	}
	_, err = t.raise(ctx, "budget_warning", "operation", fmt.Sprintf("%d %% of the cap is spent: %s of %s.", settings.BudgetWarning, t.op.Spent, t.op.Cap))
	return err
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
			if err := s.q.TaintRun(ctx, t, dbsqlc.TaintRunParams{Source: a.Source, ID: a.RunID}); err != nil {
				return fmt.Errorf("taint run: %w", err)
			}
		}
		t.add(a.Line)
		return t.addItem(ctx, a.RunID, a.Turn, a.CallID, a.Item)
	})
}

// FailRun ends a run that did not reach its output. The step is tried again
// after the next wait, or fails with an alert when there is none left or when
// trying again can't help.
func (s *Store) FailRun(ctx context.Context, c app.Claim, runID string, cause error, final bool, waits []time.Duration, now time.Time) error {
	return s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		st, err := t.claimed(ctx, c)
		if err != nil {
			return err
		}
		message := plain(cause.Error())
		if runID != "" {
			if err := t.loseCallsOfRun(ctx, runID); err != nil {
				return err
			}
			if err := s.q.EndRun(ctx, t, dbsqlc.EndRunParams{State: "failed", Error: message, FinishedAt: &now, ID: runID}); err != nil {
				return fmt.Errorf("end run: %w", err)
			}
		}
		if err := s.q.VoidPendingOfStep(ctx, t, st.ID); err != nil {
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
		return t.endStep(ctx, st.ID, app.StepFailed, nil, message)
	})
}

func (t *opTx) alertFailure(ctx context.Context, st app.Step, cause error) error {
	var budget *app.BudgetError
	if errors.As(cause, &budget) {
		_, err := t.raise(ctx, "budget_exceeded", "operation", st.Key+" stopped: "+cause.Error()+". Raise the cap or skip the step.")
		return err
	}
	_, err := t.raise(ctx, "step_failed", st.Key+"#"+strconv.Itoa(st.Rejections)+"/"+t.now.Format(time.RFC3339), st.Key+" failed: "+cause.Error()+" Retry it, skip it or stop the operation.")
	return err
}

// Run returns a run's whole trace.
func (s *Store) Run(ctx context.Context, id string) (app.RunTrace, error) {
	row, err := s.q.Run(ctx, s.pool, id)
	if err != nil {
		return app.RunTrace{}, notFound(err, "run")
	}
	trace := traceOf(row.AgentRun, row.StepKey, row.Slug)
	items, err := s.q.RunItems(ctx, s.pool, id)
	if err != nil {
		return trace, fmt.Errorf("read run: %w", err)
	}
	for _, i := range items {
		var role struct {
			Role string `json:"role"`
		}
		if err := json.Unmarshal(i.Item, &role); err != nil {
			return trace, fmt.Errorf("read item %d: %w", i.Seq, err)
		}
		trace.Items = append(trace.Items, app.TraceItem{Seq: i.Seq, Turn: i.Turn, Role: role.Role, Content: i.Item, At: i.CreatedAt.UTC()})
	}
	calls, err := s.q.CallsOfRun(ctx, s.pool, id)
	if err != nil {
		return trace, fmt.Errorf("read calls: %w", err)
	}
	for _, c := range calls {
		call := app.TraceCall{Turn: c.Turn, State: c.State, Model: c.Model, Reserved: c.ReservedNusd, Source: c.CostSource, Usage: c.Usage, LatencyMS: c.LatencyMs, Error: c.Error}
		if c.CostNusd != nil {
			call.Cost = *c.CostNusd
		}
		trace.Calls = append(trace.Calls, call)
	}
	return trace, nil
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
		StepKey: stepKey, OperationSlug: slug, Turns: r.Turns, Tainted: r.Tainted, Budget: r.BudgetNusd, Spent: r.SpentNusd,
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
