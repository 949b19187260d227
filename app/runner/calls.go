package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
)

// mostCalls is how many calls of one answer are carried out.
const mostCalls = 20

// openCall is a call without a result.
type openCall struct {
	agent.Call
	tooMany bool
}

// openCalls are those of the last answer. A finish call among the first ones is
// left for handedIn.
func (r *run) openCalls() (open []openCall) {
	last, answered := r.lastAnswer()
	for i, call := range last.Calls {
		if tooMany := i >= mostCalls; !answered[call.ID] && (tooMany || call.Tool != agent.FinishTool) {
			open = append(open, openCall{call, tooMany})
		}
	}
	return open
}

func (r *run) answerCalls(ctx context.Context) error {
	for _, call := range r.openCalls() {
		if err := r.interrupted(ctx); err != nil {
			return err
		}
		if err := r.answer(ctx, call); err != nil {
			return err
		}
	}
	return nil
}

// lastAnswer returns the model's last message and which of its calls have results.
func (r *run) lastAnswer() (item, map[string]bool) {
	answered := make(map[string]bool)
	for i := len(r.items) - 1; i >= 0; i-- {
		it := r.items[i]
		if it.Role == "assistant" {
			return it, answered
		}
		if it.Role == "tool" {
			answered[it.CallID] = true
		}
	}
	return item{}, answered
}

func (r *run) answer(ctx context.Context, call openCall) error {
	if call.tooMany {
		text := fmt.Sprintf("only the first %d calls of a turn are carried out: ask again in the next one", mostCalls)
		return r.keep(ctx, call.Call, refusal(text), fmt.Sprintf("Refused: more than %d calls in one turn", mostCalls), "")
	}
	out := r.perform(ctx, call.Call)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the run ended, not the tool
	case errors.Is(out.Err, postgres.ErrPaused) || errors.Is(out.Err, postgres.ErrLost):
		return out.Err
	}
	r.reached("tool_done")
	return r.keep(ctx, call.Call, out, did(r.agent, call.Tool, out), "")
}

func (r *run) perform(ctx context.Context, call agent.Call) agent.Outcome {
	ctx, span := r.Trace.ToolCall(ctx, toolName(r.agent, call.Tool), call.ID)
	defer span.End()
	perform := r.Perform
	if perform == nil {
		perform = func(ctx context.Context, a agent.Agent, s agent.Scope, call agent.Call) agent.Outcome {
			return a.Perform(ctx, s, call)
		}
	}
	out := perform(ctx, r.agent, r.scope(), call)
	span.Returned(call.Args, out)
	return out
}

// keep stores the one result of a call, with its line in the log.
func (r *run) keep(ctx context.Context, call agent.Call, out agent.Outcome, summary, note string) error {
	if err := r.alarm(ctx, call, out.Unsafe); err != nil {
		return err
	}
	it := item{Item: agent.Item{Role: "tool", CallID: call.ID, Text: out.Text}, Note: note, turn: r.Turns}
	line := app.EventLine{Kind: "tool_call", Agent: r.agent.Name, Step: r.step.Key, Tool: toolName(r.agent, call.Tool), Summary: summary}
	err := r.Store.AnswerCall(ctx, r.claim, postgres.Answer{RunID: r.ID, Turn: r.Turns, CallID: call.ID, Item: it.encode(), Tainted: out.Tainted, Source: out.Source, Line: line}, r.Clock.Now())
	if err != nil {
		return err
	}
	r.items = append(r.items, it)
	r.Tainted = r.Tainted || out.Tainted
	return nil
}

func (r *run) scope() agent.Scope {
	s := agent.ScopeOf(r.op, r.step, r.settings)
	s.Claim, s.RunID, s.Agent, s.Now = r.claim, r.ID, r.agent.Name, r.Clock.Now()
	return s
}

// refusal is the answer to a call that was not carried out.
func refusal(why string) agent.Outcome {
	return agent.Outcome{Text: string(encode(map[string]string{"error": why})), Refused: true}
}

// refusalOf reads what such an answer says.
func refusalOf(text string) string {
	var said struct {
		Error string `json:"error"`
	}
	if json.Unmarshal([]byte(text), &said) != nil {
		return text
	}
	return said.Error
}
