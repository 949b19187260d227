package telemetry

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	otel "go.opentelemetry.io/otel/attribute"

	"vivra/app/agent"
)

// What was said, which is sent only when that is asked for. Spans hold it as
// JSON, in the shape that the conventions give.
const (
	keySystem    = otel.Key("gen_ai.system_instructions")
	keyInput     = otel.Key("gen_ai.input.messages")
	keyOutput    = otel.Key("gen_ai.output.messages")
	keyArguments = otel.Key("gen_ai.tool.call.arguments")
	keyResult    = otel.Key("gen_ai.tool.call.result")
)

const (
	maxPart     = 8 << 10  // bytes of one text
	maxMessages = 96 << 10 // bytes of one request's messages; collectors refuse large batches
)

type message struct {
	Role         string `json:"role"`
	Parts        []part `json:"parts"`
	FinishReason string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string `json:"type"`
	Content   string `json:"content,omitempty"`
	ID        string `json:"id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments any    `json:"arguments,omitempty"`
	Response  any    `json:"response,omitempty"`
}

func promptAttributes(req agent.Request) []attribute {
	return []attribute{keySystem.String(encode([]part{{Type: "text", Content: clip(req.System)}})), keyInput.String(messages(req.Items))}
}

func outputAttributes(answer agent.Response) []attribute {
	m := spoken(agent.Item{Role: "assistant", Text: answer.Text, Calls: answer.Calls})
	m.FinishReason = finishReason(answer)
	return []attribute{keyOutput.String(encode([]message{m}))}
}

func toolContent(args json.RawMessage, out agent.Outcome) []attribute {
	return []attribute{keyArguments.String(clip(string(args))), keyResult.String(clip(out.Text))}
}

// messages encodes a transcript. Of one that is too long the newest messages
// stay, and the first, which gives the task.
func messages(items []agent.Item) string {
	var encoded []string
	size := 0
	for _, it := range items {
		text := encode(spoken(it))
		encoded = append(encoded, text)
		size += len(text)
	}
	for size > maxMessages && len(encoded) > 2 {
		size -= len(encoded[1])
		encoded = append(encoded[:1], encoded[2:]...)
	}
	return "[" + strings.Join(encoded, ",") + "]"
}

func spoken(it agent.Item) message {
	m := message{Role: it.Role, Parts: []part{}}
	if it.Role == "tool" {
		m.Parts = append(m.Parts, part{Type: "tool_call_response", ID: it.CallID, Response: clip(it.Text)})
		return m
	}
	if it.Text != "" {
		m.Parts = append(m.Parts, part{Type: "text", Content: clip(it.Text)})
	}
	for _, call := range it.Calls {
		m.Parts = append(m.Parts, part{Type: "tool_call", ID: call.ID, Name: call.Tool, Arguments: arguments(call.Args)})
	}
	return m
}

// arguments are JSON as the model wrote them, or text when they are too long or
// no JSON.
func arguments(args json.RawMessage) any {
	if len(args) <= maxPart && json.Valid(args) {
		return args
	}
	return clip(string(args))
}

func clip(text string) string {
	if len(text) > maxPart {
		text = text[:maxPart] + "…"
	}
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

func encode(v any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimRight(out.String(), "\n")
}
