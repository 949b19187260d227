package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"vivra/app"
)

// Ledger tells what a run has paid for, in whatever process. Calls come oldest
// first; began is when the run began by the product's clock.
type Ledger interface {
	PaidCalls(ctx context.Context, run string) (calls []app.PaidCall, began time.Time, err error)
}

// patience is how long the end of a run waits for the ledger's word on it.
const patience = 5 * time.Second

// complete has the trace of a run that ends tell all that the ledger tells. A
// call whose process died left no span, or one that never arrived: its span is
// sent from here, under the id that it would have had there.
func (t *Tracer) complete(root *Span) {
	held := root.run.letGo()
	for _, c := range t.paid(root) {
		id := root.run.spanID(string(kindCall), itoa(int(c.ID)))
		switch own := held[id]; {
		case own != nil:
			own.set(costAttributes(c.CallOutcome)...) // as it was booked, by whomever
		case !root.run.has(id) && c.State != "reserved":
			held[id] = t.callOf(root, id, c)
		}
	}
	for _, call := range held {
		call.send()
	}
}

// paid asks the ledger, and notes on root what it says of the whole run.
func (t *Tracer) paid(root *Span) []app.PaidCall {
	if t.ledger == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	calls, began, err := t.ledger.PaidCalls(ctx, root.run.ID)
	if err != nil {
		t.log.Warn("a trace may lack calls of other processes", "run", root.run.ID, "error", err)
		return nil
	}
	if t.sameTime() && began.Before(root.began) {
		root.began = began
	}
	total := app.Nano(0)
	for _, c := range calls {
		total += c.Cost
	}
	root.total.Store(int64(total))
	return calls
}

// callOf is the span of a call that none was sent of from here.
func (t *Tracer) callOf(root *Span, id trace.SpanID, c app.PaidCall) *Span {
	s := &Span{tracer: t, run: root.run, parent: root, kind: kindCall, id: id, model: c.Model, booked: &c.CallOutcome, began: root.began}
	if t.sameTime() {
		s.began = c.Began
	}
	s.until = s.began.Add(time.Duration(c.LatencyMS) * time.Millisecond)
	s.set(commonAttributes(root.run.RunInfo)...)
	if c.Kind == "image" {
		s.name = "generate_content " + c.Model
		s.set(imageAttributes(c.ID, c.Model)...)
	} else {
		s.name = "chat " + c.Model
		s.set(callAttributes(c.ID, "chat", c.Model)...)
	}
	if c.Turn > 0 {
		s.parent = t.turnOf(root, c.Turn, s)
	}
	switch {
	case c.Lost:
		s.failed("lost", nil)
		t.metrics.paid(s) // its own process did not live to count it
	case c.State != "settled":
		s.failed(c.State, nil)
	}
	s.set(costAttributes(c.CallOutcome)...)
	return s
}

// turnOf is the turn of a call of another process. Its span is sent once, so
// that the call does not hang in the air.
func (t *Tracer) turnOf(root *Span, n int, call *Span) *Span {
	s := &Span{tracer: t, run: root.run, parent: root, kind: kindTurn, id: root.run.spanID(string(kindTurn), itoa(n)), name: "turn " + itoa(n),
		began: call.began, until: call.until}
	if !root.run.has(s.id) {
		s.set(commonAttributes(root.run.RunInfo)...)
		s.set(turnAttributes(n)...)
		s.send()
	}
	return s
}

// sameTime tells whether the ledger's times are those of spans: a rehearsal has
// a clock of its own.
func (t *Tracer) sameTime() bool {
	return t.clock.Now().Sub(t.wall.Now()).Abs() < time.Minute
}
