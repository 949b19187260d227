// Package runner carries one run of an agent to its output: turns, budget,
// refusals, retries and the log. Everything it learns is stored before it goes
// on, so that any process can take a run up where another one died.
package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/agents"
	"vivra/app/live"
	"vivra/app/postgres"
	"vivra/app/telemetry"
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
	// Perform carries out a tool call; nil: as the agent does.
	Perform func(ctx context.Context, a agent.Agent, s agent.Scope, call agent.Call) agent.Outcome
	// Inspect looks through an output that fits before it is taken: an error
	// sends it back. nil: nobody does.
	Inspect func(s agent.Scope, call agent.Call) error
	// Clock is the product's time; Wall measures leases, waits and latencies.
	Clock clockwork.Clock
	Wall  clockwork.Clock
	// Lease is how long a silent worker keeps its claim.
	Lease time.Duration
	// LivePage returns the public address of an operation.
	LivePage func(slug string) string
	// Hub tells of changes, so that a pause or a stop is heard at once; nil: it
	// is found by looking.
	Hub *live.Hub
	// Trace watches runs; nil: nobody does.
	Trace *telemetry.Tracer
	// Fit refuses a model that was found unable to do what runs need, with an
	// app.Invalid error; nil: none is refused.
	Fit func(ctx context.Context, model string) error
	// Reached is told each labelled point of a turn; tests kill the process there.
	Reached func(point string)
}

// gaveUp marks failures that trying again can't mend.
type gaveUp struct{ error }

// Run carries out the claimed step. It returns postgres.ErrLost when another
// worker has it or its operation is over, and postgres.ErrPaused when it was
// put aside until the operation goes on; neither is a failure. Every other
// error is booked on the step and returned for the log.
func (r *Runner) Run(ctx context.Context, c app.Claim, op app.Operation, step app.Step) error {
	settings, err := r.Store.Settings(ctx)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, settings.MaxRunTime)
	defer stop()
	ctx, grip := r.hold(ctx, c)
	defer grip.release()

	run := &run{Runner: r, grip: grip, claim: c, op: op, step: step, settings: settings, began: r.Wall.Now()}
	err = run.open(ctx)
	var span *telemetry.Span
	if err == nil {
		ctx, span = r.Trace.Run(ctx, run.info())
		err = run.carryOut(ctx)
	}
	err = run.end(ctx, err)
	run.close(ctx, span, err)
	return err
}

// end books how the run has ended.
func (r *run) end(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, postgres.ErrLost) || errors.Is(context.Cause(ctx), postgres.ErrLost):
		return postgres.ErrLost
	case errors.Is(err, postgres.ErrPaused):
		return r.suspend(ctx)
	case goesOn(ctx, err):
		return err
	}
	return r.fail(ctx, err)
}

// goesOn tells whether a run that ended with err is taken up again as it stands:
// it was put aside, another worker has it, or this process is stopping.
func goesOn(ctx context.Context, err error) bool {
	return err != nil && (errors.Is(err, postgres.ErrPaused) || errors.Is(err, postgres.ErrLost) || errors.Is(ctx.Err(), context.Canceled))
}

func (r *run) info() telemetry.RunInfo {
	return telemetry.RunInfo{ID: r.ID, Agent: r.agent.Name, Task: r.task.Name, Model: r.Run.Model, Operation: r.op.Slug, Step: r.step.Key}
}

// close ends a span. What goes on elsewhere is told of there; nobody goes on
// with an operation that is over.
func (r *run) close(ctx context.Context, span *telemetry.Span, err error) {
	if span == nil {
		return
	}
	if goesOn(ctx, err) && !r.over(ctx) {
		span.Drop()
		return
	}
	span.Fail(err)
	span.End()
}

// over tells whether the operation has come to its end.
func (r *run) over(ctx context.Context) bool {
	ctx, cancel := aside(ctx)
	defer cancel()
	state, err := r.Store.OperationState(ctx, r.op.ID)
	return err == nil && state.Final()
}

// suspend gives the step back as it stands: it goes on from its last whole turn
// when the operation does. Nothing renews the lease after that.
func (r *run) suspend(ctx context.Context) error {
	r.grip.release()
	ctx, cancel := aside(ctx)
	defer cancel()
	if err := r.Store.SuspendStep(ctx, r.claim, r.Wall.Now()); err != nil {
		return err
	}
	return postgres.ErrPaused
}

// fail books the failure; what can't be booked will be found by the lease.
func (r *run) fail(ctx context.Context, cause error) error {
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
	ctx, cancel := aside(ctx)
	defer cancel()
	if err := r.Store.FailRun(ctx, r.claim, r.ID, cause, final, r.settings.StepRetries, r.Clock.Now()); err != nil {
		return errors.Join(cause, err)
	}
	return cause
}

// aside is for what must be booked although the run's time is up.
func aside(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
}

func (r *Runner) reached(point string) {
	if r.Reached != nil {
		r.Reached(point)
	}
}
