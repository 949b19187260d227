package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

const key = "sk-local-secret"

// start serves a model server and returns a client of it.
func start(t *testing.T) (*modelsim.Server, *openai.Client) {
	t.Helper()
	sim := modelsim.New(modelsim.Options{APIKey: key})
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	return sim, openai.New(openai.Config{BaseURL: web.URL + "/v1", APIKey: key})
}

func say(text string) func(modelsim.Request) (modelsim.Answer, bool) {
	return func(modelsim.Request) (modelsim.Answer, bool) { return modelsim.Answer{Text: text}, true }
}

type lookIn struct {
	Place string   `json:"place" jsonschema:"where to look"`
	Near  *string  `json:"near" jsonschema:"what it is near, null for nothing"`
	Tags  []string `json:"tags" jsonschema:"words"`
}

// request is one with everything in it: two tools, one without arguments, and
// a turn of two calls that were answered.
func request(t *testing.T) agent.Request {
	t.Helper()
	look := agent.NewTool(agent.About{Name: "look", Description: "Look."}, func(context.Context, agent.Scope, lookIn) (string, error) { return "", nil })
	rest := agent.NewTool(agent.About{Name: "rest", Description: "Rest."}, func(context.Context, agent.Scope, struct{}) (string, error) { return "", nil })
	return agent.Request{
		Model: "gpt-5-mini", System: "You look.", MaxOutputTokens: 900,
		Items: []agent.Item{
			{Role: "user", Text: `{"task":"look"}`},
			{Role: "assistant", Calls: []agent.Call{{ID: "c1", Tool: "look", Args: json.RawMessage(`{"place":"x","near":null,"tags":[]}`)}, {ID: "c2", Tool: "rest", Args: json.RawMessage(`"{not json"`)}}},
			{Role: "tool", CallID: "c1", Text: `{"found":true}`},
			{Role: "tool", CallID: "c2", Text: `{"error":"arguments are not JSON"}`},
		},
		Tools: []agent.ToolSpec{look.Spec(), rest.Spec()},
	}
}

