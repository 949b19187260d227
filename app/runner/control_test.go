package runner_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/live"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
)

// heard is a store that tells when a run has heard that its operation does not
// run any more.
type heard struct {
	*postgres.Store
	state chan app.OperationState
}

func (h heard) OperationState(ctx context.Context, id int64) (app.OperationState, error) {
	state, err := h.Store.OperationState(ctx, id)
	if err == nil && state != app.OperationRunning {
		select {
		case h.state <- state:
		default:
		}
	}
	return state, err
}

func (st *stage) listen() <-chan app.OperationState {
	h := heard{st.store, make(chan app.OperationState, 1)}
	st.runner.Store = h
	return h.state
}

// goes runs a step in the background.
func (st *stage) goes(key string) <-chan error {
	st.t.Helper()
	claim, step := st.start(key)
	ended := make(chan error, 1)
	go func() { ended <- st.runner.Run(st.t.Context(), claim, st.op, step) }()
	return ended
}

func (st *stage) pause() {
	st.t.Helper()
	if err := st.store.PauseOperation(st.t.Context(), st.op.Slug, testop.Person, st.clock.Now()); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) stop() {
	st.t.Helper()
	if err := st.store.StopOperation(st.t.Context(), st.op.Slug, "enough", testop.Person, st.clock.Now()); err != nil {
		st.t.Fatal(err)
	}
}

// soon turns the wall clock by half a second: no run needs longer to hear of a
// pause or a stop.
func (st *stage) soon() {
	st.t.Helper()
	if err := st.wall.BlockUntilContext(st.t.Context(), 1); err != nil {
		st.t.Fatal(err)
	}
	st.wall.Advance(500 * time.Millisecond)
}

// TestStopAbortsAnOpenRequest: whether the model hangs before it says anything
// or in the middle of its answer, nobody waits for it once the operation is
// stopped, and what it may have cost is kept.
func TestStopAbortsAnOpenRequest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault modelsim.Fault
		hub   *live.Hub
	}{
		"silent":       {modelsim.Fault{Hang: true}, nil},
		"in mid-word":  {modelsim.Fault{StallAfter: 400}, nil},
		"silent, told": {modelsim.Fault{Hang: true}, new(live.Hub)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{})
			st.script(finish(reading()))
			st.sim.Fail(c.fault)
			asked := make(chan struct{}, 1)
			st.runner.Hub = c.hub
			st.runner.Reached = func(point string) {
				if point == "reserved" {
					asked <- struct{}{}
				}
			}
			ended := st.goes(metrics)
			<-asked
			st.stop()
			if c.hub == nil {
				st.soon()
			} else {
				st.wall.Advance(100 * time.Millisecond) // it looks no oftener
			}
			if err := st.told(c.hub, ended); !errors.Is(err, postgres.ErrLost) {
				t.Errorf("it ended with %v", err)
			}
			if s := st.step(metrics); s.State != app.StepCancelled {
				t.Errorf("the step is %s", s.State)
			}
			calls := st.run(metrics).Calls
			if len(calls) != 1 || calls[0].State != "unknown" || calls[0].Cost != calls[0].Reserved || testop.Balanced(t, st.store, st.op) != calls[0].Cost {
				t.Errorf("calls: %+v", calls)
			}
		})
	}
}

// told passes changes on until the run has ended.
func (st *stage) told(hub *live.Hub, ended <-chan error) error {
	for hub != nil {
		hub.Changed(live.Operation(st.op.ID))
		select {
		case err := <-ended:
			return err
		case <-time.After(10 * time.Millisecond): // it may not have listened yet
		}
	}
	return <-ended
}

// TestPauseWaitsForTheAnswer and does nothing with it: the answer is paid and
// kept, no tool is called, nothing is booked on the step, and after the resume
// the run goes on from there without asking again.
func TestPauseWaitsForTheAnswer(t *testing.T) {
	t.Parallel()
	st := postRun(t)
	state := st.listen()
	asked, answer := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(asked); <-answer })
	st.sim.Script(postScript(once))
	ended := st.goes(post)
	<-asked
	st.pause()
	st.soon()
	if got := <-state; got != app.OperationPaused {
		t.Fatalf("it heard of %s", got)
	}
	close(answer)
	if err := <-ended; !errors.Is(err, postgres.ErrPaused) {
		t.Fatalf("it ended with %v", err)
	}
	st.assertAside(t, 1, 0)
	st.resume(t)
	if st.sim.Count() != 3 {
		t.Errorf("the model was asked %d times", st.sim.Count())
	}
	st.assertPosted(t, "")
}

