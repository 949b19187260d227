package openai

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"
)

// partial is a tool call of which pieces have come.
type partial struct {
	index    int64
	id, name string
	args     strings.Builder
	nesting  nesting
}

type piece = openai.ChatCompletionChunkChoiceDeltaToolCall

// call returns the tool call that a piece belongs to, a new one when it begins one.
func (s *stream) call(p piece) *partial {
	numbered := p.JSON.Index.Valid()
	var last *partial
	for _, c := range slices.Backward(s.calls) {
		if numbered && c.index != p.Index {
			continue
		}
		if p.ID != "" && p.ID == c.id {
			return c
		}
		if last == nil {
			last = c
		}
	}
	if last != nil && last.goesOn(p) {
		return last
	}
	index := p.Index
	if n := len(s.calls); !numbered && n > 0 {
		index = s.calls[n-1].index + 1
	}
	s.calls = append(s.calls, &partial{index: index})
	return s.calls[len(s.calls)-1]
}

// goesOn tells whether a piece that names no other call belongs to c. Some
// endpoints give all their calls the number 0, others give none or no ids, and
// some repeat the name with each piece.
func (c *partial) goesOn(p piece) bool {
	switch name := p.Function.Name; {
	case name == "":
		return true
	case p.ID != "" && c.id != "":
		return false
	case c.args.Len() == 0:
		return true
	default:
		return name == c.name && (p.Function.Arguments == "" || !c.whole())
	}
}

// whole tells whether the arguments end with the object that they began with.
func (c *partial) whole() bool {
	return c.nesting.closed == c.args.Len() && json.Valid([]byte(c.args.String()))
}

// add returns how many bytes longer the call has become.
func (c *partial) add(p piece) int {
	before := len(c.name) + c.args.Len()
	c.id = or(c.id, p.ID)
	if c.args.Len() == 0 && p.Function.Name != c.name {
		c.name += p.Function.Name
	}
	c.args.WriteString(p.Function.Arguments)
	c.nesting.read(p.Function.Arguments)
	return len(c.name) + c.args.Len() - before
}

// draft is the answer as far as it has come.
func (s *stream) draft() string {
	text := or(s.text.String(), s.refusal.String())
	if len(s.calls) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text)
	for _, c := range s.calls {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("→ " + c.name + "(")
		b.WriteString(c.args.String())
	}
	return b.String()
}

// completion is the answer as it would have come in one piece. Figures of its
// beginning are none of the whole.
func (s *stream) completion() openai.ChatCompletion {
	slices.SortStableFunc(s.calls, func(a, b *partial) int { return cmp.Compare(a.index, b.index) })
	message := openai.ChatCompletionMessage{Content: s.text.String(), Refusal: s.refusal.String()}
	for _, c := range s.calls {
		message.ToolCalls = append(message.ToolCalls, openai.ChatCompletionMessageToolCallUnion{ID: c.id,
			Function: openai.ChatCompletionMessageFunctionToolCallFunction{Name: c.name, Arguments: c.args.String()}})
	}
	used := openai.CompletionUsage{}
	if s.counted {
		used = s.usage
	}
	return openai.ChatCompletion{ID: s.id, Model: s.model, Usage: used,
		Choices: []openai.ChatCompletionChoice{{FinishReason: s.finish, Message: message}}}
}
