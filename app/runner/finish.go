package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/postgres"
)

// handedIn looks at the output of the last answer, if it has one: the first of
// its finish calls counts. An output that does not fit is sent back, once.
func (r *run) handedIn(ctx context.Context) (output json.RawMessage, err error) {
	calls := r.finishCalls()
	if len(calls) == 0 {
		return nil, nil
	}
	told, refused := r.told(calls[0])
	if !refused {
		output, problems, err := r.examine(ctx, calls[0])
		if err != nil || len(problems) == 0 {
			return output, err
		}
		told = joined(problems)
		switch {
		case r.noted(noteSchema):
			return nil, r.giveUp(ctx, calls[0], fmt.Errorf("the output does not fit, twice: %s", told))
		case !r.mayRecover():
			return nil, r.giveUp(ctx, calls[0], fmt.Errorf("the output does not fit, and no retry is left: %s", told))
		}
	}
	return nil, r.sendBack(ctx, calls, told)
}

// giveUp ends the run over its output. Words that may not leave are told of as
// when they are sent back.
func (r *run) giveUp(ctx context.Context, call agent.Call, why error) error {
	if r.unsafe == nil {
		return gaveUp{why}
	}
	if err := r.alarm(ctx, call, r.unsafe); err != nil {
		return err
	}
	out := agent.Outcome{Refused: true, Unsafe: r.unsafe}
	line := app.EventLine{Kind: "tool_call", Agent: r.agent.Name, Step: r.step.Key, Tool: call.Tool, Summary: did(r.agent, call.Tool, out)}
	if err := r.Store.AddLine(ctx, r.claim, line, r.Clock.Now()); err != nil {
		return err
	}
	return gaveUp{why}
}

// finishCalls are those of the last answer that are not too many.
func (r *run) finishCalls() (calls []agent.Call) {
	last, _ := r.lastAnswer()
	for _, call := range last.Calls[:min(len(last.Calls), mostCalls)] {
		if call.Tool == agent.FinishTool {
			calls = append(calls, call)
		}
	}
	return calls
}

// told is what a call was answered with, if it was.
func (r *run) told(call agent.Call) (text string, ok bool) {
	for _, it := range r.items {
		if it.Role == "tool" && it.CallID == call.ID {
			return refusalOf(it.Text), true
		}
	}
	return "", false
}

// examine returns the output of a finish call and what is wrong with it.
func (r *run) examine(ctx context.Context, call agent.Call) (output json.RawMessage, problems []string, err error) {
	r.unsafe = nil
	output, problems = r.task.Output.Parse(call.Args)
	if len(problems) == 0 {
		problems = r.task.Altered(r.step.Input, output)
	} else if len(r.task.Outside) > 0 {
		problems = []string{closedOutput} // what does not fit may be a stranger's words
	}
	if len(problems) == 0 {
		problems, err = r.evidence(ctx, output)
	}
	if len(problems) == 0 && err == nil {
		problems, err = r.inspect(ctx, call, output)
	}
	return output, problems, err
}

// sendBack answers the finish calls with what is wrong, and says so in a
// message of its own. What was done of it before a process died is not repeated.
func (r *run) sendBack(ctx context.Context, calls []agent.Call, told string) error {
	for _, call := range calls {
		if _, ok := r.told(call); ok {
			continue
		}
		out := refusal(told)
		out.Unsafe = r.unsafe
		if err := r.keep(ctx, call, out, did(r.agent, call.Tool, out), noteSchema); err != nil {
			return err
		}
	}
	if last := r.items[len(r.items)-1]; last.Role == "user" {
		return nil
	}
	return r.add(ctx, item{Item: agent.Item{Role: "user", Text: schemaMessage(told)}, Note: noteSchema})
}

// finish stores the output and ends the run.
func (r *run) finish(ctx context.Context, output json.RawMessage) error {
	end := postgres.RunEnd{RunID: r.ID, Output: output, Summary: r.summary(), Policy: !r.validationRequired()}
	var readings struct {
		Metrics  *app.Metrics `json:"metrics"`
		Baseline *app.Metrics `json:"baseline_metrics"`
	}
	if err := json.Unmarshal(r.step.Input, &readings); err != nil {
		return fmt.Errorf("read the step's input: %w", err)
	}
	end.Reading, end.Baseline = readings.Metrics, readings.Baseline
	r.reached("finishing")
	if err := r.Store.FinishRun(ctx, r.claim, end, r.Clock.Now()); err != nil {
		return err
	}
	r.reached("finished")
	return nil
}

func (r *run) validationRequired() bool {
	if on, set := r.settings.ValidationRequired[r.agent.Name]; set {
		return on
	}
	return r.agent.Validation
}
