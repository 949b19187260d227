package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/agents"
)

// run is one run in hand.
type run struct {
	*Runner
	grip     *grip
	claim    app.Claim
	op       app.Operation
	step     app.Step
	settings app.Settings
	began    time.Time // by the wall clock, in this process

	agent agent.Agent
	task  agents.Task
	app.Run
	prices app.PriceList
	model  string           // that is asked: the agent's, or its fallback
	specs  []agent.ToolSpec // what the model is told of its tools, finish included
	items  []item
	unsafe *agent.UnsafeError // of the output in hand
	// alarmed are the rules that the team was told of, by this process.
	alarmed map[agent.Rule]bool
}

// carryOut goes on until there is an output. What is to be done next follows
// from the transcript alone, so it is the same wherever the run goes on.
func (r *run) carryOut(ctx context.Context) error {
	if err := r.takeUp(ctx); err != nil {
		return err
	}
	for {
		output, err := r.handedIn(ctx)
		if err != nil {
			return err
		}
		if output != nil {
			return r.finish(ctx, output)
		}
		if err := r.remind(ctx); err != nil {
			return err
		}
		if r.Turns >= r.settings.MaxTurns {
			return fmt.Errorf("no output after %s", app.Count(r.Turns, "turn", "turns"))
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
	}
}

// open finds the agent and its task, and the run to go on with.
func (r *run) open(ctx context.Context) (err error) {
	if err := r.cast(ctx); err != nil {
		return err
	}
	fresh := app.Run{Agent: r.agent.Name, Task: r.task.Name, Model: r.agent.Model, PromptSHA256: r.agent.PromptSHA256,
		System: r.system(), Budget: r.agent.BudgetMax, Sources: r.task.Sources(), Tainted: len(r.task.Outside) > 0}
	stored, items, err := r.Store.OpenRun(ctx, r.claim, fresh, r.Clock.Now())
	if err != nil {
		return err
	}
	r.Run = stored
	if r.items, err = decodeItems(items); err != nil {
		return err
	}
	r.chooseModel()
	if err := r.judge(ctx); err != nil {
		return err
	}
	if len(r.items) > 0 {
		return nil
	}
	first, sources, err := r.firstMessage(ctx)
	if err != nil {
		return err
	}
	it := item{Item: agent.Item{Role: "user", Text: first}, Sources: sources}
	if err := r.Store.BeginTranscript(ctx, r.claim, r.ID, it.encode(), sources, r.Clock.Now()); err != nil {
		return err
	}
	r.items = append(r.items, it)
	return nil
}

// add stores what code says to the model.
func (r *run) add(ctx context.Context, it item) error {
	if err := r.Store.AddItem(ctx, r.claim, r.ID, r.Turns, it.encode(), r.Clock.Now()); err != nil {
		return err
	}
	it.turn = r.Turns
	r.items = append(r.items, it)
	return nil
}

// remind asks for a tool call when the last answer had none: once, the second
// time the run has failed.
func (r *run) remind(ctx context.Context) error {
	last := r.items[len(r.items)-1]
	switch {
	case last.Role != "assistant" || len(last.Calls) > 0:
		return nil
	case r.noted(noteReminder):
		return errors.New("the model answered in plain text, twice, instead of calling finish")
	case !r.mayRecover():
		return errors.New("the model answered in plain text instead of calling finish, and no retry is left")
	}
	text := reminder
	if last.Cut {
		text = reminderOfCut
	}
	return r.add(ctx, item{Item: agent.Item{Role: "user", Text: text}, Note: noteReminder})
}

// noted tells whether code has put such a note in the transcript.
func (r *run) noted(note string) bool {
	for _, it := range r.items {
		if it.Note == note {
			return true
		}
	}
	return false
}

// used is how much of the run's one allowance is gone: each call that brought
// no answer, a refused output and a reminder count alike.
func (r *run) used() int {
	n := r.Failures
	for _, note := range []string{noteSchema, noteReminder} {
		if r.noted(note) {
			n++
		}
	}
	return n
}

func (r *run) mayRecover() bool { return r.used() < r.settings.Retries }

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
