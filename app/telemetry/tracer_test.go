package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testotlp"
	"vivra/app/telemetry"
)

// TestRunIsOneTrace: names, kinds, places, times and attributes of the spans.
func TestRunIsOneTrace(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	p := start(t, tracing(to))
	ctx, run := p.Tracer.Run(t.Context(), info())
	p.turn(ctx, 1, 71, 3_000_000)
	in, turn := p.Tracer.Turn(ctx, 2)
	in, tool := p.Tracer.ToolCall(in, "image_generate", "c9")
	drawn := telemetry.PaidCall(in, 72, "gpt-image-1")
	p.wall.Advance(4 * time.Second)
	drawn.Booked(app.CallOutcome{State: "settled", Cost: 42_000_000, Source: app.CostPriceList})
	drawn.End()
	tool.Returned(nil, agent.Outcome{Refused: true, Err: errors.New("no")})
	tool.End()
	turn.End()
	run.End()
	p.flush()

	spans := to.Trace(runID)
	if len(spans) != 7 || len(to.Spans()) != 7 {
		t.Fatalf("%d of %d spans are in the run's trace, want 7", len(spans), len(to.Spans()))
	}
	all := byName(t, spans)
	parents := map[string]string{"invoke_agent cm": "", "turn 1": "invoke_agent cm", "turn 2": "invoke_agent cm", "chat gpt-5": "turn 1",
		"execute_tool x_post": "turn 1", "execute_tool image_generate": "turn 2", "generate_content gpt-image-1": "execute_tool image_generate"}
	for name, parent := range parents {
		if all[name].ID == "" || all[name].Parent != all[parent].ID {
			t.Errorf("%s hangs under %q, want %q", name, all[name].Parent, parent)
		}
	}
	chat := all["chat gpt-5"]
	if chat.Kind != trace.Span_SPAN_KIND_CLIENT || all["turn 1"].Kind != trace.Span_SPAN_KIND_INTERNAL || !chat.Began.Equal(noon) || chat.Ended.Sub(chat.Began) != 2*time.Second {
		t.Errorf("the call is %+v", chat)
	}
	if root := all["invoke_agent cm"]; root.Ended.Sub(root.Began) != 7*time.Second || root.Failed {
		t.Errorf("the run is %+v", root)
	}
	if s := all["execute_tool image_generate"]; !s.Failed || s.Attributes["error.type"] != "refused" {
		t.Errorf("the refused tool call is %+v", s)
	}
	want := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5", "gen_ai.response.model": "gpt-5-2025",
		"gen_ai.request.max_tokens": int64(4000), "gen_ai.response.finish_reasons": []any{"tool_calls"}, "gen_ai.usage.input_tokens": int64(1000),
		"gen_ai.usage.cache_read.input_tokens": int64(600), "gen_ai.usage.output_tokens": int64(200), "gen_ai.usage.reasoning.output_tokens": int64(50),
		"gen_ai.usage.cost": .003, "gen_ai.agent.name": "cm", "gen_ai.conversation.id": runID, "vivra.operation": "dodo", "vivra.step": "cm.daily_post.d03",
		"vivra.cost_nusd": int64(3_000_000), "vivra.cost_source": "table", "vivra.call": int64(71), "vivra.call_state": "settled"}
	if diff := cmp.Diff(want, chat.Attributes); diff != "" {
		t.Errorf("attributes of the call (-want +got):\n%s", diff)
	}
	for name, want := range map[string]any{"invoke_agent cm": int64(45_000_000), "turn 1": int64(3_000_000), "turn 2": int64(42_000_000),
		"execute_tool image_generate": int64(42_000_000), "execute_tool x_post": nil} {
		if got := all[name].Attributes["vivra.total_cost_nusd"]; got != want {
			t.Errorf("under %s were spent %v, want %v", name, got, want)
		}
	}
	if s := all["execute_tool x_post"].Attributes; s["gen_ai.tool.name"] != "x_post" || s["gen_ai.tool.call.id"] != "c1" || s["gen_ai.operation.name"] != "execute_tool" {
		t.Errorf("attributes of the tool call: %v", s)
	}
	if r := to.Resource(); r["service.name"] != "vivra" || r["service.version"] != "v9" {
		t.Errorf("the sender is %v", r)
	}
}

// TestHandedOverRunIsOneTrace: two processes work on a run; what both send
// hangs under one root, which the one that ended the run sends.
func TestHandedOverRunIsOneTrace(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	first, second := start(t, tracing(to)), start(t, tracing(to))
	ctx, run := first.Tracer.Run(t.Context(), info())
	first.turn(ctx, 1, 1, 1)
	run.Drop()
	run.End() // changes nothing any more
	first.flush()
	if n := len(to.Trace(runID)); n != 2 {
		t.Fatalf("%d spans came from the first process, want a turn and a tool call: whether its last call was booked by it, it can't know", n)
	}
	ctx, run = second.Tracer.Run(t.Context(), info())
	second.turn(ctx, 2, 2, 2)
	run.Fail(&app.BudgetError{Wall: "run"})
	run.End()
	second.flush()

	var roots []testotlp.Span
	parents := make(map[string]bool)
	for _, s := range to.Spans() {
		parents[s.ID] = true
		if s.Parent == "" {
			roots = append(roots, s)
		}
	}
	if len(roots) != 1 || !roots[0].Failed || roots[0].Attributes["error.type"] != "budget_exceeded" {
		t.Fatalf("roots: %+v", roots)
	}
	for _, s := range to.Spans() {
		if s.Trace != roots[0].Trace || s.Parent != "" && !parents[s.Parent] {
			t.Errorf("%s hangs in the air", s.Name)
		}
	}
}

