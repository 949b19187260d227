package openai

import (
	"context"
	"encoding/json"
	"errors"

	"vivra/app"
	"vivra/app/agent"
)

// ProbeResult is what a small question told of a model.
type ProbeResult struct {
	// Tools: it called the tool that it was told to call.
	Tools bool
	// Why says why Tools is false, in a sentence.
	Why string
	// Streams: its answer came in pieces, as asked.
	Streams bool
	// Usage is what it reported; Usage.Reported is false when it reported nothing.
	Usage app.Usage
	// Served is the model that answered, as the API names it.
	Served string
}

// question is one way to ask. A model that thinks first may use up a small
// limit before it says anything, and some endpoints know no forced calls.
type question struct {
	forced string
	limit  int64
}

var questions = []question{{readyTool, 64}, {readyTool, 1024}, {"", 1024}}

const readyTool = "ready"

// Probe asks a model to call a tool and tells what came of it. Most models
// need one request of at most 64 tokens. An error is one that says nothing of
// the model's tools, such as a wrong key.
func (c *Client) Probe(ctx context.Context, model string) (result ProbeResult, err error) {
	var spent app.Usage
	for _, q := range questions {
		var cut bool
		result, cut, err = c.probe(ctx, model, q)
		spent = both(spent, result.Usage)
		if err == nil && (result.Tools || !cut) || err != nil && !refused(err) {
			break
		}
	}
	result.Usage = spent
	var fault *agent.ModelError
	if errors.As(err, &fault) && fault.Reason == "no_tools" {
		result.Why, err = fault.Message, nil
	}
	return result, err
}

func (c *Client) probe(ctx context.Context, model string, q question) (result ProbeResult, cut bool, err error) {
	body, err := requestBytes(agent.Request{Model: model, System: "You test a connection.", MaxOutputTokens: q.limit,
		Items: []agent.Item{{Role: "user", Text: "Call the tool ready now."}},
		Tools: []agent.ToolSpec{{Name: readyTool, Description: "Say that you are ready.", Schema: json.RawMessage(readySchema)}}}, q.forced)
	if err != nil {
		return result, false, err
	}
	r, streamed, err := c.ask(ctx, body, nil)
	result = ProbeResult{Streams: streamed, Usage: r.Usage, Served: r.Served}
	switch {
	case err != nil:
		return result, false, err
	case len(r.Calls) > 0 && r.Calls[0].Tool == readyTool && len(r.Calls[0].Args) > 0 && r.Calls[0].Args[0] == '{':
		result.Tools = true
	case r.Cut:
		result.Why = "The model met its output limit before it called a tool."
	case len(r.Calls) > 0:
		result.Why = "The model called a tool that does not exist, or with arguments that are not JSON."
	default:
		result.Why = "The model answered in text instead of calling the tool that it was told to call."
	}
	return result, r.Cut, nil
}

const readySchema = `{"type":"object","properties":{"ready":{"type":"boolean","description":"always true"}},"required":["ready"],"additionalProperties":false}`

// refused tells whether it may be the way of asking that was refused.
func refused(err error) bool {
	var fault *agent.ModelError
	return errors.As(err, &fault) && (fault.Reason == "refused" || fault.Reason == "no_tools")
}

// both adds up what two questions used.
func both(a, b app.Usage) app.Usage {
	sum := app.Usage{PromptTokens: a.PromptTokens + b.PromptTokens, CachedTokens: a.CachedTokens + b.CachedTokens, CompletionTokens: a.CompletionTokens + b.CompletionTokens,
		ReasoningTokens: a.ReasoningTokens + b.ReasoningTokens, TotalTokens: a.TotalTokens + b.TotalTokens, Reported: a.Reported || b.Reported, GatewayCost: a.GatewayCost}
	if b.GatewayCost != nil {
		cost := *b.GatewayCost
		if a.GatewayCost != nil {
			cost += *a.GatewayCost
		}
		sum.GatewayCost = &cost
	}
	return sum
}
