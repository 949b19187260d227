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
func (r *run) inspect(call agent.Call, output json.RawMessage) []string {
	r.unsafe = nil
	if r.Inspect == nil {
		return nil
	}
	call.Args = own(output, r.task.Echo)
	err := r.Inspect(r.scope(), call)
	if err == nil {
		return nil
	}
	errors.As(err, &r.unsafe)
	return []string{err.Error()}
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