// TestUnbookedCallHasNoSpan: what the ledger did not take from here is not
// told from here.
func TestUnbookedCallHasNoSpan(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	p := start(t, tracing(to))
	ctx, run := p.Tracer.Run(t.Context(), info())
	_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: 1, Request: request()})
	call.Fail(context.Canceled)
	call.End()
	run.End()
	p.flush()
	if all := to.Spans(); len(all) != 1 {
		t.Errorf("%d spans came, want the run's: %v", len(all), all)
	}
}

// canary stands for everything that models, people and the outside say.
const canary = "the canary sings"

// speak has every word of a run hold the canary.
func speak(p *process) {
	ctx, run := p.Tracer.Run(p.t.Context(), info())
	ctx, turn := p.Tracer.Turn(ctx, 1)
	req := request()
	req.System += canary
	req.Items = append(req.Items, agent.Item{Role: "assistant", Text: canary, Calls: []agent.Call{{ID: "a", Tool: "x_post", Args: json.RawMessage(`{"text":"` + canary + `"}`)}}},
		agent.Item{Role: "tool", CallID: "a", Text: canary})
	_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: 1, Request: req})
	call.Answered(agent.Response{Text: canary, Calls: []agent.Call{{ID: "b", Tool: canary, Args: json.RawMessage(`"` + canary + `"`)}}})
	out := settled(1)
	out.State, out.Error, out.Answer = "failed", canary, json.RawMessage(`"`+canary+`"`)
	call.Fail(&agent.ModelError{Reason: "refused", Message: canary})
	call.Booked(out)
	call.End()
	_, tool := p.Tracer.ToolCall(ctx, "", "b")
	tool.Returned(json.RawMessage(`"`+canary+`"`), agent.Outcome{Text: canary, Err: errors.New(canary)})
	tool.End()
	turn.Fail(fmt.Errorf("the output does not fit: %s", canary))
	turn.End()
	run.Fail(errors.New(canary))
	run.End()
	p.flush()
}

func TestNoWordLeavesUnlessAsked(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	speak(start(t, tracing(to)))
	if n := len(to.Spans()); n != 4 {
		t.Fatalf("%d spans came, want 4", n)
	}
	if strings.Contains(to.Text(), canary) || strings.Contains(to.Text(), "You are cm") {
		t.Errorf("words left:\n%s", to.Text())
	}
}

func TestWordsLeaveWhenAsked(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	c := tracing(to)
	c.Content = true
	speak(start(t, c))
	all := byName(t, to.Spans())
	call := all["chat gpt-5"].Attributes
	for key, want := range map[string]string{
		"gen_ai.system_instructions": `[{"type":"text","content":"You are cm.the canary sings"}]`,
		"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Write."}]},` +
			`{"role":"assistant","parts":[{"type":"text","content":"the canary sings"},{"type":"tool_call","id":"a","name":"x_post","arguments":{"text":"the canary sings"}}]},` +
			`{"role":"tool","parts":[{"type":"tool_call_response","id":"a","response":"the canary sings"}]}]`,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"the canary sings"},` +
			`{"type":"tool_call","id":"b","name":"the canary sings","arguments":"the canary sings"}],"finish_reason":"tool_calls"}]`,
	} {
		if diff := cmp.Diff(want, call[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
	tool := all["execute_tool unknown"]
	if tool.Attributes["gen_ai.tool.call.result"] != canary || tool.Message != canary {
		t.Errorf("the tool call is %+v", tool)
	}
}

// TestLongTranscriptIsCut: collectors refuse batches of megabytes.
func TestLongTranscriptIsCut(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	c := tracing(to)
	c.Content = true
	p := start(t, c)
	req := request()
	for range 100 {
		req.Items = append(req.Items, agent.Item{Role: "tool", CallID: "x", Text: strings.Repeat("é", 20_000)})
	}
	req.Items = append(req.Items, agent.Item{Role: "user", Text: "last"})
	ctx, run := p.Tracer.Run(t.Context(), info())
	_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: 1, Request: req})
	call.Booked(settled(1))
	call.End()
	run.End()
	p.flush()
	text, _ := byName(t, to.Spans())["chat gpt-5"].Attributes["gen_ai.input.messages"].(string)
	if len(text) > 100<<10 || !json.Valid([]byte(text)) || !strings.HasPrefix(text, `[{"role":"user","parts":[{"type":"text","content":"Write."}]}`) || !strings.Contains(text, `"last"`) {
		t.Errorf("%d bytes of messages were sent: %.200s", len(text), text)
	}
}
