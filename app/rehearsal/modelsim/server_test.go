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

func callOf(id, name, arguments string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":` + arguments + `}}]}`
}

func head(fields string) string {
	return `{"model":"m","messages":[{"role":"user","content":"hi"}],` + fields + `}`
}

// deep is a strict schema of so many levels.
func deep(levels int) string {
	if levels == 1 {
		return `{"type":"object","properties":{},"required":[],"additionalProperties":false}`
	}
	return `{"type":"object","properties":{"a":` + deep(levels-1) + `},"required":["a"],"additionalProperties":false}`
}

const one = `{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`

const tool = `{"type":"function","function":{"name":"f"}}`

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
		"known fields":       {body: `{"model":"m","temperature":1,"top_p":1,"messages":[{"role":"user","content":"hi"}]}`, status: 200},
		"answered call":      {body: talk(called, reply), status: 200},
		"no key":             {key: "none", body: hello, status: 401, said: "invalid_api_key"},
		"another path":       {path: "/v1/completions", body: hello, status: 404, said: "Invalid URL"},
		"GET":                {method: http.MethodGet, status: 405, said: "Not allowed"},
		"no JSON":            {body: `hello`, status: 400, said: "could not parse"},
		"unknown field":      {body: `{"model":"m","mood":1,"messages":[{"role":"user","content":"hi"}]}`, status: 400, said: "Unrecognized request argument supplied: mood"},
		"wrong type":         {body: `{"model":1,"messages":[]}`, status: 400, said: "Invalid type for 'model'"},
		"no model":           {body: `{"messages":[{"role":"user","content":"hi"}]}`, status: 400, said: "model parameter"},
		"no messages":        {body: `{"model":"m","messages":[]}`, status: 400, said: "empty array"},
		"streamed":           {body: head(`"stream":true`), status: 200, said: `"object":"chat.completion.chunk"`},
		"options alone":      {body: head(`"stream_options":{"include_usage":true}`), status: 400, said: "only allowed when 'stream' is enabled"},
		"unknown option":     {body: head(`"stream":true,"stream_options":{"usage":true}`), status: 400, said: "Unrecognized request argument supplied: usage"},
		"too hot":            {body: head(`"temperature":2.1`), status: 400, said: "'temperature'"},
		"too cold":           {body: head(`"temperature":-0.1`), status: 400, said: "'temperature'"},
		"hot enough":         {body: head(`"temperature":2`), status: 200},
		"hot for a reasoner": {body: `{"model":"gpt-5","temperature":0.4,"messages":[{"role":"user","content":"hi"}]}`, status: 400, said: "Only the default (1) value is supported"},
		"cool reasoner":      {body: `{"model":"gpt-5.1","temperature":0.4,"messages":[{"role":"user","content":"hi"}]}`, status: 200},
		"no output":          {body: head(`"max_completion_tokens":-1`), status: 400, said: "below minimum value"},
		"old limit":          {body: head(`"max_tokens":9`), status: 400, said: "max_tokens"},
		"choice of nothing":  {body: head(`"tool_choice":"auto"`), status: 400, said: "only allowed when 'tools' are specified"},
		"parallel nothing":   {body: head(`"parallel_tool_calls":true`), status: 400, said: "only allowed when 'tools' are specified"},
		"choice":             {body: head(`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"f"}}`), status: 200, said: `"name":"f"`},
		"unknown choice":     {body: head(`"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"g"}}`), status: 400, said: "tool_choice"},
		"odd choice":         {body: head(`"tools":[` + tool + `],"tool_choice":"f"`), status: 400, said: "tool_choice"},
		"no tools":           {body: head(`"tools":[]`), status: 400, said: "empty array"},
		"a tool twice":       {body: head(`"tools":[` + tool + `,` + tool + `]`), status: 400, said: "tools[1]"},
		"too many tools":     {body: head(`"tools":[` + strings.Repeat(tool+`,`, 128) + tool + `]`), status: 400, said: "maximum length 128"},
		"odd tool name":      {body: head(`"tools":[{"type":"function","function":{"name":"a b"}}]`), status: 400, said: "tools[0]"},
		"long description":   {body: head(`"tools":[{"type":"function","function":{"name":"f","description":"` + strings.Repeat("x", 1025) + `"}}]`), status: 400, said: "maximum length 1024"},
		"deep schema":        {body: offer(deep(10)), status: 200},
		"too deep":           {body: offer(deep(11)), status: 400, said: "exceed the limits"},
		"half a character":   {body: `{"model":"m","messages":[{"role":"user","content":"\ud800"}]}`, status: 400, said: "could not parse"},
		"a whole one":        {body: `{"model":"m","messages":[{"role":"user","content":"\ud83e\udda4 \\ud800"}]}`, status: 200},
		"no Unicode":         {body: "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"\xff\"}]}", status: 400, said: "could not parse"},
		"too many messages":  {body: talk(strings.Repeat(`{"role":"user","content":"x"},`, 2048) + `{"role":"user","content":"x"}`), status: 400, said: "maximum length 2048"},
		"odd name":           {body: talk(callOf("c1", "wallet.send", `"{}"`), reply), status: 400, said: "does not match pattern"},
		"long name":          {body: talk(callOf("c1", strings.Repeat("f", 65), `"{}"`), reply), status: 400, said: "does not match pattern"},
		"no name":            {body: talk(callOf("c1", "", `"{}"`), reply), status: 400, said: "does not match pattern"},
		"long id":            {body: talk(callOf(strings.Repeat("c", 41), "f", `"{}"`), reply), status: 400, said: "maximum length 40, but got a string with length 41"},
		"no id":              {body: talk(callOf("", "f", `"{}"`), reply), status: 400, said: "tool_calls[0].id"},
		"arguments as null":  {body: talk(callOf("c1", "f", `null`), reply), status: 400, said: "Missing required parameter"},
		"arguments as JSON":  {body: talk(callOf("c1", "f", `{}`), reply), status: 400, said: "arguments"},
		"arguments of words": {body: talk(callOf("c1", "f", `"not JSON"`), reply), status: 200},
		"unknown in a call":  {body: talk(strings.Replace(called, `"id"`, `"index":0,"id"`, 1), reply), status: 400, said: "Unrecognized request argument supplied: index"},
		"unknown in message": {body: talk(`{"role":"user","content":"x","mood":1}`), status: 400, said: "mood"},
		"one id twice":       {body: talk(`{"role":"assistant","content":null,"tool_calls":[`+one+`,`+one+`]}`, reply), status: 400, said: "Duplicate value"},
		"no calls":           {body: talk(`{"role":"assistant","content":"x","tool_calls":[]}`), status: 400, said: "empty array"},
		"calls of a user":    {body: talk(strings.Replace(called, "assistant", "user", 1), reply), status: 400},
		"id of a user":       {body: talk(`{"role":"user","content":"x","tool_call_id":"c1"}`), status: 400, said: "Unknown parameter"},
		"author":             {body: talk(`{"role":"user","content":"x","name":"a b"}`), status: 400, said: "does not match pattern"},
		"empty text":         {body: talk(`{"role":"assistant","content":""}`, `{"role":"user","content":""}`), status: 200},
		"result of nothing":  {body: talk(called, `{"role":"tool","tool_call_id":"c1","content":null}`), status: 400, said: "got null"},
		"another in between": {body: talk(called, `{"role":"assistant","content":"x"}`, reply), status: 400, said: "did not have response messages: c1"},
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
