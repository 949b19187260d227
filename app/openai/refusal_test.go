package openai_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vivra/app/agent"
	"vivra/app/openai"
	"vivra/app/rehearsal/modelsim"
)

// TestModelsThatCantAreTold from requests that are wrong, in the words that
// endpoints use.
func TestModelsThatCantAreTold(t *testing.T) {
	t.Parallel()
	said := func(message string) string { return `{"error":{"message":"` + message + `","code":null}}` }
	for _, c := range []struct {
		status       int
		body, reason string
	}{
		{404, `{"error":{"message":"The model does-not-exist does not exist or you do not have access to it.","code":"model_not_found"}}`, "no_model"},
		{404, `{"detail":"Not Found"}`, "no_model"},
		{403, `{"error":{"message":"Project x does not have access to y","code":"model_not_found"}}`, "no_model"},
		{400, said("fable/one is not a valid model ID"), "no_model"},
		{400, said("Invalid model name passed in model=fable. Call /v1/models"), "no_model"},
		{400, said("model 'fable' not found, try pulling it first"), "no_model"},
		{400, `{"error":"no such model"}`, "no_model"},
		{400, said("registry.example/library/fable:latest does not support tools"), "no_tools"},
		{404, `{"error":{"message":"No endpoints found that support tool use. To learn more","code":404}}`, "no_tools"},
		{400, `{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","code":400}`, "no_tools"},
		{400, said("Unrecognized request argument supplied: tools"), "no_tools"},
		{400, said("tool calling is not supported with this model"), "no_tools"},
		{400, said("Function calling is not enabled for models/fable"), "no_tools"},
		{400, said("fable does not support parameters: ['tools']"), "no_tools"},
		{400, said("Invalid schema for function 'look': In context=(), 'minLength' is not supported."), "refused"},
		{400, said("tools.0.function.strict: not supported"), "refused"},
		{400, said("This model's maximum context length is 8192 tokens."), "refused"},
		{400, said("Unsupported value: 'temperature' does not support 0.2 with this model."), "refused"},
		{400, said("An assistant message with 'tool_calls' must be followed by tool messages"), "refused"},
		{401, said("Incorrect API key provided."), "unauthorized"},
		{429, said("model overloaded, not available"), "rate_limited"},
		{503, said("The model is not available right now"), "server"},
	} {
		sim, client := start(t)
		sim.Fail(modelsim.Fault{Status: c.status, Body: c.body})
		_, err := client.Respond(t.Context(), request(t), nil)
		var got *agent.ModelError
		if !errors.As(err, &got) || got.Reason != c.reason || got.Status != c.status {
			t.Errorf("%d %s: got %+v, want %s", c.status, c.body, err, c.reason)
		}
	}
}

// TestModelServerSaysWhatModelsCant in the real words.
func TestModelServerSaysWhatModelsCant(t *testing.T) {
	t.Parallel()
	sim := modelsim.New(modelsim.Options{Models: []string{"gpt-5-mini", "gpt-5"}})
	web := httptest.NewServer(sim)
	t.Cleanup(web.Close)
	sim.SetMode(modelsim.Mode{NoTools: []string{"gpt-5"}})
	sim.Script(say("Fine."))
	client := openai.New(openai.Config{BaseURL: web.URL + "/v1"})
	for model, want := range map[string]string{"gpt-5-mini": "", "gpt-5": "no_tools", "fable": "no_model"} {
		req := request(t)
		req.Model = model
		_, err := client.Respond(t.Context(), req, nil)
		var got *agent.ModelError
		if errors.As(err, &got) != (want != "") || got != nil && got.Reason != want {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Mon, 11 Jan 2027 09:00:00 GMT"
	for _, c := range []struct {
		header http.Header
		want   time.Duration
	}{
		{http.Header{"Retry-After": {"7"}}, 7 * time.Second},
		{http.Header{"Retry-After": {"0.5"}}, 500 * time.Millisecond},
		{http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"7"}}, 250 * time.Millisecond},
		{http.Header{"Retry-After": {"Mon, 11 Jan 2027 09:00:12 GMT"}, "Date": {date}}, 12 * time.Second},
		{http.Header{"Retry-After": {"Monday, 11-Jan-27 09:00:12 GMT"}, "Date": {date}}, 12 * time.Second},
		{http.Header{"Retry-After": {"Mon, 11 Jan 2027 08:59:00 GMT"}, "Date": {date}}, 0},
		{http.Header{"Retry-After": {"Fri, 11 Jan 2047 09:00:00 GMT"}, "Date": {date}}, time.Hour},
		{http.Header{"Retry-After": {"Mon, 11 Jan 2027 09:00:12 GMT"}, "Date": {"today"}}, 0},
		{http.Header{"Retry-After": {"1e99"}}, time.Hour},
		{http.Header{"Retry-After": {"soon"}}, 0},
		{http.Header{"Retry-After": {"-3"}}, 0},
	} {
		client := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			for name, values := range c.header {
				w.Header()[name] = values
			}
			w.WriteHeader(http.StatusTooManyRequests)
		})
		_, err := client.Respond(t.Context(), request(t), nil)
		var got *agent.ModelError
		if !errors.As(err, &got) || got.RetryAfter != c.want {
			t.Errorf("%v: %v, want %s", c.header, err, c.want)
		}
	}
}

// serve returns a client of a server that answers as told.
func serve(t *testing.T, answer http.HandlerFunc) *openai.Client {
	t.Helper()
	web := httptest.NewServer(answer)
	t.Cleanup(web.Close)
	return openai.New(openai.Config{BaseURL: web.URL + "/v1", APIKey: key, Idle: 5 * time.Second})
}
