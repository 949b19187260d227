package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/agent"
)

// The parts of a stream.
func text(words string) string {
	return `data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"content":` + quoted(words) + `}}]}` + "\n\n"
}

func calls(deltas string) string {
	return `data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"tool_calls":[` + deltas + `]}}]}` + "\n\n"
}

func ends(reason string) string {
	return `data: {"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}` + "\n\n"
}

func quoted(s string) string {
	raw, _ := json.Marshal(s) // a string always has an encoding
	return string(raw)
}

const (
	done  = "data: [DONE]\n\n"
	usage = `"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`
	last  = `data: {"id":"x","model":"m","choices":[],` + usage + "}\n\n"
)

var spent = app.Usage{PromptTokens: 10, CompletionTokens: 2, TotalTokens: 12, Reported: true}

func spentFor(cost app.Nano) app.Usage {
	u := spent
	u.GatewayCost = &cost
	return u
}

func does(all ...string) agent.Response { // id, tool, arguments
	r := agent.Response{Served: "m", Usage: spent}
	for i := 0; i < len(all); i += 3 {
		r.Calls = append(r.Calls, agent.Call{ID: all[i], Tool: all[i+1], Args: json.RawMessage(all[i+2])})
	}
	return r
}

func says(words string) agent.Response { return agent.Response{Text: words, Served: "m", Usage: spent} }

