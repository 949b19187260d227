package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/jonboulle/clockwork"
	"go.opentelemetry.io/otel/trace"

	"vivra/app"
	"vivra/app/agent"
)

// Tracer watches runs. A nil one watches nothing.
type Tracer struct {
	clock, wall clockwork.Clock // the product's time, in which the ledger writes; the time of spans
	spans       *spans          // nil: none are sent
	metrics     *Metrics
	ledger      Ledger // nil: what other processes did stays with them
	content     bool
	log         *slog.Logger
}

// RunInfo says which run is watched.
type RunInfo struct {
	ID        string // the run's uuid, which becomes the trace's id
	Agent     string
	Task      string
	Model     string
	Operation string // slug
	Step      string // key
}

// CallInfo says which admitted model call is watched.
type CallInfo struct {
	ID      int64 // of the ledger's row
	Request agent.Request
}

// watched is what the spans of one run share in this process.
type watched struct {
	RunInfo
	trace   trace.TraceID
	sampled bool

	mu   sync.Mutex
	done map[trace.SpanID]bool // what was sent from here
	// held are paid calls that wait for proof that this process still had the
	// run when they were booked: the ledger takes a later call, or the run's end.
	held map[trace.SpanID]*Span
}

type spanKey struct{}

// Run begins to watch a run. Each process that works on a run calls it. The one
// that books the run's end calls End, and the span of the run, the trace's
// root, is sent from there; the others call Drop. A run that was stopped has no
// other worker: it ends by Fail and End.
func (t *Tracer) Run(ctx context.Context, info RunInfo) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	run := &watched{RunInfo: info, trace: traceID(info.ID), done: make(map[trace.SpanID]bool), held: make(map[trace.SpanID]*Span)}
	run.sampled = t.spans.samples(run.trace)
	s := &Span{tracer: t, run: run, kind: kindRun, id: run.spanID("run", ""), name: "invoke_agent " + info.Agent, began: t.wall.Now()}
	s.set(runAttributes(info)...)
	return context.WithValue(ctx, spanKey{}, s), s
}

// Turn begins to watch the nth turn of the run in ctx.
func (t *Tracer) Turn(ctx context.Context, n int) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.child(ctx, kindTurn, "turn "+itoa(n), itoa(n), turnAttributes(n)...)
}

// ModelCall begins to watch a model call that the ledger has admitted.
func (t *Tracer) ModelCall(ctx context.Context, info CallInfo) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	ctx, s := t.child(ctx, kindCall, "chat "+info.Request.Model, itoa(int(info.ID)))
	if s == nil {
		return ctx, nil
	}
	s.release()
	s.model = info.Request.Model
	s.set(requestAttributes(info)...)
	if t.content && s.run.sampled {
		s.set(promptAttributes(info.Request)...)
	}
	return ctx, s
}

// PaidCall begins to watch a paid call that a tool makes under the tool call in
// ctx, such as for pictures, once the ledger has admitted it.
func PaidCall(ctx context.Context, id int64, model string) *Span {
	parent := spanOf(ctx)
	if parent == nil {
		return nil
	}
	_, s := parent.tracer.child(ctx, kindCall, "generate_content "+model, itoa(int(id)))
	s.release()
	s.model = model
	s.set(imageAttributes(id, model)...)
	return s
}

// ToolCall begins to watch a tool call. Name is the name of one of our tools,
// or empty for a call to a tool that the model made up.
func (t *Tracer) ToolCall(ctx context.Context, name, id string) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	if name == "" {
		name = "unknown"
	}
	ctx, s := t.child(ctx, kindTool, "execute_tool "+name, id, toolAttributes(name, id)...)
	if s != nil {
		s.tool = name
	}
	return ctx, s
}

// Refused counts a reservation that a wall refused; other errors it ignores.
func (t *Tracer) Refused(err error) {
	if t == nil {
		return
	}
	var budget *app.BudgetError
	if errors.As(err, &budget) {
		t.metrics.refused(budget.Wall)
	}
}

// Refused counts a reservation for a tool's paid call that a wall refused.
func Refused(ctx context.Context, err error) {
	if s := spanOf(ctx); s != nil {
		s.tracer.Refused(err)
	}
}

// child begins a span under the one in ctx. Without a run there is none.
func (t *Tracer) child(ctx context.Context, kind kind, name, key string, attributes ...attribute) (context.Context, *Span) {
	parent := spanOf(ctx)
	if parent == nil {
		return ctx, nil
	}
	run := parent.run
	s := &Span{tracer: t, run: run, parent: parent, kind: kind, id: run.spanID(string(kind), key), name: name, began: t.wall.Now()}
	s.set(commonAttributes(run.RunInfo)...)
	s.set(attributes...)
	return context.WithValue(ctx, spanKey{}, s), s
}

func spanOf(ctx context.Context) *Span {
	s, _ := ctx.Value(spanKey{}).(*Span)
	return s
}
