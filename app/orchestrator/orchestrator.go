// Package orchestrator decides what happens next: it starts due steps, carries
// out approved effects once, and finds out what became of those in doubt.
package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/app/desk"
	"vivra/app/pages"
	"vivra/app/postgres"
	"vivra/app/runner"
	"vivra/app/tools"
)

// Orchestrator moves operations on. Its fields are set once.
type Orchestrator struct {
	Store    *postgres.Store
	Desk     *desk.Desk
	Runner   *runner.Runner
	Calendar *calendar.Calendar
	Chain    tools.Chain
	Trades   tools.Trades
	Market   tools.Market
	Sites    *pages.Host
	Launches Launches
	// Venue says where people meet a token.
	Venue func(app.TokenRef) tools.Venue
	// ChainID is the chain that new operations are on.
	ChainID int64
	// SiteDomain is where relaunched sites live: <ticker>.<SiteDomain>.
	SiteDomain string
	// LivePage returns the public address of an operation.
	LivePage func(slug string) string
	// Secret makes one-time codes that nobody can guess.
	Secret []byte
	// Clock is the product's time; Wall is the time of leases.
	Clock, Wall clockwork.Clock
	Lease       time.Duration
	// Enqueue hands jobs to the workers outside any transaction.
	Enqueue func(ctx context.Context, jobs ...app.Job) error
	Log     *slog.Logger
	// Reached is told each labelled point; tests kill the process there.
	Reached func(point string)
}

// Launches tells where a token came from. app/chain implements it.
type Launches interface {
	Launch(ctx context.Context, ref app.TokenRef) (app.Launch, error)
}

// Tick looks for everything that is due and sets it going. It is safe to run in
// any number of processes at once, and to miss.
func (o *Orchestrator) Tick(ctx context.Context) error {
	now, wall := o.Clock.Now().UTC(), o.Wall.Now()
	return errors.Join(
		o.begin(ctx, now),
		o.Store.TakeOverExpired(ctx, now, wall, wall.Add(o.Lease)),
		o.Store.LoseExpiredEffects(ctx, now, wall),
		o.Store.LoseExpiredReads(ctx, now, wall),
		o.Store.ApplyDecisions(ctx, now),
		o.Store.ExpireApprovals(ctx, now),
		o.advance(ctx, now, wall),
		o.wakeEffects(ctx, now, wall),
		o.wakeLooks(ctx, now, wall),
		o.overdue(ctx, now),
		o.Store.WriteHeads(ctx, now),
	)
}

func (o *Orchestrator) begin(ctx context.Context, now time.Time) error {
	ids, err := o.Store.ScheduledDue(ctx, now)
	if err != nil {
		return err
	}
	var faults []error // of one operation don't hold up the others
	for _, id := range ids {
		if err := o.Store.BeginOperation(ctx, id, now); err != nil {
			faults = append(faults, fmt.Errorf("begin operation %d: %w", id, err))
		}
	}
	return errors.Join(faults...)
}

func (o *Orchestrator) advance(ctx context.Context, now, wall time.Time) error {
	ids, err := o.Store.OperationsWithDueSteps(ctx, now)
	if err != nil {
		return err
	}
	var faults []error
	for _, id := range ids {
		if _, err := o.Store.AdvanceSteps(ctx, id, now, wall.Add(o.Lease)); err != nil {
			faults = append(faults, fmt.Errorf("advance operation %d: %w", id, err))
		}
	}
	return errors.Join(faults...)
}

func (o *Orchestrator) wakeEffects(ctx context.Context, now, wall time.Time) error {
	jobs, err := o.Store.WakeEffects(ctx, now, wall, wall.Add(o.Lease))
	if err != nil || len(jobs) == 0 {
		return err
	}
	o.reached(Woken)
	return o.enqueue(ctx, jobs)
}

func (o *Orchestrator) enqueue(ctx context.Context, jobs []app.Job) error {
	if err := o.Enqueue(ctx, jobs...); err != nil {
		return fmt.Errorf("enqueue: %w", err)
	}
	return nil
}

func (o *Orchestrator) overdue(ctx context.Context, now time.Time) error {
	settings, err := o.Store.Settings(ctx)
	if err != nil {
		return err
	}
	return o.Store.RaiseOverdue(ctx, now.Add(-settings.OverdueAfter), now)
}

// Do carries out one job. A job for work that another worker has, or that is
// done, does nothing; work that was put aside comes with a job of its own.
func (o *Orchestrator) Do(ctx context.Context, job app.Job) error {
	var err error
	switch job.Kind {
	case app.JobStep:
		err = o.doStep(ctx, job)
	case app.JobEffect:
		err = o.CarryOut(ctx, job.ID)
	case app.JobReconcile:
		err = o.Reconcile(ctx, job.ID)
	case app.JobMentions:
		err = o.lookAtMentions(ctx, job)
	default:
		return fmt.Errorf("there is no job of kind %q", job.Kind)
	}
	if errors.Is(err, postgres.ErrLost) || errors.Is(err, postgres.ErrPaused) {
		return nil
	}
	return err
}

func (o *Orchestrator) doStep(ctx context.Context, job app.Job) error {
	step, err := o.Store.Step(ctx, job.ID)
	if err != nil {
		return err
	}
	c := app.Claim{OperationID: step.OperationID, StepID: step.ID, Fence: job.Fence}
	if step, err = o.Store.ClaimedStep(ctx, c); err != nil {
		return err
	}
	op, err := o.Store.Operation(ctx, step.OperationID)
	if err != nil {
		return err
	}
	if step.Agent == calendar.System {
		return o.system(ctx, c, op, step)
	}
	// A run that another process began goes on with the input it was given.
	begun, err := o.Store.RunBegun(ctx, step.ID)
	if err != nil {
		return err
	}
	if !begun {
		err := o.prepareHeld(ctx, c, op, &step)
		if errors.Is(err, errStopped) {
			return nil
		}
		if err != nil {
			return o.failed(ctx, c, err)
		}
	}
	return o.Runner.Run(ctx, c, op, step)
}

// prepareHeld keeps the claim while the sources are read, which may take long.
func (o *Orchestrator) prepareHeld(ctx context.Context, c app.Claim, op app.Operation, step *app.Step) error {
	return o.holding(ctx, c, func(held context.Context) error { return o.prepare(held, c, op, step) })
}

// holding keeps the claim while fn runs.
func (o *Orchestrator) holding(ctx context.Context, c app.Claim, fn func(held context.Context) error) error {
	held, release := o.Runner.Hold(ctx, c)
	defer release()
	err := fn(held)
	if errors.Is(context.Cause(held), postgres.ErrLost) {
		return postgres.ErrLost
	}
	return err
}

// failed books a step's failure outside a run.
func (o *Orchestrator) failed(ctx context.Context, c app.Claim, cause error) error {
	if errors.Is(cause, postgres.ErrLost) || ctx.Err() != nil {
		return cause
	}
	settings, err := o.Store.Settings(ctx)
	if err != nil {
		return errors.Join(cause, err)
	}
	return errors.Join(cause, o.Store.FailRun(ctx, c, "", cause, false, settings.StepRetries, o.Clock.Now()))
}
