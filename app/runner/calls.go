package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
)

// answerCalls carries out the calls of the last answer that have no result
// yet, finish apart.
func (r *run) answerCalls(ctx context.Context) error {
	last, answered := r.lastAnswer()
	for _, call := range last.Calls {
		if answered[call.ID] || call.Tool == agent.FinishTool {
			continue
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

func (r *run) answer(ctx context.Context, call agent.Call) error {
	out := r.agent.Perform(ctx, r.scope(), call)
	if err := ctx.Err(); err != nil {
		return err // the run ended, not the tool
	}
	r.reached("tool_done")
	return r.keep(ctx, call, out)
}

func (r *run) keep(ctx context.Context, call agent.Call, out agent.Outcome) error {
	it := item{Item: agent.Item{Role: "tool", CallID: call.ID, Text: out.Text}, turn: r.Turns}
	raw, err := json.Marshal(it)
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	line := app.EventLine{Kind: "tool_call", Agent: r.agent.Name, Step: r.step.Key, Tool: toolName(r.agent, call.Tool), Summary: did(r.agent, call.Tool, out)}
	err = r.Store.AnswerCall(ctx, r.claim, postgres.Answer{RunID: r.ID, Turn: r.Turns, CallID: call.ID, Item: raw, Tainted: out.Tainted, Source: out.Source, Line: line}, r.Clock.Now())
	if err != nil {
		return err
	}
	r.items = append(r.items, it)
	r.Tainted = r.Tainted || out.Tainted
	return nil
}

func (r *run) scope() agent.Scope {
	return agent.Scope{Claim: r.claim, OperationID: r.op.ID, Slug: r.op.Slug, StepID: r.step.ID, StepKey: r.step.Key, Task: r.step.Task,
		RunID: r.ID, Agent: r.agent.Name, Token: r.op.Token, XHandle: r.op.XHandle, TelegramChat: r.op.TelegramChat,
		SiteHost: r.op.SiteHost, J0: r.op.J0, Now: r.Clock.Now()}
}

// finished parses the finish call of the last answer, if it has an unanswered one.
func (r *run) finished() (output json.RawMessage, problems []string, ok bool) {
	last, answered := r.lastAnswer()
	for _, call := range last.Calls {
		if call.Tool != agent.FinishTool || answered[call.ID] {
			continue
		}
		output, problems = r.task.Output.Parse(call.Args)
		if len(problems) == 0 {
			problems = r.task.Altered(r.step.Input, output)
		}
		return output, problems, true
	}
	return nil, nil, false
}

// refuseFinish answers the finish calls of the last answer with what is wrong.
func (r *run) refuseFinish(ctx context.Context, problems []string) error {
	last, answered := r.lastAnswer()
	for _, call := range last.Calls {
		if call.Tool != agent.FinishTool || answered[call.ID] {
			continue
		}
		out := agent.Outcome{Text: string(mustJSON(map[string]string{"error": joined(problems)})), Refused: true}
		if err := r.keep(ctx, call, out); err != nil {
			return err
		}
	}
	return nil
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
