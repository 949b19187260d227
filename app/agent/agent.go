// Package agent is the engine of agents: what an agent, a tool and a model are,
// and how one tool call is checked and carried out. It knows no provider and no
// database.
package agent

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"vivra/app"
)

// Agent is a prompt, what it may do, what it may spend and where it writes.
type Agent struct {
	Name            string
	Model           string
	Fallback        string   // the model that is asked when Model can't answer; empty: none
	Temperature     *float64 // nil: the model's own
	Section         string   // of the token file: the only one it may write
	System          string   // preamble and prompt, with the preamble's fields still to fill
	PromptSHA256    string
	Tools           []Tool
	BudgetMax       app.Nano // one run
	MaxOutputTokens int64    // one answer
	Validation      bool     // validation_required
	Trigger         string   // steps, or steps and a continuous task
}

// Tool returns the tool of that name if the agent may use it.
func (a Agent) Tool(name string) (Tool, bool) {
	i := slices.IndexFunc(a.Tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return a.Tools[i], true
}

// Configured returns the agent with the models that the settings name in place
// of its spec's. An empty fallback is none, and so is one that is the model itself.
func (a Agent) Configured(s app.Settings) Agent {
	if model := s.Models[a.Name]; model != "" {
		a.Model = model
	}
	if model, set := s.Fallbacks[a.Name]; set {
		a.Fallback = model
	}
	if a.Fallback == a.Model {
		a.Fallback = ""
	}
	return a
}

// Scope is what a tool call belongs to. Tools take their place in the world
// from it and never from what the model says.
type Scope struct {
	Claim        app.Claim // every write checks it
	OperationID  int64
	Slug         string
	StepID       int64
	StepKey      string
	Task         string
	RunID        string
	CallID       string // unique in the run: tools are idempotent by (RunID, CallID)
	Agent        string
	Token        app.Token
	XHandle      string
	TelegramChat int64
	SiteHost     string
	LinkHosts    []string // hosts and pages that outputs may link to, beside our own
	Banned       []string // phrases that no post may hold
	Code         string   // one-time code that the output must show, empty for none
	J0           time.Time
	Now          time.Time
}

// Model answers one turn. app/openai implements it. heard, when it is not nil,
// is given the answer as far as it has come, again and again, from one goroutine.
type Model interface {
	Respond(ctx context.Context, req Request, heard func(draft string)) (Response, error)
}

// Request is one call of a model.
type Request struct {
	Model           string     `json:"model"`
	System          string     `json:"system"`
	Items           []Item     `json:"items"`
	Tools           []ToolSpec `json:"tools"`
	MaxOutputTokens int64      `json:"max_output_tokens"`
	Temperature     *float64   `json:"temperature,omitempty"`
}

// ToolSpec is what a model is told of a tool.
type ToolSpec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// Response is a model's answer.
type Response struct {
	Text   string    `json:"text,omitempty"`
	Calls  []Call    `json:"calls,omitempty"`
	Usage  app.Usage `json:"usage"`
	Served string    `json:"served,omitempty"` // the model that answered, as the API names it
	Cut    bool      `json:"cut,omitempty"`    // the answer met the output limit
}

// Answer is what became of one request, as it is kept for a replay: a response
// or a fault.
type Answer struct {
	Response *Response   `json:"response,omitempty"`
	Fault    *ModelError `json:"fault,omitempty"`
}

// Call is one tool call that a model asked for.
type Call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"` // as the model wrote them: may be no JSON at all, then a JSON string
}

// Item is one entry of the transcript. A run is its items and nothing else, so
// it can stop after any turn and be taken up again by another process.
type Item struct {
	Role   string `json:"role"` // user, assistant or tool
	Text   string `json:"text,omitempty"`
	Calls  []Call `json:"calls,omitempty"`
	CallID string `json:"call_id,omitempty"`
}

// ModelError is a call that brought no usable answer. Its message is fit for
// the team and holds no secret.
type ModelError struct {
	// Status is the HTTP status, 0 when there was no answer.
	Status int `json:"status"`
	// Reason is one of: html, unauthorized, rate_limited, refused, server,
	// timeout, broken, empty, no_model, no_tools, cancelled.
	Reason     string        `json:"reason"`
	Message    string        `json:"message"`
	RetryAfter time.Duration `json:"retry_after_ns,omitempty"`
	// Usage is what the failed answer reported, if it did.
	Usage *app.Usage `json:"usage,omitempty"`
	// NotSent: the endpoint was never reached, so nothing can have been billed.
	NotSent bool `json:"not_sent,omitempty"`
}

func (e *ModelError) Error() string { return e.Message }

// Retryable tells whether the same call may succeed in a moment.
func (e *ModelError) Retryable() bool {
	switch e.Status {
	case 0, 408, 409, 429:
		return true
	}
	return e.Status >= 500
}

// ElsewhereMayDo tells whether another model behind the same endpoint may
// answer what this one could not.
func (e *ModelError) ElsewhereMayDo() bool {
	return e.Retryable() || e.Reason == "no_model" || e.Reason == "no_tools"
}

// MayBeBilled tells whether the call may have cost something although no
// answer came: then its bound is kept as spent.
func (e *ModelError) MayBeBilled() bool {
	filtered := e.Status == 200 && e.Reason == "refused" // what the model wrote was held back
	return !e.NotSent && (e.Status == 0 || e.Status >= 500 || e.Status == 408 || filtered)
}