// oddStreams are what endpoints send, and what it means.
var oddStreams = map[string]struct {
	body string
	want agent.Response
}{
	"as it should be":        {text("Do") + text("ne.") + ends("stop") + last + done, says("Done.")},
	"no end mark":            {text("Done.") + ends("stop") + last, says("Done.")},
	"no last empty line":     {text("Done.") + ends("stop") + strings.TrimSpace(last), says("Done.")},
	"no reason to stop":      {text("Done.") + last + done, says("Done.")},
	"no usage":               {text("Done.") + ends("stop") + done, agent.Response{Text: "Done.", Served: "m"}},
	"comments":               {": ping\n\n" + text("Do") + ":\n: ping\n\n" + text("ne.") + ends("stop") + ": ping\n\n" + last + done, says("Done.")},
	"signs of life":          {"event: ping\ndata: {\"type\":\"ping\"}\n\ndata:\n\ndata: ping\n\n" + text("Done.") + ends("stop") + last + done, says("Done.")},
	"further fields":         {"id: 7\nretry: 100\nevent: message\n" + text("Done.") + ends("stop") + last + done, says("Done.")},
	"no space":               {strings.ReplaceAll(text("Done.")+ends("stop")+last+done, "data: ", "data:"), says("Done.")},
	"several data lines":     {"data: {\"id\":\"x\",\"model\":\"m\",\ndata: \"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"Done.\"}}]}\n\n" + ends("stop") + last + done, says("Done.")},
	"no lines between":       {strings.ReplaceAll(text("Do")+text("ne.")+ends("stop")+last+done, "\n\n", "\n"), says("Done.")},
	"byte order mark":        {"\ufeff" + text("Done.") + ends("stop") + last + done, says("Done.")},
	"more after the end":     {text("Done.") + ends("stop") + last + done + text(" And more."), says("Done.")},
	"usage beside the end":   {text("Done.") + `data: {"id":"x","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],` + usage + "}\n\n" + done, says("Done.")},
	"usage in each piece":    {strings.ReplaceAll(text("Do"), `"choices"`, `"usage":{"prompt_tokens":10,"completion_tokens":1,"total_tokens":11},"choices"`) + text("ne.") + ends("stop") + last + done, says("Done.")},
	"usage then null":        {text("Done.") + ends("stop") + last + `data: {"id":"x","choices":[],"usage":null}` + "\n\n" + done, says("Done.")},
	"usage then zeros":       {text("Done.") + ends("stop") + last + `data: {"id":"x","choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}}` + "\n\n" + done, says("Done.")},
	"cost":                   {text("Done.") + ends("stop") + strings.Replace(last, `"total_tokens":12`, `"total_tokens":12,"cost":0.00042`, 1) + done, agent.Response{Text: "Done.", Served: "m", Usage: spentFor(420_000)}},
	"ids that differ":        {text("Do") + strings.Replace(text("ne."), `"id":"x"`, `"id":""`, 1) + ends("stop") + strings.Replace(last, `"id":"x"`, `"id":"y"`, 1) + done, says("Done.")},
	"a first piece of none":  {`data: {"id":"","model":"","choices":[],"prompt_filter_results":[]}` + "\n\n" + text("Done.") + ends("stop") + last + done, says("Done.")},
	"a second choice":        {text("Done.") + `data: {"choices":[{"index":1,"delta":{"content":"Or not."}}]}` + "\n\n" + ends("stop") + last + done, says("Done.")},
	"thoughts":               {`data: {"choices":[{"index":0,"delta":{"content":"","reasoning_content":"Hm."}}]}` + "\n\n" + text("Done.") + ends("stop") + last + done, says("Done.")},
	"a refusal":              {`data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"refusal":"I can't."}}]}` + "\n\n" + ends("stop") + last + done, says("I can't.")},
	"no error":               {strings.Replace(text("Done."), `"id"`, `"error":null,"id"`, 1) + ends("stop") + last + done, says("Done.")},
	"an error after the end": {text("Done.") + ends("stop") + last + `data: {"error":{"message":"log full"}}` + "\n\n", says("Done.")},
	"cut by its limit":       {text("Do") + ends("length") + last + done, agent.Response{Text: "Do", Served: "m", Usage: spent, Cut: true}},

	"calls one after another": {calls(`{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":""}}`) + calls(`{"index":0,"function":{"arguments":"{\"n\""}}`) + calls(`{"index":0,"function":{"arguments":":1}"}}`) +
		calls(`{"index":1,"id":"b","type":"function","function":{"name":"rest","arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{"n":1}`, "b", "rest", `{}`)},
	"calls at once": {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\""}},{"index":1,"id":"b","function":{"name":"look","arguments":"{"}}`) +
		calls(`{"index":1,"function":{"arguments":"\"n\":2"}},{"index":0,"function":{"arguments":":1"}}`) + calls(`{"index":0,"function":{"arguments":"}"}}`) + calls(`{"index":1,"function":{"arguments":"}"}}`) + ends("tool_calls") + last + done,
		does("a", "look", `{"n":1}`, "b", "look", `{"n":2}`)},
	"out of order, with gaps": {calls(`{"index":5,"id":"b","function":{"name":"rest","arguments":"{}"}}`) + calls(`{"index":2,"id":"a","function":{"name":"look","arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`, "b", "rest", `{}`)},
	"all numbered 0":          {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"look","arguments":"{\"n\""}}`) + calls(`{"index":0,"function":{"arguments":":2}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`, "b", "look", `{"n":2}`)},
	"all numbered 0, no ids":  {calls(`{"index":0,"id":"","function":{"name":"look","arguments":"{}"}},{"index":0,"id":"","function":{"name":"look","arguments":"{\"n\":2}"}}`) + ends("tool_calls") + last + done, does("x_0", "look", `{}`, "x_1", "look", `{"n":2}`)},
	"no numbers":              {calls(`{"id":"a","function":{"name":"look","arguments":"{\"n\""}}`) + calls(`{"function":{"arguments":":1}"}}`) + calls(`{"id":"b","function":{"name":"rest","arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{"n":1}`, "b", "rest", `{}`)},
	"no numbers, at once":     {calls(`{"id":"a","function":{"name":"look","arguments":"{"}},{"id":"b","function":{"name":"rest","arguments":"{"}}`) + calls(`{"id":"a","function":{"arguments":"}"}},{"id":"b","function":{"arguments":"}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`, "b", "rest", `{}`)},
	"neither numbers nor ids": {calls(`{"function":{"name":"look","arguments":"{}"}}`) + calls(`{"function":{"name":"look","arguments":"{\"n\":2}"}}`) + calls(`{"function":{"name":"rest","arguments":""}}`) + ends("tool_calls") + last + done, does("x_0", "look", `{}`, "x_1", "look", `{"n":2}`, "x_2", "rest", `{}`)},
	"a name in each piece":    {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\""}}`) + calls(`{"index":0,"id":"a","function":{"name":"look","arguments":":1}"}}`) + calls(`{"index":0,"id":"a","function":{"name":"look","arguments":""}}`) + ends("tool_calls") + last + done, does("a", "look", `{"n":1}`)},
	"an id that comes late":   {calls(`{"index":0,"function":{"name":"look"}}`) + calls(`{"index":0,"id":"a","function":{"arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`)},
	"a name in two halves":    {calls(`{"index":0,"id":"a","function":{"name":"lo"}}`) + calls(`{"index":0,"function":{"name":"ok","arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`)},
	"one id for two calls":    {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}}`) + calls(`{"index":1,"id":"a","function":{"name":"rest","arguments":"{}"}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`, "a", "rest", `{}`)},
	"an empty shell":          {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}},{"index":1,"id":null,"function":{"name":null,"arguments":""}}`) + ends("tool_calls") + last + done, does("a", "look", `{}`)},
	"arguments cut off":       {calls(`{"index":0,"id":"a","function":{"name":"look","arguments":"{\"n\""}}`) + ends("tool_calls") + last + done, does("a", "look", `"{\"n\""`)},
}

// TestStreamsAreReadHoweverTheyCome: in one packet, byte by byte, with either
// kind of line end, under any label.
func TestStreamsAreReadHoweverTheyCome(t *testing.T) {
	t.Parallel()
	for name, c := range oddStreams {
		for _, kind := range []string{"text/event-stream; charset=utf-8", "text/plain"} {
			for _, body := range []string{c.body, strings.ReplaceAll(c.body, "\n", "\r\n")} {
				for _, size := range []int{1, len(body)} {
					client := serve(t, sending(kind, body, size))
					got, err := client.Respond(t.Context(), request(t), nil)
					if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
						t.Errorf("%s (%s, %d bytes at once): %v %s", name, kind, size, err, diff)
					}
				}
			}
		}
	}
}

