// Package runner carries one run of an agent to its output: turns, budget,
// refusals, retries and the log. Everything it learns is stored before it goes
// on, so that any process can take a run up where another one died.
package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/agents"
	"vivra/app/postgres"
)

// Model is a model and the bytes it would send: they are hashed, and counted
// as the most tokens that the prompt can have.
type Model interface {
	agent.Model
	RequestBytes(req agent.Request) ([]byte, error)
}

// Runner runs agents. Its fields are set once, before the first run.
type Runner struct {
	Store     Books
	Catalogue *agents.Catalogue
	Model     Model
	// Clock is the product's time; Wall measures leases and latencies.
	Clock clockwork.Clock
	Wall  clockwork.Clock
	// Lease is how long a silent worker keeps its claim.
	Lease time.Duration
	// LivePage returns the public address of an operation.
	LivePage func(slug string) string
	// Reached is told each labelled point of a turn; tests kill the process there.
	Reached func(point string)
}

// minOutput is the least output limit that can hold an answer.
const minOutput = 256

// gaveUp marks failures that trying again can't mend.
type gaveUp struct{ error }

// Run carries out the claimed step. It returns ErrLost when another worker has
// it; every other failure is booked on the step and returned for the log.
func (r *Runner) Run(ctx context.Context, c app.Claim, op app.Operation, step app.Step) error {
	settings, err := r.Store.Settings(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, settings.MaxRunTime)
	defer stop()
	ctx, release := r.Hold(ctx, c)
	defer release()

	run := &run{Runner: r, claim: c, op: op, step: step, settings: settings}
	err = run.carryOut(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, postgres.ErrLost) || errors.Is(context.Cause(ctx), postgres.ErrLost):
		return postgres.ErrLost
	}
	return run.fail(ctx, err)
}

// Hold renews the claim until release; when another worker has it, ctx ends
// with postgres.ErrLost as its cause.
func (r *Runner) Hold(ctx context.Context, c app.Claim) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := r.Wall.NewTicker(r.Lease / 4)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.Chan():
			}
			if err := r.Store.RenewLease(ctx, c, r.Wall.Now().Add(r.Lease)); errors.Is(err, postgres.ErrLost) {
				cancel(postgres.ErrLost)
				return
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done }
}

// run is one run in hand.
type run struct {
	*Runner
	claim    app.Claim
	op       app.Operation
	step     app.Step
	settings app.Settings

	agent agent.Agent
	task  agents.Task
	app.Run
	price app.Price
	specs []agent.ToolSpec // what the model is told of its tools, finish included
	items []item
}

// item is a transcript entry as it is stored: note marks what code put in.
type item struct {
	agent.Item
	Note string `json:"note,omitempty"`
	turn int
}

// The notes of user messages that code puts in.
const (
	noteReminder = "reminder"
	noteSchema   = "schema"
)

