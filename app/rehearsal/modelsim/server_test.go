package modelsim_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vivra/app/rehearsal/modelsim"
)

const (
	hello  = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	called = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	reply  = `{"role":"tool","tool_call_id":"c1","content":"{}"}`
)

func talk(messages ...string) string {
	return `{"model":"m","messages":[{"role":"user","content":"hi"},` + strings.Join(messages, ",") + `]}`
}

func offer(parameters string) string {
	return `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","description":"","strict":true,"parameters":` + parameters + `}}]}`
}

// TestRequestsAreHeldToTheRealRules sends what the real API refuses, and what it takes.
func TestRequestsAreHeldToTheRealRules(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(modelsim.New(modelsim.Options{APIKey: key}))
	t.Cleanup(web.Close)
	for name, c := range map[string]struct {
		method, path, key, body string
		status                  int
		said                    string
	}{
		"good":               {body: hello, status: 200, said: `"object":"chat.completion"`},
		"known fields":       {body: `{"model":"m","temperature":1,"parallel_tool_calls":true,"messages":[{"role":"user","content":"hi"}]}`, status: 200},
		"answered call":      {body: talk(called, reply), status: 200},
		"no key":             {key: "none", body: hello, status: 401, said: "invalid_api_key"},
		"another path":       {path: "/v1/completions", body: hello, status: 404, said: "Invalid URL"},
		"GET":                {method: http.MethodGet, status: 405, said: "Not allowed"},
		"no JSON":            {body: `hello`, status: 400, said: "could not parse"},
		"unknown field":      {body: `{"model":"m","mood":1,"messages":[{"role":"user","content":"hi"}]}`, status: 400, said: "Unrecognized request argument supplied: mood"},
		"wrong type":         {body: `{"model":1,"messages":[]}`, status: 400, said: "Invalid type for 'model'"},
		"no model":           {body: `{"messages":[{"role":"user","content":"hi"}]}`, status: 400, said: "model parameter"},
		"no messages":        {body: `{"model":"m","messages":[]}`, status: 400, said: "empty array"},
		"stream":             {body: `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`, status: 400},
		"unknown role":       {body: talk(`{"role":"boss","content":"x"}`), status: 400, said: "'boss'"},
		"null content":       {body: talk(`{"role":"assistant","content":null}`), status: 400, said: "got null"},
		"unanswered call":    {body: talk(called), status: 400, said: "did not have response messages: c1"},
		"answered late":      {body: talk(called, `{"role":"user","content":"x"}`, reply), status: 400, said: "did not have response messages: c1"},
		"answered twice":     {body: talk(called, reply, reply), status: 400, said: "must be a response to a preceeding message"},
		"answer to nothing":  {body: talk(reply), status: 400, said: "must be a response to a preceeding message"},
		"strict schema":      {body: offer(`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`), status: 200},
		"schema of a string": {body: offer(`{"type":"string"}`), status: 400, said: "type: \\\"object\\\""},
		"open object":        {body: offer(`{"type":"object","properties":{},"required":[]}`), status: 400, said: "additionalProperties"},
		"optional field":     {body: offer(`{"type":"object","properties":{"a":{"type":"string"}},"required":[],"additionalProperties":false}`), status: 400, said: "Missing 'a'"},
		"no properties":      {body: offer(`{"type":"object","additionalProperties":false}`), status: 400, said: "missing properties"},
		"keyword":            {body: offer(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","minLength":2}}},"required":["a"],"additionalProperties":false}`), status: 400, said: "'minLength' is not permitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			method, path, bearer := or(c.method, http.MethodPost), or(c.path, "/v1/chat/completions"), or(c.key, key)
			req, err := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+bearer)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			if res.StatusCode != c.status || !strings.Contains(string(body), c.said) {
				t.Errorf("%d: %s\nwant %d with %q", res.StatusCode, body, c.status, c.said)
			}
			if c.status >= 400 && !strings.Contains(string(body), `"type":"invalid_request_error"`) {
				t.Errorf("the error has not the API's shape: %s", body)
			}
		})
	}
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
