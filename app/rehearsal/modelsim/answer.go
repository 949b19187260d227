package modelsim

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"strconv"
)

// Answer is what a model says.
type Answer struct {
	Text  string
	Calls []ToolCall
	// FinishReason is stop or tool_calls when empty.
	FinishReason string
	// Usage replaces the computed figures when it is not nil; "null" leaves them out.
	Usage json.RawMessage
	// Header is added to the response's.
	Header http.Header
	// Fault strikes this answer; one that is not midway is served in its place.
	Fault *Fault
}

// Do is an answer that calls one tool.
func Do(tool string, args any) Answer { return Answer{Calls: []ToolCall{NewCall(tool, args)}} }

// NewCall asks for a tool; its id is given when it is sent. Arguments that are
// a string are sent as they are, whether they are JSON or not.
func NewCall(tool string, args any) (c ToolCall) {
	c.Type, c.Function.Name = "function", tool
	if text, ok := args.(string); ok {
		c.Function.Arguments = text
		return c
	}
	raw, err := json.Marshal(args)
	if err != nil {
		panic(fmt.Sprintf("modelsim: arguments of %s: %v", tool, err)) // a script passes plain values
	}
	c.Function.Arguments = string(raw)
	return c
}

// InTurn is a script that answers the n-th turn of any run with the n-th
// answer, and says that it is over after the last. It follows from the request
// alone, so a run can be taken up again anywhere.
func InTurn(answers ...Answer) func(Request) (Answer, bool) {
	return func(req Request) (Answer, bool) {
		turn := 0
		for _, m := range req.Messages {
			if m.Role == "assistant" {
				turn++
			}
		}
		if turn >= len(answers) {
			return Answer{Text: "That was all."}, true
		}
		a := answers[turn]
		a.Calls = append([]ToolCall(nil), a.Calls...)
		return a, true
	}
}

// hash mixes texts into one number.
func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, part := range parts {
		_, _ = h.Write([]byte(part)) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// place names a request by what it is about: nonces and ids in it are new in
// every run, and must not change what the models say and cost.
func (r Request) place() uint64 {
	b := r.brief
	return hash(r.Model, b.at("step").str(), b.at("token", "address").str(), b.at("rejection_reason").str(), strconv.Itoa(len(r.Messages)))
}

// complete gives ids to the calls and counts the usage. Both follow from the
// request's place and the seed, so a takeover costs the same when it is repeated.
func (a Answer) complete(req Request, seed int64) Answer {
	h := req.place()
	for i := range a.Calls {
		if a.Calls[i].ID == "" {
			a.Calls[i].ID = fmt.Sprintf("call_%016x%02d", h, i)
		}
	}
	if a.FinishReason == "" {
		a.FinishReason = "stop"
		if len(a.Calls) > 0 {
			a.FinishReason = "tool_calls"
		}
	}
	if a.Usage == nil {
		a.Usage = a.count(req, rand.New(rand.NewPCG(h, uint64(seed))))
	}
	return a
}

type usage struct {
	Prompt        int64 `json:"prompt_tokens"`
	Completion    int64 `json:"completion_tokens"`
	Total         int64 `json:"total_tokens"`
	PromptDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// count makes figures as a real model would report them: a token is about four
// bytes, the cache holds what the turn before already sent, in blocks of 128.
func (a Answer) count(req Request, rng *rand.Rand) json.RawMessage {
	var u usage
	u.Prompt = int64(len(req.Raw))/4 + 1
	written := int64(len(a.Text))
	for _, call := range a.Calls {
		written += int64(len(call.Function.Name) + len(call.Function.Arguments))
	}
	u.CompletionDetails.Reasoning = 64 * int64(1+rng.IntN(10))
	u.Completion = written/4 + 8 + u.CompletionDetails.Reasoning
	if req.MaxTokens > 0 {
		u.Completion = min(u.Completion, req.MaxTokens)
		u.CompletionDetails.Reasoning = min(u.CompletionDetails.Reasoning, u.Completion)
	}
	if seen := sentBefore(req); seen > 0 {
		u.PromptDetails.Cached = min(int64(seen)/4/128*128, u.Prompt)
	}
	u.Total = u.Prompt + u.Completion
	raw, _ := json.Marshal(u) // numbers only
	return raw
}

// sentBefore is how many bytes of the messages the turn before already had, 0
// in the first turn.
func sentBefore(req Request) int {
	n, seen := 0, 0
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			seen = n
		}
		if m.Content != nil {
			n += len(*m.Content)
		}
		for _, call := range m.ToolCalls {
			n += len(call.Function.Arguments)
		}
	}
	return seen
}

// answerID names the answer to a request.
func (r Request) answerID() string { return fmt.Sprintf("chatcmpl-%016x", r.place()) }

func (a Answer) head(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
}

// write sends a as a chat completion in one piece.
func (a Answer) write(w http.ResponseWriter, req Request, created int64) {
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil}
	if a.Text != "" {
		message["content"] = a.Text
	}
	if len(a.Calls) > 0 {
		message["tool_calls"] = a.Calls
	}
	body := map[string]any{
		"id": req.answerID(), "object": "chat.completion",
		"created": created, "model": req.Model,
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": a.FinishReason}},
	}
	if string(a.Usage) != "null" {
		body["usage"] = a.Usage
	}
	a.head(w)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the caller may be gone
}
