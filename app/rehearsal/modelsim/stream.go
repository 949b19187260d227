package modelsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
	"unicode/utf8"
)

// chunk is one event of a streamed answer.
type chunk struct {
	ID      string          `json:"id"`
	Object  string          `json:"object"`
	Created int64           `json:"created"`
	Model   string          `json:"model"`
	Choices []chunkChoice   `json:"choices"`
	Usage   json.RawMessage `json:"usage,omitempty"` // null in all but the last, absent when it was not asked for
}

type chunkChoice struct {
	Index  int            `json:"index"`
	Delta  map[string]any `json:"delta"`
	Logs   any            `json:"logprobs"`
	Finish any            `json:"finish_reason"`
}

// chunks are the events of an answer: first the role, then the text and the
// calls in pieces, the reason to stop, and the usage without a choice.
func (a Answer) chunks(req Request, created int64, size int) []chunk {
	base := chunk{ID: req.answerID(), Object: "chat.completion.chunk", Created: created, Model: req.Model}
	usage := req.StreamOptions != nil && req.StreamOptions.IncludeUsage && string(a.Usage) != "null"
	if usage {
		base.Usage = json.RawMessage("null")
	}
	var all []chunk
	say := func(finish any, delta map[string]any) {
		c := base
		c.Choices = []chunkChoice{{Delta: delta, Finish: finish}}
		all = append(all, c)
	}
	say(nil, map[string]any{"role": "assistant", "content": "", "refusal": nil})
	for _, piece := range pieces(a.Text, size) {
		say(nil, map[string]any{"content": piece})
	}
	for i, call := range a.Calls {
		for _, delta := range callDeltas(i, call, size) {
			say(nil, map[string]any{"tool_calls": []any{delta}})
		}
	}
	say(a.FinishReason, map[string]any{})
	if usage {
		base.Choices, base.Usage = []chunkChoice{}, a.Usage
		all = append(all, base)
	}
	return all
}

// callDeltas are a call's name and id, then its arguments in pieces.
func callDeltas(i int, call ToolCall, size int) []map[string]any {
	all := []map[string]any{{"index": i, "id": call.ID, "type": "function",
		"function": map[string]string{"name": call.Function.Name, "arguments": ""}}}
	for _, piece := range pieces(call.Function.Arguments, size) {
		all = append(all, map[string]any{"index": i, "function": map[string]string{"arguments": piece}})
	}
	return all
}

// pieces cuts a text between its runes. size 0: into few pieces, however long
// the text is.
func pieces(text string, size int) (all []string) {
	if size <= 0 {
		size = max(32, len(text)/8)
	}
	for len(text) > 0 {
		end := 0
		for end < min(size, len(text)) {
			_, n := utf8.DecodeRuneInString(text[end:])
			end += n
		}
		all, text = append(all, text[:end]), text[end:]
	}
	return all
}

// stream sends a as server-sent events, evenly over the time that it may take.
func (a Answer) stream(w http.ResponseWriter, r *http.Request, chunks []chunk, took time.Duration) {
	a.head(w)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache, must-revalidate")
	out := http.NewResponseController(w)
	for _, c := range chunks {
		raw, err := json.Marshal(c)
		if err != nil || !sleep(r, took/time.Duration(len(chunks))) {
			return // a usage that is no JSON, or the caller left
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", raw); err != nil {
			return
		}
		_ = out.Flush() // the caller may be gone
	}
	_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
}

// sleep takes its time; false when the caller left.
func sleep(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}
