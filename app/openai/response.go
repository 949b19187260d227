package openai

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

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

// maxCalls is more tool calls than any answer has.
const maxCalls = 512

func (c *Client) turn(a answer, completion openai.ChatCompletion) (agent.Response, error) {
	r := agent.Response{Served: served(completion.Model), Usage: usage(completion.Usage, a.header)}
	if len(completion.Choices) == 0 {
		return r, c.empty(a, r)
	}
	choice := completion.Choices[0]
	r.Cut = choice.FinishReason == "length"
	said := choice.Message.Content+choice.Message.Refusal != "" || len(choice.Message.ToolCalls) > 0
	r.Usage = believed(r.Usage, said || r.Cut)
	if len(choice.Message.ToolCalls) > maxCalls {
		return r, c.withUsage(r, &agent.ModelError{Reason: "broken", Message: "The model endpoint's answer can't be read: " + errTooLong.Error() + "."})
	}
	r.Text = choice.Message.Content
	if r.Text == "" {
		r.Text = choice.Message.Refusal
	}
	for i, call := range choice.Message.ToolCalls {
		if call.Function.Name == "" && call.Function.Arguments == "" {
			continue // some gateways leave such shells
		}
		id := call.ID
		if id == "" { // some gateways forget it, and the next request needs one
			id = fmt.Sprintf("%s_%d", completion.ID, i)
		}
		r.Calls = append(r.Calls, agent.Call{ID: id, Tool: call.Function.Name, Args: readArgs(call.Function.Arguments)})
	}
	switch {
	case choice.FinishReason == "error": // so does a router whose upstream failed
		return r, c.withUsage(r, &agent.ModelError{Status: http.StatusBadGateway, Reason: "server", Message: "The model endpoint failed in the middle of its answer."})
	case choice.FinishReason == "content_filter" && len(r.Calls) == 0:
		return r, c.withUsage(r, &agent.ModelError{Status: a.status, Reason: "refused", Message: "The model endpoint's content filter cut the answer."})
	case r.Text == "" && len(r.Calls) == 0 && !r.Cut:
		return r, c.empty(a, r)
	}
	return r, nil
}

// notOfNames are what no name of a model has.
var notOfNames = regexp.MustCompile(`[^A-Za-z0-9._:/-]+`)

// served is a model's name as the endpoint gives it, which may be anything.
func served(name string) string {
	const longest = 64
	name = notOfNames.ReplaceAllString(name[:min(len(name), 4*longest)], "")
	return name[:min(len(name), longest)]
}

// empty explains a 200 that says nothing; some gateways put an error into it.
func (c *Client) empty(a answer, r agent.Response) error {
	if words, _ := said(a.body); words != "" {
		return c.withUsage(r, &agent.ModelError{Status: http.StatusBadGateway, Reason: "server", Message: c.quote("The model endpoint answered 200 with an error in it", words)})
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
