package telemetry_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testlog"
	"vivra/app/internal/testotlp"
	"vivra/app/telemetry"
)

var noon = time.Date(2027, 1, 8, 12, 0, 0, 0, time.UTC)

const runID = "0193a1b2-c3d4-4e5f-8a9b-0c1d2e3f4a5b"

// process is one process that watches runs.
type process struct {
	*telemetry.Watch
	t    testing.TB
	wall *clockwork.FakeClock
	log  *testlog.Lines
	stop func()
}

func start(t testing.TB, c telemetry.Config) *process {
	t.Helper()
	p := &process{t: t, wall: clockwork.NewFakeClockAt(noon), log: new(testlog.Lines)}
	c.Clock, c.Wall, c.Log = p.wall, p.wall, slog.New(slog.NewTextHandler(p.log, nil))
	p.Watch = telemetry.New(c)
	var err error
	if p.stop, err = p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.stop)
	return p
}

func tracing(to *testotlp.Collector) telemetry.Config {
	return telemetry.Config{Traces: true, Collector: to.URL, Version: "v9"}
}

func info() telemetry.RunInfo {
	return telemetry.RunInfo{ID: runID, Agent: "cm", Task: "cm.daily_post", Model: "gpt-5", Operation: "dodo", Step: "cm.daily_post.d03"}
}

func request() agent.Request {
	return agent.Request{Model: "gpt-5", System: "You are cm.", MaxOutputTokens: 4000, Items: []agent.Item{{Role: "user", Text: "Write."}}}
}

func usage() app.Usage {
	return app.Usage{PromptTokens: 1000, CachedTokens: 600, CompletionTokens: 200, ReasoningTokens: 50, TotalTokens: 1200, Reported: true}
}

func settled(cost app.Nano) app.CallOutcome {
	u := usage()
	return app.CallOutcome{State: "settled", Cost: cost, Source: app.CostTable, Usage: &u}
}

// turn plays one turn: a model call that takes two seconds, and a tool call
// that takes one.
func (p *process) turn(ctx context.Context, n int, call int64, cost app.Nano) {
	ctx, turn := p.Tracer.Turn(ctx, n)
	_, asked := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: call, Request: request()})
	p.wall.Advance(2 * time.Second)
	asked.Answered(agent.Response{Served: "gpt-5-2025", Calls: []agent.Call{{ID: "c1", Tool: "x_post", Args: json.RawMessage(`{}`)}}})
	asked.Booked(settled(cost))
	asked.End()
	_, did := p.Tracer.ToolCall(ctx, "x_post", "c"+string(rune('0'+n)))
	p.wall.Advance(time.Second)
	did.Returned(json.RawMessage(`{"text":"hi"}`), agent.Outcome{Text: `{"ok":true}`, OK: true})
	did.End()
	turn.End()
}

func (p *process) flush() {
	p.t.Helper()
	if err := p.Flush(p.t.Context()); err != nil {
		p.t.Fatal(err)
	}
}

func byName(t testing.TB, spans []testotlp.Span) map[string]testotlp.Span {
	t.Helper()
	out := make(map[string]testotlp.Span)
	for _, s := range spans {
		if _, twice := out[s.Name]; twice {
			t.Fatalf("two spans are called %s", s.Name)
		}
		out[s.Name] = s
	}
	return out
}
