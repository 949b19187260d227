package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"

	"vivra/app/agent"
)

// response turns what came over the wire into a turn, or says what was wrong
// with it.
func (c *Client) response(a answer) (agent.Response, error) {
	if a.html() {
		return agent.Response{}, &agent.ModelError{Status: a.status, Reason: "html", Message: fmt.Sprintf(
			"The model endpoint answered %d with an HTML page instead of JSON. Is its base URL right?", a.status)}
	}
	if a.status != http.StatusOK {
		return agent.Response{}, c.refusal(a)
	}
	var completion openai.ChatCompletion
	if len(a.body) == 0 || a.body[0] != '{' || json.Unmarshal(a.body, &completion) != nil {
		// Status 0: the call was answered in some way, so it may have been billed.
		return agent.Response{}, &agent.ModelError{Reason: "broken", Message: "The model endpoint answered 200 with something that is not a chat completion."}
	}
	return c.turn(a, completion)
}

func (c *Client) turn(a answer, completion openai.ChatCompletion) (agent.Response, error) {
	r := agent.Response{Served: completion.Model, Usage: usage(completion.Usage, a.header)}
	if len(completion.Choices) == 0 {
		return r, c.empty(a, r)
	}
	choice := completion.Choices[0]
	r.Cut = choice.FinishReason == "length"
	r.Text = choice.Message.Content
	if r.Text == "" {
		r.Text = choice.Message.Refusal
	}
	for i, call := range choice.Message.ToolCalls {
		id := call.ID
		if id == "" { // some gateways forget it, and the next request needs one
			id = fmt.Sprintf("%s_%d", completion.ID, i)
		}
		r.Calls = append(r.Calls, agent.Call{ID: id, Tool: call.Function.Name, Args: readArgs(call.Function.Arguments)})
	}
	switch {
	case choice.FinishReason == "content_filter" && len(r.Calls) == 0:
		return r, c.withUsage(r, &agent.ModelError{Status: a.status, Reason: "refused", Message: "The model endpoint's content filter cut the answer."})
	case r.Text == "" && len(r.Calls) == 0 && !r.Cut:
		return r, c.empty(a, r)
	}
	return r, nil
}

// empty explains a 200 that says nothing; some gateways put an error into it.
func (c *Client) empty(a answer, r agent.Response) error {
	if words := c.words(a.body); words != "" {
		return c.withUsage(r, &agent.ModelError{Status: http.StatusBadGateway, Reason: "server", Message: "The model endpoint answered 200 with an error in it: " + words})
	}
	return c.withUsage(r, &agent.ModelError{Reason: "empty", Message: "The model endpoint answered 200 with an empty answer: no text and no tool call."})
}

func (c *Client) withUsage(r agent.Response, e *agent.ModelError) error {
	if r.Usage.Reported || r.Usage.GatewayCost != nil {
		e.Usage = &r.Usage
	}
	return e
}

func (a answer) html() bool {
	start := strings.ToLower(string(a.body[:min(len(a.body), 100)]))
	return strings.HasPrefix(a.header.Get("Content-Type"), "text/html") ||
		strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// refusal explains an answer with an error status.
func (c *Client) refusal(a answer) error {
	reason, said := "refused", "refused the request"
	switch {
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		reason, said = "unauthorized", "did not accept our key"
	case a.status == http.StatusTooManyRequests:
		reason, said = "rate_limited", "limits our rate"
	case a.status == http.StatusRequestTimeout || a.status == http.StatusGatewayTimeout:
		reason, said = "timeout", "timed out"
	case a.status >= http.StatusInternalServerError:
		reason, said = "server", "failed"
	}
	message := fmt.Sprintf("The model endpoint %s (%d).", said, a.status)
	if words := c.words(a.body); words != "" {
		message = strings.TrimSuffix(message, ".") + ": " + words
	}
	return &agent.ModelError{Status: a.status, Reason: reason, Message: message, RetryAfter: retryAfter(a.header)}
}

// words are what the endpoint said of the error itself, empty when nothing.
func (c *Client) words(body []byte) string {
	var outer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "" {
		return c.scrub(inner.Message)
	}
	var text string
	_ = json.Unmarshal(outer.Error, &text) // not a string: nothing to quote
	return c.scrub(text)
}

// maxWait keeps an endpoint from putting a run to sleep for days.
const maxWait = time.Hour

// retryAfter reads the header in seconds. The form with a date is not read: it
// would need a clock, and the runner has its own waits.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.Atoi(h.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, maxWait)
	}
	if s, err := strconv.ParseFloat(h.Get("Retry-After"), 64); err == nil && s > 0 {
		return min(time.Duration(min(s, maxWait.Seconds())*float64(time.Second)), maxWait)
	}
	return 0
}
