package openai_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/openai"
)

// with is a part of a stream with figures in it.
func with(part, figures string) string {
	return strings.Replace(part, `"choices"`, figures+`,"choices"`, 1)
}

// TestOnlyFiguresOfTheWholeCount: those that came before the end of an answer,
// those of a part of it, and those that can't be are as good as none.
func TestOnlyFiguresOfTheWholeCount(t *testing.T) {
	t.Parallel()
	const early = `"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11}`
	const free = `"usage":{"prompt_tokens":5000,"completion_tokens":0,"total_tokens":5000}`
	chunk := func(figures string) string { return with(`data: {"id":"x","model":"m","choices":[]}`+"\n\n", figures) }
	running := with(text("Do"), early) + strings.Repeat(text("ne."), 500)
	price := app.Price{Input: app.Dollar, Cached: app.Dollar / 10, Output: 10 * app.Dollar}
	for name, c := range map[string]struct {
		body    string
		counted bool
	}{
		"at the beginning, then gone":     {running + ends("stop"), false},
		"at the beginning, then an end":   {running + ends("stop") + done, false},
		"at the beginning, then null":     {running + ends("stop") + chunk(`"usage":null`) + done, false},
		"at the beginning, then zeros":    {running + ends("stop") + chunk(`"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`) + done, false},
		"at the beginning, no reason":     {running + done, false},
		"a chunk in the middle":           {text("Do") + last + strings.Repeat(text("ne."), 500) + ends("stop") + done, false},
		"at the beginning, then the last": {running + ends("stop") + last + done, true},
		"beside the end":                  {text("Done.") + with(ends("stop"), usage) + done, true},
		"a chunk before the end":          {text("Done.") + last + ends("stop") + done, true},
		"an answer for nothing":           {text("Done.") + ends("stop") + chunk(free) + done, false},
		"a call for nothing":              {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}}`) + ends("tool_calls") + chunk(free) + done, false},
		"thoughts for nothing":            {ends("length") + chunk(free) + done, false},
		"no prompt":                       {text("Done.") + ends("stop") + chunk(`"usage":{"prompt_tokens":0,"completion_tokens":5,"total_tokens":5}`) + done, false},
		"more cached than there is":       {text("Done.") + ends("stop") + chunk(`"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"cached_tokens":11}}`) + done, false},
		"thoughts in the total only":      {text("Done.") + ends("stop") + chunk(`"usage":{"prompt_tokens":10,"completion_tokens":0,"total_tokens":15}`) + done, true},
	} {
		client := serve(t, sending("text/event-stream", c.body, len(c.body)))
		got, err := client.Respond(t.Context(), request(t), nil)
		_, source := price.Cost(got.Usage, app.Dollar)
		if want := map[bool]app.CostSource{true: app.CostTable, false: app.CostBound}[c.counted]; err != nil || source != want {
			t.Errorf("%s: booked by %s, want %s: %+v, %v", name, source, want, got.Usage, err)
		}
	}
	plain := `{"id":"x","model":"m","choices":[{"message":{"content":"Done."},"finish_reason":"stop"}],` + free + `}`
	client := serve(t, sending("application/json", plain, len(plain)))
	if got, err := client.Respond(t.Context(), request(t), nil); err != nil || got.Usage.Reported {
		t.Errorf("in one piece, for nothing: %+v, %v", got.Usage, err)
	}
}

// TestNamesOfModelsAreBounded: an endpoint says what it likes.
func TestNamesOfModelsAreBounded(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"vendor/gpt-5:free_2.0": "vendor/gpt-5:free_2.0", strings.Repeat("m", 1<<20): strings.Repeat("m", 64), "gpt-5 <b>é\n@": "gpt-5b", "模型": "", "": "",
	} {
		body := strings.ReplaceAll(text("Done.")+ends("stop")+last+done, `"m"`, quoted(said))
		client := serve(t, sending("text/event-stream", body, len(body)))
		if got, err := client.Respond(t.Context(), request(t), nil); err != nil || got.Served != want {
			t.Errorf("%.80q is %q, want %q, %v", said, got.Served, want, err)
		}
	}
}

// TestLongAnswersTakeLinearWork: drafts of an answer of 8 MB in small pieces are
// built out of no more than some times its bytes, and early ones come often.
func TestLongAnswersTakeLinearWork(t *testing.T) {
	t.Parallel()
	const pieces, size = 64 << 10, 127
	piece := calls(`{"index":0,"function":{"arguments":"` + strings.Repeat("a", size) + `"}}`)
	body := calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\":\""}}`) + strings.Repeat(piece, pieces) +
		calls(`{"index":0,"function":{"arguments":"\"}"}}`) + ends("tool_calls") + last + done
	client := openai.New(openai.Config{BaseURL: "http://model/v1", HTTP: &http.Client{Transport: wire{body: []byte(body)}}})
	built, early, end := 0, 0, 0
	r, err := client.Respond(t.Context(), agent.Request{Model: "m"}, func(draft string) {
		built, end = built+len(draft), len(draft)
		if end < 64<<10 {
			early++
		}
	})
	if err != nil || len(r.Calls) != 1 || len(r.Calls[0].Args) < pieces*size {
		t.Fatalf("%d calls, %v", len(r.Calls), err)
	}
	if answer := len(r.Calls[0].Args); built > 30*answer || end < answer || early < 128 {
		t.Errorf("%d bytes of drafts for an answer of %d, %d drafts early on", built, answer, early)
	}
}

// TestRepeatedNamesTakeLinearWork: where each piece names its tool, the end of a
// call is found in its brackets, whatever stands in its texts.
func TestRepeatedNamesTakeLinearWork(t *testing.T) {
	t.Parallel()
	named := func(args string) string {
		return calls(`{"index":0,"function":{"name":"look","arguments":` + quoted(args) + `}}`)
	}
	const braces = 100_000
	for name, c := range map[string]struct {
		pieces []string
		want   []string
	}{
		"braces in a text": {append(append([]string{`{"n":"`}, strings.Split(strings.Repeat("}", braces), "")...), `"}`), []string{`{"n":"` + strings.Repeat("}", braces) + `"}`}},
		"a quoted quote":   {[]string{`{"n":"\"`, `}`, `\\"`, `}`, `{"n":2}`}, []string{`{"n":"\"}\\"}`, `{"n":2}`}},
		"inner objects":    {[]string{`{"n":{}`, `,"m":[{}`, `]}`, `{}`}, []string{`{"n":{},"m":[{}]}`, `{}`}},
		"no JSON":          {[]string{`}`, `}{`, `}`}, []string{`"}}{}"`}},
	} {
		var body strings.Builder
		for _, piece := range c.pieces {
			body.WriteString(named(piece))
		}
		body.WriteString(ends("tool_calls") + last + done)
		client := openai.New(openai.Config{BaseURL: "http://model/v1", HTTP: &http.Client{Transport: wire{body: []byte(body.String())}}})
		r, err := client.Respond(t.Context(), agent.Request{Model: "m"}, nil)
		var got []string
		for _, call := range r.Calls {
			got = append(got, string(call.Args))
		}
		if err != nil || !cmp.Equal(got, c.want) {
			t.Errorf("%s: %.200s, %v", name, fmt.Sprint(got), err)
		}
	}
}