func (r *run) carryOut(ctx context.Context) error {
	if err := r.open(ctx); err != nil {
		return err
	}
	for {
		if err := r.answerCalls(ctx); err != nil {
			return err
		}
		output, problems, finished := r.finished()
		if finished && len(problems) == 0 {
			more, err := r.evidence(ctx, output)
			if err != nil {
				return err
			}
			if problems = more; len(problems) == 0 {
				return r.finish(ctx, output)
			}
		}
		if err := r.prompt(ctx, finished, problems); err != nil {
			return err
		}
		if r.Turns >= r.settings.MaxTurns {
			return fmt.Errorf("no output after %d turns", r.Turns)
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
	}
}

// open finds the agent and its task, and the run to go on with.
func (r *run) open(ctx context.Context) error {
	var ok bool
	if r.agent, ok = r.Catalogue.Agent(r.step.Agent); !ok {
		return gaveUp{fmt.Errorf("there is no agent %q", r.step.Agent)}
	}
	if r.task, ok = r.Catalogue.Task(r.step.Task); !ok {
		return gaveUp{fmt.Errorf("there is no task %q", r.step.Task)}
	}
	if r.price, ok = r.settings.Prices[r.agent.Model]; !ok {
		return gaveUp{fmt.Errorf("the model %s has no price: set llm.prices.%s first", r.agent.Model, r.agent.Model)}
	}
	for _, t := range r.agent.Tools {
		r.specs = append(r.specs, t.Spec())
	}
	r.specs = append(r.specs, r.task.Output.FinishSpec())
	fresh := app.Run{Agent: r.agent.Name, Task: r.task.Name, Model: r.agent.Model, PromptSHA256: r.agent.PromptSHA256,
		System: r.system(), Budget: r.agent.BudgetMax}
	stored, items, err := r.Store.OpenRun(ctx, r.claim, fresh, r.Clock.Now())
	if err != nil {
		return err
	}
	r.Run = stored
	if r.items, err = decodeItems(items); err != nil {
		return err
	}
	if len(r.items) > 0 {
		return nil
	}
	first, err := r.firstMessage(ctx)
	if err != nil {
		return err
	}
	return r.add(ctx, item{Item: agent.Item{Role: "user", Text: first}})
}

func decodeItems(stored []app.RunItem) ([]item, error) {
	out := make([]item, len(stored))
	for i, s := range stored {
		if err := json.Unmarshal(s.Item, &out[i]); err != nil {
			return nil, fmt.Errorf("read item %d of the run: %w", s.Seq, err)
		}
		out[i].turn = s.Turn
	}
	return out, nil
}

func (r *run) add(ctx context.Context, it item) error {
	raw, err := json.Marshal(it)
	if err != nil {
		return fmt.Errorf("encode item: %w", err)
	}
	if err := r.Store.AddItem(ctx, r.claim, r.ID, r.Turns, raw, r.Clock.Now()); err != nil {
		return err
	}
	it.turn = r.Turns
	r.items = append(r.items, it)
	return nil
}

// prompt tells the model what it missed, when its last answer did not end the
// run: once each, the second time the run has failed.
func (r *run) prompt(ctx context.Context, finished bool, problems []string) error {
	last := r.items[len(r.items)-1]
	switch {
	case finished:
		if r.misses() > 0 {
			return gaveUp{fmt.Errorf("the output does not fit, twice: %s", joined(problems))}
		}
		if err := r.refuseFinish(ctx, problems); err != nil {
			return err
		}
		return r.add(ctx, item{Item: agent.Item{Role: "user", Text: schemaMessage(problems)}, Note: noteSchema})
	case last.Role == "assistant" && len(last.Calls) == 0:
		if r.noted(noteReminder) {
			return errors.New("the model answered in plain text, twice, instead of calling finish")
		}
		return r.add(ctx, item{Item: agent.Item{Role: "user", Text: reminder}, Note: noteReminder})
	}
	return nil
}

// misses counts the finish calls that were refused.
func (r *run) misses() int {
	finish := make(map[string]bool)
	n := 0
	for _, it := range r.items {
		for _, call := range it.Calls {
			finish[call.ID] = call.Tool == agent.FinishTool
		}
		if it.Role == "tool" && finish[it.CallID] {
			n++
		}
	}
	return n
}

func (r *run) noted(note string) bool {
	for _, it := range r.items {
		if it.Note == note {
			return true
		}
	}
	return false
}

func (r *run) reached(point string) {
	if r.Reached != nil {
		r.Reached(point)
	}
}

// fail books the failure; what can't be booked will be found by the lease.
func (r *run) fail(ctx context.Context, cause error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cause // the process is stopping: the lease runs out and the run goes on elsewhere
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		cause = fmt.Errorf("the run took longer than %s", r.settings.MaxRunTime)
	}
	var budget *app.BudgetError
	var given gaveUp
	final := errors.As(cause, &given)
	if final {
		cause = given.error
	}
	if errors.As(cause, &budget) {
		cause, final = budget, true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := r.Store.FailRun(ctx, r.claim, r.ID, cause, final, r.settings.StepRetries, r.Clock.Now()); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}
