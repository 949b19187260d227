package modelsim

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Request is what a caller asked, as far as it is used.
type Request struct {
	Model     string          `json:"model"`
	Messages  []Message       `json:"messages"`
	Tools     []Tool          `json:"tools"`
	MaxTokens int64           `json:"max_completion_tokens"`
	Raw       json.RawMessage `json:"-"` // the whole body

	brief value // the first user message
}

// Message is one message of the conversation.
type Message struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`
	Name       string     `json:"name"`
}

// ToolCall is a call that the model asked for.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a function that the model may call.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Strict      bool            `json:"strict"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// accepted are the further fields that the API knows. They change nothing here.
type accepted struct {
	Request
	Temperature       json.RawMessage `json:"temperature"`
	TopP              json.RawMessage `json:"top_p"`
	Seed              json.RawMessage `json:"seed"`
	User              json.RawMessage `json:"user"`
	Store             json.RawMessage `json:"store"`
	Metadata          json.RawMessage `json:"metadata"`
	ReasoningEffort   json.RawMessage `json:"reasoning_effort"`
	ToolChoice        json.RawMessage `json:"tool_choice"`
	ParallelToolCalls json.RawMessage `json:"parallel_tool_calls"`
	PromptCacheKey    json.RawMessage `json:"prompt_cache_key"`
	ServiceTier       json.RawMessage `json:"service_tier"`
	Stream            bool            `json:"stream"`
}

// parse reads and validates a request as the real API does.
func parse(raw []byte) (Request, *apiError) {
	var a accepted
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return Request{}, unreadable(err)
	}
	for _, check := range []func(accepted) *apiError{checkHead, checkMessages, checkTools} {
		if problem := check(a); problem != nil {
			return Request{}, problem
		}
	}
	a.Raw, a.brief = raw, briefOf(a.Messages)
	return a.Request, nil
}

func unreadable(err error) *apiError {
	var e apiError
	var wrong *json.UnmarshalTypeError
	switch field, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); {
	case unknown:
		e = invalid("", "Unrecognized request argument supplied: %s", strings.Trim(field, `"`))
	case errors.As(err, &wrong):
		field := strings.TrimPrefix(wrong.Field, "Request.")
		e = invalid(field, "Invalid type for '%s': got %s instead.", field, wrong.Value)
	default:
		e = invalid("", "We could not parse the JSON body of your request.")
	}
	return &e
}

func fail(param, format string, args ...any) *apiError {
	e := invalid(param, format, args...)
	return &e
}

func checkHead(a accepted) *apiError {
	switch {
	case a.Model == "":
		return fail("", "you must provide a model parameter")
	case len(a.Messages) == 0:
		return fail("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1.")
	case a.MaxTokens < 0:
		return fail("max_completion_tokens", "Invalid 'max_completion_tokens': integer below minimum value.")
	case a.Stream:
		return fail("stream", "This server does not stream.")
	}
	return nil
}

// checkMessages holds the conversation to the API's invariant: each tool call is
// answered exactly once, right after the message that asked for it.
func checkMessages(a accepted) *apiError {
	open := map[string]bool{}
	for i, m := range a.Messages {
		if m.Role != "tool" && len(open) > 0 {
			return unansweredCalls(open)
		}
		if problem := checkMessage(i, m, open); problem != nil {
			return problem
		}
	}
	if len(open) > 0 {
		return unansweredCalls(open)
	}
	return nil
}

func unansweredCalls(open map[string]bool) *apiError {
	var ids []string
	for id := range open {
		ids = append(ids, id)
	}
	return fail("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

func checkMessage(i int, m Message, open map[string]bool) *apiError {
	switch m.Role {
	case "system", "developer", "user":
		if m.Content == nil {
			return fail("messages", "Invalid value for 'content': expected a string, got null. (messages[%d])", i)
		}
	case "assistant":
		if m.Content == nil && len(m.ToolCalls) == 0 {
			return fail("messages", "Invalid value for 'content': expected a string, got null. (messages[%d])", i)
		}
		for _, call := range m.ToolCalls {
			if call.ID == "" || call.Type != "function" || call.Function.Name == "" || open[call.ID] {
				return fail("messages", "Invalid 'messages[%d].tool_calls': each needs its own id, the type function and a name.", i)
			}
			open[call.ID] = true
		}
	case "tool":
		if !open[m.ToolCallID] {
			return fail("messages", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[%d])", i)
		}
		if m.Content == nil {
			return fail("messages", "Invalid value for 'content': expected a string, got null. (messages[%d])", i)
		}
		delete(open, m.ToolCallID)
	default:
		return fail("messages", "Invalid value: '%s'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool'. (messages[%d].role)", m.Role, i)
	}
	return nil
}
