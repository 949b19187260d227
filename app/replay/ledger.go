package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// What llm_calls says of a call.
const (
	modelCall = "model"
	imageCall = "image"
	reserved  = "reserved"
	settled   = "settled"
)

// cancelled is the fault of a call that its own process gave up.
const cancelled = "cancelled"

// books are where a run that is played is kept: they only compare.
type books struct{ *session }

// PriceList gives the models of the run the prices they were booked with, and
// others today's.
func (b books) PriceList(context.Context) (app.PriceList, error) {
	var list app.PriceList
	booked := map[string]bool{}
	for i, call := range b.stored.Calls {
		if call.Kind != modelCall {
			continue
		}
		row := app.PriceRow{Model: call.Model, Kind: app.PriceTokens, Price: call.Price}
		if booked[call.Model] {
			row.EffectiveAt = call.At.Add(time.Duration(i))
		}
		list, booked[call.Model] = append(list, row), true
	}
	for _, row := range b.prices {
		if !booked[row.Model] {
			list = append(list, row)
		}
	}
	return list, nil
}

// ReserveCall admits the call that was admitted then.
func (b books) ReserveCall(_ context.Context, _ app.Claim, req app.CallRequest, _ time.Time) (app.CallGrant, error) {
	b.payImages()
	if b.calls >= len(b.stored.Calls) || b.stored.Calls[b.calls].State == reserved {
		return app.CallGrant{}, b.noMore(req)
	}
	call := b.stored.Calls[b.calls]
	if err := b.otherModel(call, req); err != nil {
		return app.CallGrant{}, err
	}
	b.forgot = false
	b.current = b.calls
	b.calls++
	b.played(call, call.Turn, req.RequestSHA256 == call.RequestSHA256)
	b.compareRequest(call, req)
	b.compareReservation(call, req)
	switch {
	case call.Lost: // with its process
		b.again = true
		b.book(call)
		return app.CallGrant{}, postgres.ErrLost
	case call.Answer == nil:
		b.broken = true
		return app.CallGrant{}, postgres.ErrLost
	}
	return app.CallGrant{ID: call.ID, OutputLimit: call.OutputLimit, Reserved: call.Reserved}, nil
}

// played puts a stored call into the report.
func (s *session) played(call app.StoredCall, turn int, identical bool) {
	c := Call{N: s.calls, Turn: turn, Model: call.Model, State: call.State, Lost: call.Lost, Cost: call.Cost, Source: call.Source, Tools: []string{}, Identical: identical}
	if call.Kind == modelCall {
		c.RequestSHA256 = call.RequestSHA256
	}
	if answer, err := decodeAnswer(call.Answer); err == nil && answer.Response != nil {
		for _, asked := range answer.Response.Calls {
			c.Tools = append(c.Tools, asked.Tool)
		}
	}
	s.report.Calls = append(s.report.Calls, c)
}

// book counts a stored call as paid.
func (b books) book(call app.StoredCall) {
	b.run.Spent += call.Cost
	if call.State != settled && !call.Lost {
		b.run.Failures++
	}
	if call.Lost && (call.Cost != call.Reserved || call.Source != app.CostBound) {
		b.differ(b.ofCall("cost", "It was lost, so it costs its whole reservation of %s (bound); %s (%s) is booked.", call.Reserved, call.Cost, call.Source))
	}
}

// SettleCall compares what came of a call, and the answer as it was kept.
func (b books) SettleCall(_ context.Context, _ app.Claim, _ string, turn int, _ int64, out app.CallOutcome, items []json.RawMessage, _ app.EventLine, _ time.Time) error {
	call := b.stored.Calls[b.current]
	if b.broken {
		return postgres.ErrLost
	}
	b.compareOutcome(call, out)
	b.book(call)
	if len(items) > 0 && b.askedAgain(call) {
		return b.leave(turn)
	}
	for _, item := range items {
		if err := b.keep(turn, "", item); err != nil {
			return err
		}
	}
	if len(items) > 0 {
		b.run.Turns = turn
	}
	if given, _ := decodeAnswer(call.Answer); given.Fault != nil && given.Fault.Reason == cancelled {
		b.again = true // its process was stopping
		return postgres.ErrLost
	}
	return nil
}

// noMore ends a run that asks for more than was stored.
func (b books) noMore(req app.CallRequest) error {
	if b.limited() {
		return postgres.ErrLost
	}
	if err := b.stopped(req.Turn); err != nil {
		return err
	}
	wall, budget := budgetWall(b.stored.Error)
	if b.stored.State != failed || !budget {
		b.endOutside("before the model was asked again")
		return postgres.ErrLost
	}
	left := b.stored.Run.Budget - b.run.Spent
	output := min(req.WantOutput, req.Price.OutputFor(req.RequestBytes, left))
	if price, known := b.prices.At(req.Model, b.stored.FinishedAt); known { // it can have changed since the last call
		output = min(output, price.OutputFor(req.RequestBytes, left))
	}
	if wall == "run" && output >= req.MinOutput {
		b.differ(Difference{Turn: req.Turn, What: "budget", Sentence: fmt.Sprintf("It ended at its own budget, of which %s is left: enough for %s.", left, app.Count(int(output), "token", "tokens"))})
	}
	return &app.BudgetError{Wall: wall}
}