func TestRespondSendsTheBytesThatAreHashed(t *testing.T) {
	t.Parallel()
	sim, client := start(t)
	sim.Script(say("Done."))
	req, cool := request(t), 0.2
	req.Model, req.Temperature = "gpt-4.1-mini", &cool
	r, err := client.Respond(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "Done." || r.Served != "gpt-4.1-mini" || r.Cut || len(r.Calls) != 0 {
		t.Errorf("got %+v", r)
	}
	want, err := client.RequestBytes(req)
	if err != nil {
		t.Fatal(err)
	}
	got := sim.Requests()[0]
	if string(got.Raw) != string(want) {
		t.Errorf("sent:\n%s\nhashed:\n%s", got.Raw, want)
	}
	if args := got.Messages[2].ToolCalls[1].Function.Arguments; args != "{not json" {
		t.Errorf("arguments that were no JSON came back as %q", args)
	}
	for _, part := range []string{`"max_completion_tokens":900`, `"strict":true`, `"temperature":0.2`, `"stream":true`, `"stream_options":{"include_usage":true}`} {
		if !strings.Contains(string(want), part) {
			t.Errorf("the request lacks %s: %s", part, want)
		}
	}
	if place, near := strings.Index(string(want), `"place":{`), strings.Index(string(want), `"near":{`); place < 0 || place > near {
		t.Error("the order of the fields was lost")
	}
}

func TestSchemasAreMadeStrict(t *testing.T) {
	t.Parallel()
	sim, client := start(t)
	sim.Script(say("Done."))
	schema := `{"type":"object","properties":{"b":{"type":"array","uniqueItems":true,"items":{"type":"string","minLength":1,"maxLength":9}},"a":{"type":"object","additionalProperties":false}},"required":["b","a"],"additionalProperties":false}`
	_, err := client.Respond(t.Context(), agent.Request{Model: "m", Items: []agent.Item{{Role: "user", Text: "go"}}, Tools: []agent.ToolSpec{{Name: "f", Schema: json.RawMessage(schema)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"b":{"type":"array","items":{"type":"string"}},"a":{"type":"object","additionalProperties":false,"properties":{},"required":[]}},"required":["b","a"],"additionalProperties":false}`
	if got := string(sim.Requests()[0].Tools[0].Function.Parameters); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRespondKeepsParallelCallsAndBadArguments(t *testing.T) {
	t.Parallel()
	sim, client := start(t)
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Answer{Calls: []modelsim.ToolCall{
			modelsim.NewCall("look", map[string]string{"place": "a"}), modelsim.NewCall("look", `{"place":`), modelsim.NewCall("rest", ""),
		}}, true
	})
	r, err := client.Respond(t.Context(), request(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`{"place":"a"}`, `"{\"place\":"`, `{}`}
	ids := map[string]bool{}
	for i, call := range r.Calls {
		ids[call.ID] = true
		if string(call.Args) != want[i] {
			t.Errorf("call %d: arguments %s, want %s", i, call.Args, want[i])
		}
	}
	if len(r.Calls) != 3 || len(ids) != 3 {
		t.Errorf("got %+v, want 3 calls with an id each", r.Calls)
	}
}

func TestFaultsAreNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault     modelsim.Fault
		status    int
		reason    string
		retryable bool
		message   string
	}{
		"html":           {modelsim.Fault{Status: 200, ContentType: "text/html", Body: "<html><body>Sign in</body></html>"}, 200, "html", false, "HTML page"},
		"html unmarked":  {modelsim.Fault{Status: 502, Body: "<!DOCTYPE html><title>Bad gateway</title>"}, 502, "html", true, "502"},
		"unauthorized":   {modelsim.Fault{Status: 401}, 401, "unauthorized", false, "did not accept our key (401): Incorrect API key provided."},
		"key echoed":     {modelsim.Fault{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + key + `."}}`}, 401, "unauthorized", false, "[key]"},
		"forbidden":      {modelsim.Fault{Status: 403}, 403, "unauthorized", false, "403"},
		"rate limited":   {modelsim.Fault{Status: 429, RetryAfter: "7"}, 429, "rate_limited", true, "429"},
		"refused":        {modelsim.Fault{Status: 400, Body: `{"error":"no such thing"}`}, 400, "refused", false, "refused the request (400): no such thing"},
		"said outside":   {modelsim.Fault{Status: 422, Body: `{"object":"error","message":"odd"}`}, 422, "refused", false, "(422): odd"},
		"server":         {modelsim.Fault{Status: 500}, 500, "server", true, "500"},
		"gateway":        {modelsim.Fault{Status: 504}, 504, "timeout", true, "504"},
		"closed":         {modelsim.Fault{Close: true}, 0, "broken", true, "broke"},
		"half an answer": {modelsim.Fault{Status: 200, Body: `{"id":"x","choices":[{`}, 0, "broken", true, "not a chat completion"},
		"plain text":     {modelsim.Fault{Status: 200, ContentType: "text/plain", Body: "ok"}, 0, "broken", true, "not a chat completion"},
		"nothing":        {modelsim.Fault{Status: 200, ContentType: "application/json", Body: ""}, 0, "broken", true, "not a chat completion"},
		"no choices":     {modelsim.Fault{Status: 200, Body: `{"id":"x","choices":[]}`}, 0, "empty", true, "empty answer"},
		"error in a 200": {modelsim.Fault{Status: 200, Body: `{"error":{"message":"upstream is down"}}`}, 502, "server", true, "upstream is down"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, client := start(t)
			sim.Fail(c.fault)
			_, err := client.Respond(t.Context(), request(t), nil)
			var got *agent.ModelError
			if !errors.As(err, &got) {
				t.Fatalf("got %v, want a ModelError", err)
			}
			if got.Status != c.status || got.Reason != c.reason || got.Retryable() != c.retryable || !strings.Contains(got.Message, c.message) {
				t.Errorf("got %+v (retryable %v)", got, got.Retryable())
			}
			if strings.Contains(err.Error(), key) {
				t.Errorf("the key stands in the error: %v", err)
			}
			if name == "rate limited" && got.RetryAfter != 7*time.Second {
				t.Errorf("retry after %s, want 7s", got.RetryAfter)
			}
			sim.Script(say("Back."))
			if r, err := client.Respond(t.Context(), request(t), nil); err != nil || r.Text != "Back." || sim.Count() != 1 {
				t.Errorf("the next call: %+v, %v after %d requests: nothing may be tried again unasked", r, err, sim.Count())
			}
		})
	}
}

// TestAnswersThatSayNothing: what they used is kept, and where they don't say
// it, they may have been billed all the same.
func TestAnswersThatSayNothing(t *testing.T) {
	t.Parallel()
	used := json.RawMessage(`{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}`)
	for _, c := range []struct{ finish, reason, text string }{{"stop", "empty", ""}, {"content_filter", "refused", ""}, {"content_filter", "refused", "How to"}, {"error", "server", "Well"}} {
		for _, usage := range []json.RawMessage{used, json.RawMessage("null")} {
			for _, mode := range []modelsim.Mode{{}, {NoStream: []string{"gpt-5-mini"}}} {
				sim, client := start(t)
				sim.SetMode(mode)
				sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
					return modelsim.Answer{Text: c.text, FinishReason: c.finish, Usage: usage}, true
				})
				_, err := client.Respond(t.Context(), request(t), nil)
				var got *agent.ModelError
				if !errors.As(err, &got) || got.Reason != c.reason || !got.MayBeBilled() {
					t.Errorf("%+v: got %+v, want %s that may be billed", c, err, c.reason)
				} else if counted := got.Usage != nil && got.Usage.PromptTokens == 10; counted != (len(usage) > 4) {
					t.Errorf("%+v of %s: usage %+v", c, usage, got.Usage)
				}
			}
		}
	}
	sim, client := start(t)
	sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Answer{FinishReason: "length", Usage: used}, true
	})
	if r, err := client.Respond(t.Context(), request(t), nil); err != nil || !r.Cut {
		t.Errorf("an answer that met the limit: %+v, %v", r, err)
	}
}

