package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
)

// ErrBooked is ErrLost of a worker whose cost was booked nevertheless.
var ErrBooked = fmt.Errorf("%w What was asked is paid.", ErrLost)

// SettleCall replaces a reservation by the true cost and stores what the answer
// added to the run, with its log line, in one commit. The cost is booked whoever
// holds the step now: a worker that does not is told so by ErrBooked, or by
// ErrLost when another one has booked the call already.
func (s *Store) SettleCall(ctx context.Context, c app.Claim, runID string, turn int, callID int64, out app.CallOutcome, items []json.RawMessage, line app.EventLine, now time.Time) error {
	settings, err := s.Settings(ctx) // before the operation is locked: others wait for it
	if err != nil {
		return err
	}
	var lost error
	err = s.inOperation(ctx, c.OperationID, now, func(t *opTx) error {
		t.known = &settings
		booked, err := t.settle(ctx, callID, out, line)
		if err != nil {
			return err
		}
		if !booked {
			lost = ErrLost
			return nil
		}
		_, err = t.claimed(ctx, c)
		switch {
		case err == ErrLost:
			lost = ErrBooked // and what was booked is committed
			return t.leave(ctx, runID, turn, items)
		case err != nil:
			return err
		}
		return t.answered(ctx, runID, turn, items)
	})
	if err == nil {
		err = lost
	}
	return err
}

// leave keeps an answer for whoever goes on with the run. Nobody has read its
// transcript since the call was admitted: that would have booked the call.
func (t *opTx) leave(ctx context.Context, runID string, turn int, items []json.RawMessage) error {
	awaited, err := t.store.q.AwaitsTurn(ctx, t, dbsqlc.AwaitsTurnParams{ID: runID, Turn: turn})
	if err != nil {
		return fmt.Errorf("look at the run: %w", err)
	}
	if !awaited {
		return nil
	}
	return t.answered(ctx, runID, turn, items)
}

// answered stores what an answer has added to a run.
func (t *opTx) answered(ctx context.Context, runID string, turn int, items []json.RawMessage) error {
	if len(items) == 0 {
		return nil
	}
	for _, item := range items {
		if err := t.addItem(ctx, runID, turn, "", item); err != nil {
			return err
		}
	}
	return t.store.q.SetRunTurn(ctx, t, dbsqlc.SetRunTurnParams{Turn: turn, ID: runID})
}

// settle books the outcome of a call, unless another worker did. A cost of -1
// means its reservation.
func (t *opTx) settle(ctx context.Context, id int64, out app.CallOutcome, line app.EventLine) (booked bool, err error) {
	p := dbsqlc.SettleCallParams{ID: id, OperationID: t.op.ID, State: out.State, CostSource: string(out.Source), LatencyMs: out.LatencyMS,
		Error: plain(out.Error), Lost: out.Lost, SettledAt: &t.now}
	if out.Cost >= 0 {
		cost := int64(out.Cost)
		p.Cost = &cost
	}
	if out.Usage != nil {
		p.Usage = mustJSON(out.Usage)
	}
	if out.Answer != nil {
		text := plain(string(out.Answer))
		sum := app.SHA256Hex([]byte(text))
		p.Answer, p.AnswerSha256 = &text, &sum
	}
	row, err := t.store.q.SettleCall(ctx, t, p)
	if noRows(err) {
		return false, nil // whoever found it lost has
	}
	if err != nil {
		return false, fmt.Errorf("settle call: %w", err)
	}
	line.Cost, line.CostSource, line.Model = app.Nano(row.Cost), string(out.Source), row.Model
	if out.Usage != nil {
		line.TokensIn, line.TokensOut = out.Usage.PromptTokens, out.Usage.BillableOutput()
	}
	t.add(line)
	if row.Agent == "" { // a program that knew no shares has asked: it held nothing back of one
		err = t.spendShare(ctx, row.RunAgent, app.Nano(row.Cost))
	} else {
		err = t.warn(ctx, wallSubject(wallAgent, row.Agent), row.Agent+"'s share of the cap", app.Nano(row.SpentNusd), app.Nano(row.ShareNusd))
	}
	if err != nil {
		return false, err
	}
	return true, t.book(ctx, app.Nano(row.Held), app.Nano(row.Cost))
}

func (t *opTx) loseCallsOfRun(ctx context.Context, runID string) error {
	open, err := t.store.q.OpenCalls(ctx, t, runID)
	if err != nil {
		return fmt.Errorf("list open calls: %w", err)
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
	row, err := t.store.q.LostCall(ctx, t, id)
	if err != nil {
		return fmt.Errorf("read lost call: %w", err)
	}
	line.Agent, line.Step = row.Agent, row.StepKey
	_, err = t.settle(ctx, id, app.CallOutcome{State: "unknown", Cost: -1, Source: app.CostBound, Error: reason, Lost: true}, line)
	return err
}

// left is what may still be planned of the operation's money.
func (t *opTx) left() app.Nano { return t.op.Cap - t.op.Spent - t.op.Reserved }

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
	return t.warn(ctx, wallOperation, "the cap", t.op.Spent, t.op.Cap)
}

// share makes an agent's wall what its setting says.
func (t *opTx) share(ctx context.Context, agent string) error {
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	err = t.store.q.SetShare(ctx, t, dbsqlc.SetShareParams{OperationID: t.op.ID, Agent: agent, ShareNusd: settings.Share(agent, t.op.Cap)})
	if err != nil {
		return fmt.Errorf("set share: %w", err)
	}
	return nil
}

// spendShare counts a publication as its agent's spending.
func (t *opTx) spendShare(ctx context.Context, agent string, cost app.Nano) error {
	if cost == 0 {
		return nil
	}
	if err := t.share(ctx, agent); err != nil {
		return err
	}
	row, err := t.store.q.SpendShare(ctx, t, dbsqlc.SpendShareParams{Cost: int64(cost), OperationID: t.op.ID, Agent: agent})
	if err != nil {
		return fmt.Errorf("book share: %w", err)
	}
	return t.warn(ctx, wallSubject(wallAgent, agent), agent+"'s share of the cap", row.SpentNusd, row.ShareNusd)
}

// warn raises the alert at the warning share of a budget, once.
func (t *opTx) warn(ctx context.Context, subject, what string, spent, budget app.Nano) error {
	settings, err := t.settings(ctx)
	if err != nil {
		return err
	}
	if budget == 0 || spent < budget.Percent(settings.BudgetWarning) {
		return nil
	}
	_, err = t.raise(ctx, "budget_warning", subject, fmt.Sprintf("%d %% of %s is spent: %s of %s.", settings.BudgetWarning, what, spent, budget))
	return err
}

// settings are read once in a transaction.
func (t *opTx) settings(ctx context.Context) (app.Settings, error) {
	if t.known == nil {
		settings, err := t.store.settings(ctx, t)
		if err != nil {
			return settings, err
		}
		t.known = &settings
	}
	return *t.known, nil
}
