package telemetry

import (
	"strconv"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"vivra/app"
)

type kind string

const (
	kindRun  kind = "run"
	kindTurn kind = "turn"
	kindCall kind = "call"
	kindTool kind = "tool"
)

// Span is one piece of work under watch: a run, a turn, a paid call or a tool
// call. It must end in End or Drop; its methods are called by one goroutine at
// a time.
type Span struct {
	tracer *Tracer
	run    *watched
	parent *Span
	kind   kind
	id     trace.SpanID
	name   string
	began  time.Time
	given  []attribute // kept until the span is sent
	fault  fault
	total  atomic.Int64 // what was booked under it, in nano-dollars
	until  time.Time    // zero while it lasts

	model   string           // of a paid call
	booked  *app.CallOutcome // of a paid call, once the ledger has it
	tool    string           // of a tool call
	outcome string           // of a tool call: ok, refused, failed
}

// fault is how a span failed: a word of ours, and words that may be anyone's.
type fault struct {
	kind    string
	message string
}

func (s *Span) set(attributes ...attribute) {
	if s.run.sampled {
		s.given = append(s.given, attributes...)
	}
}

func (s *Span) failed(kind string, err error) {
	s.fault.kind = kind
	if err != nil {
		s.fault.message = err.Error()
	}
}

// End ends the span and hands it over for export. A second call does nothing.
func (s *Span) End() {
	if s == nil || !s.until.IsZero() {
		return
	}
	s.until = s.tracer.wall.Now()
	s.tracer.metrics.ended(s, s.until.Sub(s.began))
	switch {
	case s.kind == kindRun:
		s.tracer.complete(s)
		s.send()
		s.tracer.spans.soon()
	case s.kind != kindCall:
		s.send()
	case s.booked != nil: // else whoever books the call sends its span
		s.run.hold(s)
	}
}

// Drop ends the span without a trace: the work goes on elsewhere.
func (s *Span) Drop() {
	if s == nil || !s.until.IsZero() {
		return
	}
	s.until = s.tracer.wall.Now()
	if s.kind == kindRun {
		s.tracer.metrics.handedOver(s.run.Agent)
		s.run.letGo()
	}
}

// send hands an ended span over for export.
func (s *Span) send() {
	if total := s.total.Load(); total > 0 || s.kind == kindRun {
		s.set(totalAttribute(app.Nano(total)))
	}
	s.run.note(s.id)
	s.tracer.spans.send(s)
}

// release sends what was held: the ledger has taken a later call.
func (s *Span) release() {
	for _, held := range s.run.letGo() {
		held.send()
	}
}

func (w *watched) hold(s *Span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[s.id] = s
}

// letGo returns what was held, and holds it no longer.
func (w *watched) letGo() map[trace.SpanID]*Span {
	w.mu.Lock()
	defer w.mu.Unlock()
	held := w.held
	w.held = make(map[trace.SpanID]*Span)
	return held
}

// note keeps in mind that a span was sent from this process.
func (w *watched) note(id trace.SpanID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[id] = true
}

func (w *watched) has(id trace.SpanID) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done[id]
}

func itoa(n int) string { return strconv.Itoa(n) }
