package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

// turn asks the model once, tried again a few times when the fault may pass.
func (r *run) turn(ctx context.Context) error {
	request := r.request()
	for try := 0; ; try++ {
		err := r.call(ctx, request)
		var fault *agent.ModelError
		if err == nil || !errors.As(err, &fault) || !fault.Retryable() || try >= r.settings.ModelRetries || ctx.Err() != nil {
			return err
		}
		if err := r.pause(ctx, backoff(try, fault.RetryAfter)); err != nil {
			return err
		}
	}
}

// backoff waits as long as the server asks, within reason, or ever longer with jitter.
func backoff(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return min(asked, 30*time.Second)
	}
	base := 250 * time.Millisecond << try
	return base + rand.N(base)
}

func (r *run) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-r.Wall.After(d):
		return nil
	}
}

func (r *run) request() agent.Request {
	req := agent.Request{Model: r.agent.Model, System: r.System, MaxOutputTokens: r.agent.MaxOutputTokens, Tools: r.specs}
	for _, it := range r.items {
		req.Items = append(req.Items, it.Item)
	}
	return req
}

// call reserves, calls, settles. What the answer added is stored in the same
// commit as its cost.
func (r *run) call(ctx context.Context, req agent.Request) error {
	body, err := r.Runner.Model.RequestBytes(req)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	turn := r.Turns + 1
	grant, err := r.Store.ReserveCall(ctx, r.claim, app.CallRequest{RunID: r.ID, Turn: turn, Kind: "model", Model: req.Model,
		RequestSHA256: app.SHA256Hex(body), Price: r.price, RequestBytes: int64(len(body)), WantOutput: req.MaxOutputTokens, MinOutput: minOutput}, r.Clock.Now())
	if err != nil {
		return err
	}
	r.reached("reserved")
	req.MaxOutputTokens = grant.OutputLimit
	began := r.Wall.Now()
	answer, callErr := r.Runner.Model.Respond(ctx, req, nil)
	r.reached("answered")
	return r.settle(ctx, turn, grant, answer, callErr, r.Wall.Since(began))
}

func (r *run) settle(ctx context.Context, turn int, grant app.CallGrant, answer agent.Response, callErr error, took time.Duration) error {
	// The cost must be booked even when the run's time is up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	out := r.outcome(grant, answer, callErr)
	out.LatencyMS = took.Milliseconds()
	line := app.EventLine{Kind: "model_call", Agent: r.agent.Name, Step: r.step.Key, Summary: said(answer, callErr)}

	var added []item
	var raw []json.RawMessage
	if callErr == nil {
		it, err := r.storable(answer)
		if err != nil {
			return fmt.Errorf("encode answer: %w", err)
		}
		it.turn = turn
		added, raw = []item{it}, []json.RawMessage{mustJSON(it)}
	}
	if err := r.Store.SettleCall(ctx, r.claim, r.ID, turn, grant.ID, out, raw, line, r.Clock.Now()); err != nil {
		return err
	}
	r.reached("settled")
	if callErr != nil {
		return callErr
	}
	r.items = append(r.items, added...)
	r.Turns = turn
	return nil
}

func (r *run) outcome(grant app.CallGrant, answer agent.Response, callErr error) app.CallOutcome {
	if callErr == nil {
		cost, source := r.price.Cost(answer.Usage, grant.Reserved)
		return app.CallOutcome{State: "settled", Cost: cost, Source: source, Usage: &answer.Usage}
	}
	out := app.CallOutcome{State: "failed", Error: callErr.Error()}
	var fault *agent.ModelError
	switch {
	case errors.As(callErr, &fault) && fault.Usage != nil:
		out.Usage = fault.Usage
		out.Cost, out.Source = r.price.Cost(*fault.Usage, grant.Reserved)
	case errors.As(callErr, &fault) && !fault.MayBeBilled():
		out.Cost = 0
	default:
		out.State, out.Cost, out.Source = "unknown", grant.Reserved, app.CostBound
	}
	return out
}

// storable is an answer as it can be kept: no text that jsonb refuses, and an
// id of its own for each call of the whole run, since tools are idempotent by it.
func (r *run) storable(answer agent.Response) (it item, err error) {
	raw, err := json.Marshal(item{Item: agent.Item{Role: "assistant", Text: answer.Text, Calls: answer.Calls}})
	if err != nil {
		return it, err
	}
	if err := json.Unmarshal(escapes.ReplaceAllFunc(raw, harmless), &it); err != nil {
		return it, err
	}
	r.nameCalls(it.Calls)
	return it, nil
}

// escapes finds every escape of a JSON text, a pair of surrogates as one.
var escapes = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\u0000|\\.`)

// harmless replaces the escapes that jsonb refuses: NUL and half a pair.
func harmless(escape []byte) []byte {
	if len(escape) == len(`\u0000`) {
		return []byte(`\ufffd`)
	}
	return escape
}

// nameCalls gives each call an id that no call of the run has had. Models that
// count their calls anew in each turn would otherwise get old results.
func (r *run) nameCalls(calls []agent.Call) {
	seen := make(map[string]bool)
	for _, it := range r.items {
		for _, call := range it.Calls {
			seen[call.ID] = true
		}
	}
	for i := range calls {
		id := calls[i].ID
		for n := 1; id == "" || seen[id]; n++ {
			id = fmt.Sprintf("%s_%d", calls[i].ID, n)
		}
		seen[id], calls[i].ID = true, id
	}
}