// TestPauseBetweenToolCalls: the tool that is at work finishes, the next one
// does not begin.
func TestPauseBetweenToolCalls(t *testing.T) {
	t.Parallel()
	working, work := make(chan struct{}), make(chan struct{})
	once := sync.OnceFunc(func() { close(working); <-work })
	st := newStage(t, setting{steps: []app.Step{testop.Step("cm", post, post, true)}, market: slow{before: once}})
	state := st.listen()
	st.sim.Script(postScript(func() {}))
	ended := st.goes(post)
	<-working
	st.pause()
	st.soon()
	<-state
	close(work)
	if err := <-ended; !errors.Is(err, postgres.ErrPaused) {
		t.Fatalf("it ended with %v", err)
	}
	st.assertAside(t, 1, 1)
	st.resume(t)
	st.assertPosted(t, "")
}

// slow is a market that has a say before it answers.
type slow struct {
	market
	before func()
}

func (s slow) Snapshot(ctx context.Context, ref app.TokenRef) (app.Market, error) {
	s.before()
	return s.market.Snapshot(ctx, ref)
}

// TestPauseEndsAWait: a run that waits for its next try does not wait on.
func TestPauseEndsAWait(t *testing.T) {
	t.Parallel()
	st := postRun(t)
	st.sim.Fail(modelsim.Fault{Status: 429, RetryAfter: "60"})
	failed := make(chan struct{}, 1)
	st.runner.Reached = func(point string) {
		if point == "settled" {
			failed <- struct{}{}
		}
	}
	ended := st.goes(post)
	<-failed
	if err := st.wall.BlockUntilContext(t.Context(), 2); err != nil { // it waits
		t.Fatal(err)
	}
	st.runner.Reached = nil
	st.pause()
	st.soon()
	if err := <-ended; !errors.Is(err, postgres.ErrPaused) {
		t.Fatalf("it ended with %v", err)
	}
	st.assertAside(t, 0, 0)
	st.resume(t)
	if run := st.run(post); run.State != "succeeded" || len(run.Calls) != 4 {
		t.Errorf("the run has %s after %d calls", run.State, len(run.Calls))
	}
}

// TestNothingBeginsInAPause: a job that comes when its operation is paused
// already asks nobody.
func TestNothingBeginsInAPause(t *testing.T) {
	t.Parallel()
	st := postRun(t)
	claim, step := st.start(post)
	st.pause()
	if err := st.runner.Run(t.Context(), claim, st.op, step); !errors.Is(err, postgres.ErrPaused) {
		t.Fatalf("it ended with %v", err)
	}
	if st.sim.Count() != 0 {
		t.Error("the model was asked")
	}
	st.assertAside(t, 0, 0)
	st.resume(t)
	st.assertPosted(t, "")
}

// assertAside checks that a run was put aside as it stood.
func (st *stage) assertAside(t *testing.T, turns, results int) {
	t.Helper()
	run, step := st.run(post), st.step(post)
	got := 0
	for _, it := range run.Items {
		if it.Role == "tool" {
			got++
		}
	}
	if run.State != "running" || run.Turns != turns || got != results || step.State != app.StepRunning || step.Attempt != 1 || step.Error != "" {
		t.Errorf("the run is %s after %d turns and %d results, the step %s at attempt %d: %s", run.State, run.Turns, got, step.State, step.Attempt, step.Error)
	}
	// Nobody takes it up while the operation is paused.
	if _, again := st.takeOver(post); again.Fence != step.Fence {
		t.Error("the step of a paused operation was taken over")
	}
}

// resume lets the operation go on, and the run with it.
func (st *stage) resume(t *testing.T) {
	t.Helper()
	before := st.step(post)
	if err := st.store.ResumeOperation(t.Context(), st.op.Slug, testop.Person, st.clock.Now()); err != nil {
		t.Fatal(err)
	}
	// Its lease was given back, so it need not run out.
	wall := st.runner.Wall.Now().Add(time.Millisecond)
	if err := st.store.TakeOverExpired(t.Context(), st.clock.Now(), wall, wall.Add(lease)); err != nil {
		t.Fatal(err)
	}
	step := st.step(post)
	if step.Fence == before.Fence {
		t.Fatal("the step was not taken up again")
	}
	claim := app.Claim{OperationID: st.op.ID, StepID: step.ID, Fence: step.Fence}
	if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
		t.Fatal(err)
	}
}

// watched is a store that tells, when a step is given back, whether its worker
// still looks after the lease.
type watched struct {
	*stage
	*postgres.Store
	kept bool
}

func (w *watched) SuspendStep(ctx context.Context, c app.Claim, wall time.Time) error {
	brief, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	w.kept = w.wall.BlockUntilContext(brief, 1) == nil
	return w.Store.SuspendStep(ctx, c, wall)
}

// TestNothingRenewsTheLeaseOfAStepGivenBack.
func TestNothingRenewsTheLeaseOfAStepGivenBack(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	w := &watched{stage: st, Store: st.store}
	st.runner.Store = w
	claim, step := st.start(metrics)
	st.pause()
	if err := st.runner.Run(t.Context(), claim, st.op, step); !errors.Is(err, postgres.ErrPaused) || w.kept {
		t.Errorf("%v; the lease is looked after: %t", err, w.kept)
	}
}