// sending answers with a body in pieces of a size.
func sending(kind, body string, size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for rest := body; rest != ""; {
			piece := rest[:min(size, len(rest))]
			if rest = rest[len(piece):]; size < len(body) {
				_, _ = w.Write([]byte(piece))
				_ = http.NewResponseController(w).Flush()
				continue
			}
			_, _ = w.Write([]byte(piece))
		}
	}
}

// TestStreamsThatFail: each is a fault that may have been billed, with what it
// used where that counts the whole answer.
func TestStreamsThatFail(t *testing.T) {
	t.Parallel()
	running := strings.Replace(text("Do"), `"choices"`, usage+`,"choices"`, 1)
	for name, c := range map[string]struct {
		body, reason, says string
		counted            bool
	}{
		"broken off":            {text("Do"), "broken", "broke off in the middle", false},
		"broken off in a piece": {text("Do") + `data: {"choices":[{"in`, "broken", "not JSON", false},
		"broken off in a word":  {text("Do") + "da", "broken", "broke off", false},
		"nothing":               {"", "broken", "broke off", false},
		"signs of life only":    {": ping\n\n: ping\n\n", "broken", "broke off", false},
		"a piece that is no JSON": {text("Do") + "data: {nonsense}\n\n" + ends("stop") + last + done,
			"broken", "not JSON", false},
		"an error in the middle":  {text("Do") + `data: {"error":{"message":"upstream ` + key + ` died","code":502}}` + "\n\n" + done, "server", "in the middle of its answer: upstream [key] died", false},
		"an error with its usage": {text("Do") + last + `data: {"error":{"message":"died"}}` + "\n\n" + done, "server", "died", true},
		"an error of few words":   {text("Do") + "event: error\ndata: {\"error\":\"died\"}\n\n", "server", "died", false},
		"an error without words":  {`data: {"error":{"code":1}}` + "\n\n", "server", "failed in the middle of its answer.", false},
		"an error as an object":   {text("Do") + `data: {"object":"error","message":"died"}` + "\n\n", "server", "died", false},
		"an upstream's error":     {text("Do") + ends("error") + last + done, "server", "in the middle", true},
		"figures so far only":     {running, "broken", "broke off", false},
		"filtered":                {text("Do") + ends("content_filter") + last + done, "refused", "content filter", true},
		"filtered, uncounted":     {text("Do") + ends("content_filter") + done, "refused", "content filter", false},
		"empty":                   {ends("stop") + last + done, "empty", "no text and no tool call", true},
		"an end at once":          {done, "empty", "no text", false},
		"shells only":             {calls(`{"index":0,"id":"a","function":{"name":"","arguments":""}}`) + ends("tool_calls") + last + done, "empty", "no text", true},
		"too many calls":          {calls(strings.Repeat(`{"id":"","function":{"name":"look","arguments":"{}"}},`, 600)+`{}`) + ends("tool_calls") + done, "broken", "too long", false},
		"too long":                {strings.Repeat(text(strings.Repeat("x", 1<<20)), 9) + ends("stop") + done, "broken", "too long", false},
	} {
		client := serve(t, sending("text/event-stream", c.body, max(len(c.body), 1)))
		_, err := client.Respond(t.Context(), request(t), nil)
		var got *agent.ModelError
		if !errors.As(err, &got) || got.Reason != c.reason || !strings.Contains(got.Message, c.says) || !got.MayBeBilled() || strings.Contains(got.Message, key) {
			t.Errorf("%s: got %+v, want %s", name, err, c.reason)
			continue
		}
		if (got.Usage != nil) != c.counted || c.counted && *got.Usage != spent {
			t.Errorf("%s: usage %+v", name, got.Usage)
		}
	}
}

// TestCostsInHeadersOfStreams: the header goes out before the answer is made,
// so that nothing in it means not known.
func TestCostsInHeadersOfStreams(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]app.Usage{"": spent, "0.0": spent, "0.0031": spentFor(3_100_000)} {
		client := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("x-litellm-response-cost", header)
			sending("text/event-stream", text("Done.")+ends("stop")+last+done, 1<<20)(w, r)
		})
		got, err := client.Respond(t.Context(), request(t), nil)
		if diff := cmp.Diff(want, got.Usage); err != nil || diff != "" {
			t.Errorf("%q: %v %s", header, err, diff)
		}
	}
}