func TestTimeoutsAndLeaving(t *testing.T) {
	t.Parallel()
	sim, client := start(t)
	sim.Fail(modelsim.Fault{Hang: true, Times: 2})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := client.Respond(ctx, request(t), nil)
	var got *agent.ModelError
	if !errors.As(err, &got) || got.Reason != "timeout" || !got.Retryable() || !got.MayBeBilled() {
		t.Errorf("got %v, want a timeout that may be billed", err)
	}
	left, leave := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, leave)
	if _, err := client.Respond(left, request(t), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the caller left", err)
	}
}

func TestClientTimeout(t *testing.T) {
	t.Parallel()
	sim := modelsim.New(modelsim.Options{})
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	sim.Fail(modelsim.Fault{Hang: true})
	client := openai.New(openai.Config{BaseURL: web.URL + "/v1", HTTP: &http.Client{Timeout: 50 * time.Millisecond}})
	_, err := client.Respond(t.Context(), request(t), nil)
	var got *agent.ModelError
	if !errors.As(err, &got) || got.Reason != "timeout" {
		t.Errorf("got %v, want a timeout", err)
	}
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	client := openai.New(openai.Config{BaseURL: "http://127.0.0.1:1/v1", APIKey: key})
	_, err := client.Respond(t.Context(), request(t), nil)
	var got *agent.ModelError
	if !errors.As(err, &got) || got.Reason != "broken" || got.Status != 0 || got.MayBeBilled() || !got.Retryable() || strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}

func nano(n app.Nano) *app.Nano { return &n }

func TestUsageDialects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		usage  string
		header string
		want   app.Usage
	}{
		"openai":            {`{"prompt_tokens":17903,"completion_tokens":86,"total_tokens":17989,"prompt_tokens_details":{"cached_tokens":17817},"completion_tokens_details":{"reasoning_tokens":64}}`, "", app.Usage{PromptTokens: 17903, CachedTokens: 17817, CompletionTokens: 86, ReasoningTokens: 64, TotalTokens: 17989, Reported: true}},
		"reasoning outside": {`{"prompt_tokens":324,"completion_tokens":1364,"total_tokens":2183,"completion_tokens_details":{"reasoning_tokens":495}}`, "", app.Usage{PromptTokens: 324, CompletionTokens: 1364, ReasoningTokens: 495, TotalTokens: 2183, Reported: true}},
		"cache hit tokens":  {`{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"prompt_cache_hit_tokens":64}`, "", app.Usage{PromptTokens: 100, CachedTokens: 64, CompletionTokens: 5, TotalTokens: 105, Reported: true}},
		"gateway cost":      {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":0.000423100}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true, GatewayCost: nano(423_100)}},
		"exponent":          {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":4.2e-7}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true, GatewayCost: nano(420)}},
		"finer than a nano": {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":0.00000000012}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true, GatewayCost: nano(1)}},
		"zero is an amount": {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":0}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true, GatewayCost: nano(0)}},
		"header":            {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}`, "0.0031", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true, GatewayCost: nano(3_100_000)}},
		"header of None":    {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}`, "None", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true}},
		"huge exponent":     {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":1e999999999}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true}},
		"negative":          {`{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2,"cost":-1}`, "", app.Usage{PromptTokens: 1, CompletionTokens: 1, TotalTokens: 2, Reported: true}},
		"absent":            {`null`, "", app.Usage{}},
		"all zero":          {`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, "", app.Usage{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, client := start(t)
			sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
				a := modelsim.Answer{Text: "Done.", Usage: json.RawMessage(c.usage)}
				if c.header != "" {
					a.Header = http.Header{"x-litellm-response-cost": {c.header}}
				}
				return a, true
			})
			r, err := client.Respond(t.Context(), request(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := show(r.Usage.GatewayCost), show(c.want.GatewayCost); got != want {
				t.Errorf("gateway cost %s, want %s", got, want)
			}
			r.Usage.GatewayCost, c.want.GatewayCost = nil, nil
			if r.Usage != c.want {
				t.Errorf("got %+v, want %+v", r.Usage, c.want)
			}
		})
	}
}

func show(n *app.Nano) string {
	if n == nil {
		return "none"
	}
	return n.String()
}
