package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
)

// stream puts together an answer that comes in pieces. The library's own
// accumulator refuses what many endpoints send, and loses what they charge.
type stream struct {
	id, model     string
	text, refusal strings.Builder
	calls         []*partial
	finish        string
	usage         openai.CompletionUsage
	counted       bool // the usage is there, and counts all that came
	done          bool
	size          int // of the text and the calls, in bytes
}

// take reads one event: a piece, a sign of life, the end, or several of them
// where an endpoint forgot the empty line between its events.
func (s *stream) take(data []byte) error {
	for data = bytes.TrimSpace(data); len(data) > 0 && !s.done; {
		if s.done = bytes.HasPrefix(data, []byte("[DONE]")); s.done || data[0] != '{' {
			return nil
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return errNotChunk
		}
		if err := s.add(raw); err != nil {
			return err
		}
		data = bytes.TrimSpace(data[dec.InputOffset():])
	}
	return nil
}

func (s *stream) add(raw json.RawMessage) error {
	var chunk openai.ChatCompletionChunk
	if json.Unmarshal(raw, &chunk) != nil {
		return errNotChunk
	}
	if given(chunk.JSON.ExtraFields["error"]) || chunk.Object == "error" {
		return saidError{raw}
	}
	s.id, s.model = or(s.id, chunk.ID), or(s.model, chunk.Model)
	for _, choice := range chunk.Choices {
		if choice.Index == 0 {
			s.write(choice)
		}
	}
	if given(chunk.JSON.Usage) {
		s.count(chunk.Usage, len(chunk.Choices) == 0)
	}
	if s.size > maxAnswer || len(s.calls) > maxCalls {
		return errTooLong
	}
	return nil
}

// write adds what the model wrote.
func (s *stream) write(choice openai.ChatCompletionChunkChoice) {
	s.text.WriteString(choice.Delta.Content)
	s.refusal.WriteString(choice.Delta.Refusal)
	before := s.size
	s.size += len(choice.Delta.Content) + len(choice.Delta.Refusal)
	for _, p := range choice.Delta.ToolCalls {
		if len(s.calls) <= maxCalls { // one more than is read: add refuses it
			s.size += s.call(p).add(p)
		}
	}
	s.counted = s.counted && s.size == before
	s.finish = or(choice.FinishReason, s.finish)
}

// count keeps the newest figures: some endpoints report them again and again.
// last: in a piece of its own, which is the end of an answer.
func (s *stream) count(u openai.CompletionUsage, last bool) {
	if u.TotalTokens > 0 || u.PromptTokens > 0 || u.CompletionTokens > 0 || given(u.JSON.ExtraFields["cost"]) {
		s.usage, s.counted = u, last || s.finish != ""
	}
}

func given(f respjson.Field) bool { return f.Raw() != "" && f.Raw() != "null" }

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
