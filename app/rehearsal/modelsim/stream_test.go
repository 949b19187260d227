package modelsim_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app/rehearsal/modelsim"
)

// ask sends a body and returns what comes of it.
func ask(t *testing.T, url, body string) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return res, string(text), err
}

const streamed = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}`

func both(modelsim.Request) (modelsim.Answer, bool) {
	return modelsim.Answer{Text: "é, two calls.", Calls: []modelsim.ToolCall{modelsim.NewCall("f", map[string]int{"n": 1}), modelsim.NewCall("g", "{}")}}, true
}

// TestStreamsLookLikeTheRealOnes: the role first, each call's name and id once,
// the reason to stop, then the usage without a choice, then the end.
func TestStreamsLookLikeTheRealOnes(t *testing.T) {
	t.Parallel()
	sim := modelsim.New(modelsim.Options{Piece: 3})
	sim.Script(both)
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	res, body, err := ask(t, web.URL, streamed)
	if err != nil || res.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Fatalf("%v %v", res, err)
	}
	events := strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n")
	n := len(events)
	for i, want := range map[int]string{0: `"role":"assistant"`, 1: `{"content":"é,"}`, n - 3: `"finish_reason":"tool_calls"`, n - 2: `"choices":[],"usage":{"prompt_tokens":`, n - 1: "data: [DONE]"} {
		if !strings.Contains(events[i], want) {
			t.Errorf("event %d is %s, want %s", i, events[i], want)
		}
	}
	for _, event := range events[:n-2] {
		if !strings.Contains(event, `"usage":null`) || !strings.Contains(event, `"object":"chat.completion.chunk"`) || !json.Valid([]byte(strings.TrimPrefix(event, "data: "))) {
			t.Errorf("got %s", event)
		}
	}
	for _, once := range []string{`"name":"f"`, `"name":"g"`, `"finish_reason":"`} {
		if strings.Count(body, once) != 1 {
			t.Errorf("%s comes %d times", once, strings.Count(body, once))
		}
	}
	if _, body, err := ask(t, web.URL, strings.Replace(streamed, `,"stream_options":{"include_usage":true}`, "", 1)); err != nil || strings.Contains(body, "usage") {
		t.Errorf("usage came unasked: %v %s", err, body)
	}
}

// TestModelsThatAreLess: what each can't do.
func TestModelsThatAreLess(t *testing.T) {
	t.Parallel()
	sim := modelsim.New(modelsim.Options{Models: []string{"m", "n"}})
	sim.Script(both)
	sim.SetMode(modelsim.Mode{NoStream: []string{"m"}, NoUsage: []string{"n"}, NoTools: []string{"n"}})
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	other := strings.Replace(streamed, `"m"`, `"n"`, 1)
	for body, want := range map[string]string{
		streamed: `"object":"chat.completion",`,
		other:    `"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]",
		strings.Replace(other, `"stream"`, `"tools":[`+tool+`],"stream"`, 1): "n does not support tools",
		strings.Replace(other, `"n"`, `"o"`, 1):                              "model_not_found",
	} {
		if _, got, err := ask(t, web.URL, body); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v %s, want %s", body, err, got, want)
		}
	}
}

// TestFaultsInTheMiddle strike streams and plain answers after the byte that
// was said, and the request counts as answered.
func TestFaultsInTheMiddle(t *testing.T) {
	t.Parallel()
	sim := modelsim.New(modelsim.Options{})
	sim.Script(both)
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	for _, body := range []string{streamed, hello} {
		sim.Fail(modelsim.Fault{CutAfter: 50})
		if _, got, err := ask(t, web.URL, body); err == nil || len(got) != 50 {
			t.Errorf("cut: %d bytes, %v", len(got), err)
		}
		sim.Fail(modelsim.Fault{EndAfter: 50})
		if _, got, err := ask(t, web.URL, body); err != nil || len(got) != 50 {
			t.Errorf("ended: %d bytes, %v", len(got), err)
		}
	}
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Answer{Text: "x", Fault: &modelsim.Fault{Status: 503}}, true
	})
	if res, _, err := ask(t, web.URL, hello); err != nil || res.StatusCode != 503 || sim.Count() != 5 {
		t.Errorf("a scripted fault: %v %v after %d requests", res, err, sim.Count())
	}
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Answer{Text: "x", Fault: &modelsim.Fault{CutAfter: 60}}, true
	})
	if _, got, err := ask(t, web.URL, streamed); err == nil || len(got) != 60 {
		t.Errorf("a scripted cut: %d bytes, %v", len(got), err)
	}
}

// TestLatencyIsSpread over a stream: its first words come before its end.
func TestLatencyIsSpread(t *testing.T) {
	t.Parallel()
	const latency = 400 * time.Millisecond
	sim := modelsim.New(modelsim.Options{Latency: latency})
	sim.Script(both)
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	began := time.Now()
	res, err := http.Post(web.URL+"/v1/chat/completions", "application/json", strings.NewReader(streamed))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	in := bufio.NewReader(res.Body)
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	first := time.Since(began)
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Fatal(err)
	}
	if whole := time.Since(began); first < latency/2 || whole < latency*9/10 || whole-first < latency/4 {
		t.Errorf("the first words came after %s, the last after %s", first, whole)
	}
}
