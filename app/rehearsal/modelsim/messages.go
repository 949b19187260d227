package modelsim

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

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

// missing is a field that is absent, or null.
type missing string

func (m missing) Error() string { return "missing " + string(m) }

// UnmarshalJSON holds a call to its fields: null would else pass for no arguments.
func (c *ToolCall) UnmarshalJSON(raw []byte) error {
	type plain ToolCall
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode((*plain)(c)); err != nil {
		return err
	}
	var given struct{ Function struct{ Arguments *string } }
	if err := json.Unmarshal(raw, &given); err != nil || given.Function.Arguments == nil {
		return missing("messages.tool_calls.function.arguments")
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
		for _, check := range []func(int, Message) *apiError{checkContent, checkFields} {
			if problem := check(i, m); problem != nil {
				return problem
			}
		}
		if problem := checkPairs(i, m, open); problem != nil {
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
	slices.Sort(ids)
	return fail("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(ids, ", "))
}

var roles = []string{"system", "developer", "user", "assistant", "tool"}

// maxContent is the longest text of one message, in bytes.
const maxContent = 10 << 20

func checkContent(i int, m Message) *apiError {
	switch {
	case !slices.Contains(roles, m.Role):
		return fail("messages", "Invalid value: '%s'. Supported values are: 'system', 'developer', 'user', 'assistant', 'tool'. (messages[%d].role)", m.Role, i)
	case m.Content == nil && (m.Role != "assistant" || len(m.ToolCalls) == 0):
		return fail("messages", "Invalid value for 'content': expected a string, got null. (messages[%d])", i)
	case m.Content != nil && len(*m.Content) > maxContent:
		return fail("messages", "Invalid 'messages[%d].content': string too long. Expected a string with maximum length %d.", i, maxContent)
	}
	return nil
}

var authorName = regexp.MustCompile(`^[^\s<|\\/>]{1,64}$`)

// checkFields holds each field to the roles that have it.
func checkFields(i int, m Message) *apiError {
	switch {
	case m.ToolCalls != nil && m.Role != "assistant":
		return fail("messages", "Unknown parameter: 'messages[%d].tool_calls'.", i)
	case m.ToolCalls != nil && len(m.ToolCalls) == 0:
		return fail("messages", "Invalid 'messages[%d].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.", i)
	case len(m.ToolCalls) > maxTools:
		return fail("messages", "Invalid 'messages[%d].tool_calls': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", i, maxTools, len(m.ToolCalls))
	case m.ToolCallID != "" && m.Role != "tool":
		return fail("messages", "Unknown parameter: 'messages[%d].tool_call_id'.", i)
	case m.Name != "" && !authorName.MatchString(m.Name):
		return fail("messages", "Invalid 'messages[%d].name': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.", i)
	}
	return nil
}

// checkPairs opens the calls of a message and closes the one that it answers.
func checkPairs(i int, m Message, open map[string]bool) *apiError {
	for j, call := range m.ToolCalls {
		if problem := checkCall(i, j, call); problem != nil {
			return problem
		}
		if open[call.ID] {
			return fail("messages", "Duplicate value for 'tool_call_id' of '%s' in message[%d]", call.ID, i)
		}
		open[call.ID] = true
	}
	if m.Role != "tool" {
		return nil
	}
	if !open[m.ToolCallID] {
		return fail("messages", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[%d])", i)
	}
	delete(open, m.ToolCallID)
	return nil
}

// maxID is how long the id of a call may be.
const maxID = 40

func checkCall(i, j int, call ToolCall) *apiError {
	switch name := call.Function.Name; {
	case call.ID == "":
		return fail("messages", "Missing required parameter: 'messages[%d].tool_calls[%d].id'.", i, j)
	case len(call.ID) > maxID:
		return fail("messages", "Invalid 'messages[%d].tool_calls[%d].id': string too long. Expected a string with maximum length %d, but got a string with length %d instead.", i, j, maxID, len(call.ID))
	case call.Type != "function":
		return fail("messages", "Invalid value: '%s'. Supported values are: 'function'. (messages[%d].tool_calls[%d].type)", call.Type, i, j)
	case !functionName.MatchString(name):
		return fail("messages", "Invalid 'messages[%d].tool_calls[%d].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.", i, j)
	}
	return nil
}
