package openai

import (
	"encoding/json"
	"fmt"

	"vivra/app/agent"
)

// The body of POST /chat/completions, in the order in which it is written.
// Wire format: https://platform.openai.com/docs/api-reference/chat/create
type (
	body struct {
		Model         string        `json:"model"`
		Messages      []message     `json:"messages"`
		Tools         []tool        `json:"tools,omitempty"`
		ToolChoice    *tool         `json:"tool_choice,omitempty"`
		MaxTokens     int64         `json:"max_completion_tokens,omitempty"`
		Temperature   *float64      `json:"temperature,omitempty"`
		Stream        bool          `json:"stream"`
		StreamOptions streamOptions `json:"stream_options"`
	}
	streamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	}
	message struct {
		Role       string     `json:"role"`
		Content    *string    `json:"content"` // null beside tool calls
		ToolCalls  []toolCall `json:"tool_calls,omitempty"`
		ToolCallID string     `json:"tool_call_id,omitempty"`
	}
	toolCall struct {
		ID       string       `json:"id"`
		Type     string       `json:"type"`
		Function functionCall `json:"function"`
	}
	functionCall struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Strict      bool            `json:"strict,omitempty"`
		Parameters  json.RawMessage `json:"parameters,omitempty"`
	}
)

// RequestBytes returns the exact bytes that Respond sends: equal requests have
// equal bytes. They are hashed, and counted as the most tokens a prompt can have.
func (c *Client) RequestBytes(req agent.Request) ([]byte, error) {
	return requestBytes(req, "")
}

// requestBytes encodes a request; forced is the one tool that may be called,
// empty for the model's choice.
func requestBytes(req agent.Request, forced string) ([]byte, error) {
	b := body{Model: req.Model, MaxTokens: req.MaxOutputTokens, Temperature: req.Temperature, Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
		Messages: []message{{Role: "system", Content: &req.System}}}
	if forced != "" {
		b.ToolChoice = &tool{Type: "function", Function: function{Name: forced}}
	}
	for _, item := range req.Items {
		b.Messages = append(b.Messages, itemMessage(item))
	}
	for _, spec := range req.Tools {
		parameters, err := strictSchema(spec.Schema)
		if err != nil {
			return nil, fmt.Errorf("schema of tool %s: %w", spec.Name, err)
		}
		b.Tools = append(b.Tools, tool{"function", function{spec.Name, spec.Description, true, parameters}})
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return raw, nil
}

func itemMessage(item agent.Item) message {
	m := message{Role: item.Role, ToolCallID: item.CallID}
	if item.Text != "" || len(item.Calls) == 0 {
		m.Content = &item.Text
	}
	for _, call := range item.Calls {
		m.ToolCalls = append(m.ToolCalls, toolCall{call.ID, "function", functionCall{call.Tool, writeArgs(call.Args)}})
	}
	return m
}

// writeArgs gives the model its arguments back as it wrote them: those that
// were no JSON are kept as a JSON string.
func writeArgs(args json.RawMessage) string {
	var text string
	if json.Unmarshal(args, &text) == nil {
		return text
	}
	return string(args)
}

// readArgs keeps what a model wrote as JSON whatever it wrote.
func readArgs(text string) json.RawMessage {
	switch {
	case text == "": // some models write nothing for a tool without arguments
		return json.RawMessage("{}")
	case json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	quoted, _ := json.Marshal(text) // a string always has an encoding
	return quoted
}
