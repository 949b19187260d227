package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"vivra/app"
	"vivra/app/untrusted"
)

// Risk says what a tool can do at worst.
type Risk string

// The risks.
const (
	Read    Risk = "read"
	Write   Risk = "write"
	Publish Risk = "publish" // writes a validation, never calls the outside
)

// DefaultTimeout bounds one tool call that names no timeout of its own.
const DefaultTimeout = 60 * time.Second

// About is what a tool declares of itself: the one source of prompt text,
// schema and policy.
type About struct {
	Name        string
	Description string
	Agents      []string // who may call it
	Risk        Risk
	// Source names where its result comes from when that is outside our walls;
	// the result is then fenced and the run tainted.
	Source  string
	Timeout time.Duration // 0: DefaultTimeout
	// Inspect, when set, looks through the arguments before the tool is called;
	// its error is the answer.
	Inspect func(scope Scope, args json.RawMessage) error
}

// Tool is one thing an agent may do. Build it with NewTool.
type Tool struct {
	About
	Schema *jsonschema.Schema // of the arguments
	Result *jsonschema.Schema // of the result, for the docs

	fits func(args json.RawMessage) error
	call func(ctx context.Context, scope Scope, args json.RawMessage) (json.RawMessage, error)
}

// Spec is what the model is told.
func (t Tool) Spec() ToolSpec {
	b, err := json.Marshal(t.Schema)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", t.Name, err))
	}
	return ToolSpec{Name: t.Name, Description: t.Description, Schema: b}
}

// NewTool makes a tool out of a typed function. The schema that the model sees
// is derived from In, so the struct is the only description of the arguments.
// It panics when In cannot be a strict schema: that is a bug in the program.
func NewTool[In, Out any](about About, run func(context.Context, Scope, In) (Out, error)) Tool {
	schema, err := StrictSchema[In]()
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", about.Name, err))
	}
	result, err := jsonschema.For[Out](nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: result: %v", about.Name, err))
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("tool %s: %v", about.Name, err))
	}
	if about.Timeout == 0 {
		about.Timeout = DefaultTimeout
	}
	return Tool{About: about, Schema: schema, Result: result,
		fits: func(args json.RawMessage) error { return fits[In](resolved, args) },
		call: func(ctx context.Context, scope Scope, args json.RawMessage) (json.RawMessage, error) {
			var in In
			if err := json.Unmarshal(args, &in); err != nil {
				return nil, err
			}
			out, err := run(ctx, scope, in)
			if err != nil {
				return nil, err
			}
			return marshal(out)
		}}
}

// fits holds arguments to the schema before they fill a struct, so that a model
// which invents a field is told so instead of being silently obeyed.
func fits[T any](schema *jsonschema.Resolved, args json.RawMessage) error {
	var loose any
	if err := json.Unmarshal(args, &loose); err != nil {
		return app.Errorf(app.Invalid, "arguments are not JSON: %v", err)
	}
	if err := validate(schema, loose); err != nil {
		return app.Errorf(app.Invalid, "arguments do not fit the schema: %v", err)
	}
	var into T
	if err := json.Unmarshal(args, &into); err != nil {
		return app.Errorf(app.Invalid, "arguments do not fit the schema: %v", err)
	}
	return nil
}

// Outcome is what became of one tool call.
type Outcome struct {
	// Text is what the model reads: JSON, fenced when it came from outside.
	Text string
	// OK is false when the call was refused or failed.
	OK bool
	// Refused: the tool was not called at all.
	Refused bool
	// Tainted: the result holds text from outside.
	Tainted bool
	// Source is the tool's Source when Tainted.
	Source string
	// Err is the cause of a failure, for the team.
	Err error
	// Unsafe is why the call was refused when it may not have been the agent's
	// own idea; nil otherwise.
	Unsafe *UnsafeError
}

// Check tells whether a call would be carried out. When it would not, refusal
// is the answer for the model: the agent has no such tool, or the arguments
// don't fit its schema.
func (a Agent) Check(call Call) (refusal Outcome, ok bool) {
	tool, ok := a.Tool(call.Tool)
	if !ok || !slices.Contains(tool.Agents, a.Name) {
		return refused(&UnsafeError{Rules: []Rule{RuleTool}, Quote: untrusted.Quote(call.Tool, 60),
			Cause: app.Errorf(app.Denied, "there is no tool %q for %s", call.Tool, a.Name)}), false
	}
	if err := tool.fits(call.Args); err != nil {
		return refused(err), false
	}
	return Outcome{}, true
}

// Perform carries out one call for an agent. It never returns an error: a
// failure is an answer for the model, which can correct its arguments or go
// another way. A panic in a tool is a failure of that call alone.
func (a Agent) Perform(ctx context.Context, scope Scope, call Call) (out Outcome) {
	if refusal, ok := a.Check(call); !ok {
		return refusal
	}
	tool, _ := a.Tool(call.Tool)
	ctx, cancel := context.WithTimeout(ctx, tool.Timeout)
	defer cancel()
	scope.CallID, scope.Agent = call.ID, a.Name
	what := "tool " + tool.Name
	if tool.Inspect != nil {
		_, err := Bounded(ctx, what, tool.Timeout, func() (any, error) { return nil, tool.Inspect(scope, call.Args) })
		if err != nil {
			return refused(err)
		}
	}

	result, err := Bounded(ctx, what, tool.Timeout, func() (json.RawMessage, error) { return tool.call(ctx, scope, call.Args) })
	switch {
	case err != nil && tool.Source != "":
		// An error may quote what came from outside.
		return Outcome{Text: fence(tool.Source, failure(err)), Tainted: true, Source: tool.Source, Err: err, Refused: app.KindOf(err) == app.Invalid}
	case err != nil:
		return Outcome{Text: failure(err), Err: err, Refused: app.KindOf(err) == app.Invalid}
	case tool.Source != "":
		return Outcome{Text: fence(tool.Source, string(result)), OK: true, Tainted: true, Source: tool.Source}
	}
	return Outcome{Text: string(result), OK: true}
}

// Bounded carries out do until ctx ends, limit after it began: what ignores its
// context must not hold the run, and a panic is an error like any other. what
// names it in both.
func Bounded[T any](ctx context.Context, what string, limit time.Duration, do func() (T, error)) (result T, err error) {
	type answer struct {
		result T
		err    error
	}
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- answer{err: fmt.Errorf("%s panicked: %v", what, p)}
			}
		}()
		result, err := do()
		done <- answer{result, err}
	}()
	select {
	case a := <-done:
		return a.result, a.err
	case <-ctx.Done():
		return result, fmt.Errorf("%s gave no answer within %s", what, limit)
	}
}

func fence(source, text string) string { return untrusted.Wrap(source, text) }

func refused(err error) Outcome {
	out := Outcome{Text: failure(err), Refused: true, Err: err}
	errors.As(err, &out.Unsafe)
	return out
}

func failure(err error) string {
	message := err.Error()
	var known *app.Error
	if errors.As(err, &known) {
		message = known.Message
	}
	b, _ := marshal(map[string]string{"error": capped(message)})
	return string(b)
}

// maxFailure is how much of a failure a model is told, in runes: a schema's
// complaint may quote all that it complains of.
const maxFailure = 2000

func capped(message string) string {
	if runes := []rune(message); len(runes) > maxFailure {
		return string(runes[:maxFailure]) + "…"
	}
	return message
}

func marshal(v any) (json.RawMessage, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode result: %w", err)
	}
	return bytes.TrimRight(buf.Bytes(), "\n"), nil
}
