package runner

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/postgres"
)

// lookEvery is how often a worker looks whether its operation still runs, and
// lookRarely how often at most when changes are announced.
const (
	lookEvery  = 500 * time.Millisecond
	lookRarely = 100 * time.Millisecond
)

// grip is a worker's hold on its step.
type grip struct {
	paused atomic.Bool
	// stirred receives when paused has changed.
	stirred chan struct{}
	release func()

	renewed, looked time.Time // by the wall clock
}

// Hold keeps the claim until release. When another worker has the step, or its
// operation is over, ctx ends with postgres.ErrLost as its cause.
func (r *Runner) Hold(ctx context.Context, c app.Claim) (context.Context, func()) {
	ctx, g := r.hold(ctx, c)
	return ctx, g.release
}

func (r *Runner) hold(ctx context.Context, c app.Claim) (context.Context, *grip) {
	ctx, cancel := context.WithCancelCause(ctx)
	now := r.Wall.Now()
	g := &grip{stirred: make(chan struct{}, 1), renewed: now, looked: now}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if r.keepWatch(ctx, c, g) {
			cancel(postgres.ErrLost)
		}
	}()
	g.release = func() { cancel(nil); <-done }
	return ctx, g
}

// keepWatch renews the lease and looks after the operation until ctx ends, and
// tells whether the step was lost.
func (r *Runner) keepWatch(ctx context.Context, c app.Claim, g *grip) (lost bool) {
	tick := r.Wall.NewTicker(min(lookEvery, r.Lease/4))
	defer tick.Stop()
	var changes <-chan struct{}
	if r.Hub != nil {
		heard, leave := r.Hub.Subscribe(live.Operation(c.OperationID))
		defer leave()
		changes = heard
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.Chan():
		case <-changes:
			if r.Wall.Since(g.looked) < lookRarely {
				continue // the tick comes soon enough
			}
		}
		if r.renew(ctx, c, g) || r.look(ctx, c, g) {
			return true
		}
	}
}

func (r *Runner) renew(ctx context.Context, c app.Claim, g *grip) (lost bool) {
	now := r.Wall.Now()
	if now.Sub(g.renewed) < r.Lease/4 {
		return false
	}
	err := r.Store.RenewLease(ctx, c, now.Add(r.Lease))
	if err == nil {
		g.renewed = now
	}
	return errors.Is(err, postgres.ErrLost)
}

func (r *Runner) look(ctx context.Context, c app.Claim, g *grip) (over bool) {
	g.looked = r.Wall.Now()
	state, err := r.Store.OperationState(ctx, c.OperationID)
	if err != nil {
		return false // looked for again soon
	}
	if paused := state == app.OperationPaused; g.paused.Swap(paused) != paused {
		select {
		case g.stirred <- struct{}{}:
		default:
		}
	}
	return state.Final()
}

// interrupted tells whether the run has to stop before it does anything new.
func (r *run) interrupted(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if r.grip.paused.Load() {
		return postgres.ErrPaused
	}
	return nil
}

// wait lets d pass by the wall clock, unless the run is interrupted.
func (r *run) wait(ctx context.Context, d time.Duration) error {
	over := r.Wall.After(d)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-over:
			return nil
		case <-r.grip.stirred:
			if err := r.interrupted(ctx); err != nil {
				return err
			}
		}
	}
}
