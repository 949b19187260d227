package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"vivra/app/agent"
)

// inspect says what of an output's words may not leave. What code computed and
// the agent only repeats is not its words.
func (r *run) inspect(ctx context.Context, call agent.Call, output json.RawMessage) ([]string, error) {
	if r.Inspect == nil {
		return nil, nil
	}
	call.Args = own(output, r.task.Echo)
	err := r.look(ctx, call)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	errors.As(err, &r.unsafe)
	return []string{err.Error()}, nil
}

// look bounds Inspect as a tool call is bounded: what takes too long to look
// through is refused.
func (r *run) look(ctx context.Context, call agent.Call) error {
	ctx, cancel := context.WithTimeout(ctx, agent.DefaultTimeout)
	defer cancel()
	scope := r.scope()
	_, err := agent.Bounded(ctx, "looking through the output", agent.DefaultTimeout, func() (any, error) { return nil, r.Inspect(scope, call) })
	if ctx.Err() != nil {
		return fmt.Errorf("the output could not be looked through within %s: make it shorter", agent.DefaultTimeout)
	}
	return err
}

// own is an output without the fields that were copied.
func own(output json.RawMessage, copied []string) json.RawMessage {
	var fields map[string]json.RawMessage
	if len(copied) == 0 || json.Unmarshal(output, &fields) != nil {
		return output
	}
	for _, name := range copied {
		delete(fields, name)
	}
	return encode(fields)
}

// alarm tells the team what an agent was kept from, once per step and rule.
func (r *run) alarm(ctx context.Context, call agent.Call, unsafe *agent.UnsafeError) error {
	if unsafe == nil {
		return nil
	}
	what := toolName(r.agent, call.Tool)
	if what == "" {
		what = "a call"
	}
	for _, rule := range unsafe.Rules {
		if r.alarmed[rule] {
			continue
		}
		message := fmt.Sprintf("%s was refused %s in %s: %s. Somebody outside may be speaking through it: look at what it had read. It wrote: “%s”",
			title(r.agent.Name), what, r.step.Key, rule.Words(), unsafe.Quote)
		if err := r.Store.RaiseAlert(ctx, r.op.ID, "unsafe_output", r.step.Key+": "+string(rule), message, r.Clock.Now()); err != nil {
			return err
		}
		if r.alarmed == nil {
			r.alarmed = map[agent.Rule]bool{}
		}
		r.alarmed[rule] = true
	}
	return nil
}
