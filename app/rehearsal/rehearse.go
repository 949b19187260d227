package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/calendar"
	"vivra/app/live"
	"vivra/app/rehearsal/xsim"
)

// rehearsal is one run of a plan.
type rehearsal struct {
	Plan
	clock *clockwork.FakeClock
	world *World
	team  *team
	app   *boot.App
	op    app.Operation
	base  string
	seen  map[string]app.StepState
	// before is what X had been asked for when the operation began.
	before map[string]xsim.Read
}

// Rehearse runs a takeover on the local world with a simulated clock, headless.
func Rehearse(ctx context.Context, p Plan) (sum Summary, err error) {
	p = p.withDefaults()
	wall := clockwork.NewRealClock()
	began := wall.Now()
	r := &rehearsal{Plan: p, clock: clockwork.NewFakeClockAt(p.Start), seen: map[string]app.StepState{}}
	if r.world, err = Start(Options{Seed: p.Seed, Start: p.Start, Clock: r.clock, DeployerShare: p.DeployerShare, Poison: p.Poison, Obey: p.Obey}); err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, r.world.Close()) }()
	if p.World != nil {
		p.World(r.world)
	}
	err = r.perform(ctx, func(ctx context.Context, invite string) error {
		sum, err = r.run(ctx, invite)
		return err
	})
	sum.WallMS, sum.OutsideMS = wall.Since(began).Milliseconds(), r.world.meter.sum().Milliseconds()
	return sum, err
}

func (r *rehearsal) run(ctx context.Context, invite string) (Summary, error) {
	r.team = &team{person: newPerson(r.base), world: r.world, app: r.app, script: r.Script, left: map[string]bool{}}
	if r.Told != nil {
		r.team.told = func(what, step string) { r.Told(r.clock.Now(), what, step) }
	}
	if err := r.team.join(ctx, invite); err != nil {
		return Summary{}, err
	}
	if err := r.team.connect(ctx); err != nil {
		return Summary{}, err
	}
	if err := r.allowReplies(ctx); err != nil {
		return Summary{}, err
	}
	r.before = r.world.X.Reads()
	op, err := r.team.begin(ctx, r.Plan)
	if err != nil {
		return Summary{}, err
	}
	r.op = op
	if err := r.live(ctx); err != nil {
		return Summary{}, err
	}
	sum, err := r.summary(ctx)
	if err == nil && r.Finished != nil {
		err = r.Finished(ctx, r.app, r.op, r.base)
	}
	return sum, err
}

// allowReplies enters X's approval of automated replies, if the plan has one.
func (r *rehearsal) allowReplies(ctx context.Context) error {
	if r.ReplyApproval == "" {
		return nil
	}
	value, err := json.Marshal(r.ReplyApproval)
	if err != nil {
		return fmt.Errorf("write X's approval: %w", err)
	}
	return r.app.Store.SetSetting(ctx, "x.ai_reply_approval", value, "rehearsal", r.clock.Now())
}

// live turns the clock: nothing is left to do at an instant before the next
// one begins.
func (r *rehearsal) live(ctx context.Context) error {
	changes, stop := r.app.Hub.Subscribe(live.Operation(r.op.ID))
	defer stop()
	for {
		quiet, err := r.quiet(ctx)
		if err != nil {
			return err
		}
		if !quiet {
			if err := wait(ctx, changes); err != nil {
				return err
			}
			continue
		}
		over, err := r.turn(ctx, r.end())
		if err != nil || over {
			return err
		}
	}
}

// wait waits for a change, or a moment.
func wait(ctx context.Context, changes <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changes:
	case <-time.After(20 * time.Millisecond):
	}
	return nil
}

// newestBeside is how many steps beside the calendar are looked at, those that
// are open first.
const newestBeside = 10_000

// quiet tells whether nothing can happen any more at this instant: no worker is
// at work, no tick could start something, the team has nothing to decide, and
// the log did not grow while that was looked at.
func (r *rehearsal) quiet(ctx context.Context) (bool, error) {
	now := r.clock.Now()
	op, err := r.app.Store.Operation(ctx, r.op.ID)
	if err != nil {
		return false, err
	}
	busy, err := r.app.Store.Busy(ctx, now)
	if err != nil {
		return false, err
	}
	steps, beside, err := r.steps(ctx)
	if err != nil {
		return false, err
	}
	r.report(steps)
	steps = append(steps, beside...)
	busy = busy || op.State == app.OperationScheduled && !op.J0.After(now) ||
		op.State == app.OperationRunning && len(calendar.Plan(steps, now)) > 0
	acted, err := r.team.act(ctx, op) // while others work, too
	if err != nil || busy || acted > 0 {
		return false, err
	}
	r.op, err = r.app.Store.Operation(ctx, r.op.ID)
	return r.op.Seq == op.Seq, err
}

// steps are those of the calendar, and those beside it.
func (r *rehearsal) steps(ctx context.Context) (planned, beside []app.Step, err error) {
	if planned, err = r.app.Store.Steps(ctx, r.op.ID); err != nil {
		return nil, nil, err
	}
	beside, err = r.app.Store.ContinuousSteps(ctx, r.op.ID, newestBeside)
	return planned, beside, err
}

func (r *rehearsal) report(steps []app.Step) {
	for _, s := range steps {
		if before := r.seen[s.Key]; before != s.State && s.State.Final() {
			r.seen[s.Key] = s.State
			if r.Progress != nil {
				r.Progress(r.clock.Now(), s)
			}
		}
	}
}

// turn moves the clock to the next instant, or says that the takeover is over.
func (r *rehearsal) turn(ctx context.Context, end time.Time) (over bool, err error) {
	if r.op.State.Final() {
		return true, nil
	}
	now := r.clock.Now()
	next, err := r.app.Store.NextInstant(ctx, now)
	if err != nil || next == nil || next.After(end) {
		return true, err
	}
	if err := r.world.Advance(ctx, next.UTC()); err != nil {
		return false, err
	}
	r.clock.Advance(next.Sub(now))
	r.app.Wake()
	return false, nil
}
