package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/postgres"
)

const workerArg = "be-a-worker"

// ample is a run's budget that no lost answer comes near to.
var ample = [2]string{"budget_max_usd: ", "budget_max_usd: 4"}

// workerSpec is what a worker process is told.
type workerSpec struct {
	Database, Model string
	Operations      []int64 // of one step each
	Wall            time.Time
	Lanes           int
	// It kills itself as kill -9 does at the Nth point that it reaches, or the
	// Nth with that label; 0: it lives.
	Label string
	Nth   int64
}

// Live carries out the steps of operations, several at once, and tells of each
// that has ended.
func (s workerSpec) Live(ctx context.Context, _ io.Reader) error {
	store, err := postgres.Open(ctx, s.Database)
	if err != nil {
		return err
	}
	defer store.Close()
	c := company{store: store, clock: clockwork.NewFakeClockAt(testop.J0), wall: clockwork.NewFakeClockAt(s.Wall), model: modelAt(s.Model, time.Minute), spec: ample}
	// The leases of whoever worked before have run out by this wall clock.
	if err := store.TakeOverExpired(ctx, c.clock.Now(), s.Wall, s.Wall.Add(lease)); err != nil {
		return err
	}
	return c.workOn(ctx, s.Operations, s.Lanes, s.reached(), func(id int64) { fmt.Println("ended", id) })
}

// reached dies at the point that was named.
func (s workerSpec) reached() func(string) {
	var seen atomic.Int64
	return func(point string) {
		if s.Nth == 0 || s.Label != "" && s.Label != point || seen.Add(1) != s.Nth {
			return
		}
		fmt.Println("died", point)
		testprocess.Die()
	}
}

// workOn carries out the steps in so many lanes.
func (c company) workOn(ctx context.Context, operations []int64, lanes int, reached func(string), ended func(int64)) error {
	r, release, err := c.runner(ctx)
	if err != nil {
		return err
	}
	defer release()
	r.Reached = reached
	next := make(chan int64, len(operations))
	for _, id := range operations {
		next <- id
	}
	close(next)
	faults := make([]error, lanes)
	var all sync.WaitGroup
	for lane := range lanes {
		all.Go(func() {
			for id := range next {
				claim, step, open, err := c.claim(ctx, id)
				if err == nil && open {
					op, found := c.store.Operation(ctx, id)
					if err = found; err == nil {
						_ = r.Run(ctx, claim, op, step) // the step tells how it ended
					}
				}
				faults[lane] = errors.Join(faults[lane], err)
				ended(id)
			}
		})
	}
	all.Wait()
	return errors.Join(faults...)
}

// claim starts an operation's one step, or takes it up; open is false when it
// has ended.
func (c company) claim(ctx context.Context, operation int64) (claim app.Claim, step app.Step, open bool, err error) {
	steps, err := c.store.Steps(ctx, operation)
	if err == nil && steps[0].State == app.StepPending && steps[0].Attempt == 0 {
		if _, err = c.store.AdvanceSteps(ctx, operation, c.clock.Now(), c.wall.Now().Add(lease)); err == nil {
			steps, err = c.store.Steps(ctx, operation)
		}
	}
	if err != nil {
		return claim, step, false, err
	}
	step = steps[0]
	return app.Claim{OperationID: operation, StepID: step.ID, Fence: step.Fence}, step, step.State == app.StepRunning, nil
}
