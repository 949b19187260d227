package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
	"vivra/app/telemetry"
)

// minOutput is the least output limit that can hold an answer.
const minOutput = 256

// asked is one request that was admitted.
type asked struct {
	turn  int
	price app.Price
	grant app.CallGrant
	req   agent.Request
}

// call reserves, calls, settles. What the answer added is stored in the same
// commit as its cost.
func (r *run) call(ctx context.Context, req agent.Request) error {
	a, err := r.reserve(ctx, req)
	if err != nil {
		r.Trace.Refused(err)
		return err
	}
	r.reached("reserved")
	ctx, span := r.Trace.ModelCall(ctx, telemetry.CallInfo{ID: a.grant.ID, Request: a.req})
	began := r.Wall.Now()
	answer, callErr := r.Runner.Model.Respond(ctx, a.req, r.overhear(ctx, a.grant.ID))
	r.reached("answered")
	answer, kept := keep(answer, callErr)
	if callErr == nil {
		span.Answered(answer)
	}
	span.Fail(callErr)

	out := a.outcome(answer, callErr)
	out.Answer, out.LatencyMS = kept, r.Wall.Since(began).Milliseconds()
	err = r.settle(ctx, a, answer, callErr, out)
	if err != nil && !errors.Is(err, postgres.ErrBooked) || out.Lost {
		span.Drop() // whoever goes on tells of what was lost
		return cmp.Or(err, callErr)
	}
	span.Booked(out)
	span.End()
	return cmp.Or(err, callErr)
}

// reserve has the ledger admit a call at its worst cost, which lowers its
// output limit to what can be paid.
func (r *run) reserve(ctx context.Context, req agent.Request) (a asked, err error) {
	a = asked{turn: r.Turns + 1, req: req}
	if a.price, err = r.price(req.Model); err != nil {
		return a, err
	}
	body, err := r.Runner.Model.RequestBytes(req)
	if err != nil {
		return a, fmt.Errorf("encode request: %w", err)
	}
	a.grant, err = r.Store.ReserveCall(ctx, r.claim, app.CallRequest{RunID: r.ID, Agent: r.agent.Name, Turn: a.turn, Kind: "model", Model: req.Model,
		RequestSHA256: app.SHA256Hex(body), Price: a.price, RequestBytes: int64(len(body)), WantOutput: req.MaxOutputTokens, MinOutput: minOutput}, r.Clock.Now())
	a.req.MaxOutputTokens = a.grant.OutputLimit
	return a, err
}

// settle books what became of a call, even when the run's time is up.
func (r *run) settle(ctx context.Context, a asked, answer agent.Response, callErr error, out app.CallOutcome) error {
	ctx, cancel := aside(ctx)
	defer cancel()
	line := app.EventLine{Kind: "model_call", Agent: r.agent.Name, Step: r.step.Key, Summary: said(answer, callErr)}
	var raw []json.RawMessage
	var it item
	if callErr == nil {
		it = r.storable(answer, a)
		raw = []json.RawMessage{it.encode()}
	}
	if err := r.Store.SettleCall(ctx, r.claim, r.ID, a.turn, a.grant.ID, out, raw, line, r.Clock.Now()); err != nil {
		return err
	}
	r.reached("settled")
	if callErr != nil {
		if !out.Lost {
			r.Failures++
		}
		return nil
	}
	r.items = append(r.items, it)
	r.Turns = a.turn
	return nil
}

// outcome is what a call has cost: what was reported, or else the bound, unless
// nothing can have been billed.
func (a asked) outcome(answer agent.Response, callErr error) app.CallOutcome {
	if callErr == nil {
		cost, source := a.price.Cost(answer.Usage, a.grant.Reserved)
		return app.CallOutcome{State: "settled", Cost: cost, Source: source, Usage: &answer.Usage}
	}
	out := app.CallOutcome{State: "failed", Error: callErr.Error()}
	var fault *agent.ModelError
	switch {
	case errors.As(callErr, &fault) && fault.Usage != nil:
		out.Usage = fault.Usage
		out.Cost, out.Source = a.price.Cost(*fault.Usage, a.grant.Reserved)
	case errors.As(callErr, &fault) && !fault.MayBeBilled():
		out.Cost = 0
	default:
		out.State, out.Cost, out.Source = "unknown", a.grant.Reserved, app.CostBound
		out.Lost = faultOf(callErr).Reason == cancelled
	}
	return out
}

// overhearEvery is how often a growing answer is shown to those who watch, and
// longestOverhear how long it is kept waiting for that.
const (
	overhearEvery   = 400 * time.Millisecond
	longestOverhear = time.Second
)

// overhear lets others read along while the model writes. A draft that can't be
// kept is no loss: the answer comes whole.
func (r *run) overhear(ctx context.Context, callID int64) func(draft string) {
	shown := r.Wall.Now()
	return func(draft string) {
		now := r.Wall.Now()
		if now.Sub(shown) < overhearEvery {
			return
		}
		shown = now
		brief, cancel := context.WithTimeout(ctx, longestOverhear)
		defer cancel()
		_ = r.Store.Overhear(brief, callID, r.ID, draft, r.Clock.Now())
	}
}
