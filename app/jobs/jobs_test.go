package jobs_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testlog"
	"vivra/app/internal/testop"
	"vivra/app/jobs"
	"vivra/app/orchestrator"
	"vivra/app/postgres"
)

func TestMain(m *testing.M) { testdb.Main(m) }

// soon bounds what a test waits for; it never passes when all is well.
const soon = 20 * time.Second

// shop is workers on a database, working until the test ends.
type shop struct {
	*jobs.Workers[pgx.Tx]
	t     *testing.T
	store *postgres.Store
	stop  context.CancelFunc
	ended chan error
	log   *testlog.Lines
}

func open(t *testing.T, limit int, do jobs.Do) *shop {
	t.Helper()
	s := &shop{t: t, store: testdb.New(t), ended: make(chan error, 1), log: new(testlog.Lines)}
	var err error
	if s.Workers, err = jobs.New(s.store.RiverDriver(), limit, do, slog.New(slog.NewTextHandler(s.log, nil))); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.stop = stop
	go func() { s.ended <- s.Run(ctx) }()
	t.Cleanup(s.close)
	return s
}

// close stops the workers and waits for them.
func (s *shop) close() {
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			s.t.Error(err)
		}
		s.ended <- nil // for whoever asks again
	case <-time.After(soon):
		s.t.Error("the workers do not stop")
	}
}

func (s *shop) add(job app.Job) {
	s.t.Helper()
	if err := s.Enqueue(s.t.Context(), job); err != nil {
		s.t.Fatal(err)
	}
}

func receive[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(soon):
		t.Fatal("nothing came")
	}
	return v
}

// TestEachJobIsDoneOnce, at most limit at a time.
func TestEachJobIsDoneOnce(t *testing.T) {
	t.Parallel()
	const limit, count = 3, 20
	var now, most atomic.Int32
	done := make(chan app.Job, count*2)
	s := open(t, limit, func(_ context.Context, job app.Job) error {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		done <- job
		return nil
	})
	want := map[app.Job]int{}
	for n := range int64(count) {
		job := app.Job{Kind: []app.JobKind{app.JobStep, app.JobEffect, app.JobReconcile}[n%3], ID: n, Fence: n * 7}
		want[job]++
		s.add(job)
	}
	for range count {
		job := receive(t, done)
		want[job]--
	}
	for job, left := range want {
		if left != 0 {
			t.Errorf("%+v: %d are missing", job, left)
		}
	}
	s.close()
	if len(done) != 0 || most.Load() > limit {
		t.Errorf("%d jobs too many, %d at a time", len(done), most.Load())
	}
}

// TestFailuresAreContained: a panic or an error ends one job only, is logged,
// and is not tried again: the row it was about says what happens next.
func TestFailuresAreContained(t *testing.T) {
	t.Parallel()
	done := make(chan app.Job, 10)
	s := open(t, 1, func(_ context.Context, job app.Job) error {
		defer func() { done <- job }()
		switch job.ID {
		case 1:
			panic("a hole in the floor")
		case 2:
			return errors.New("out of paper")
		}
		return nil
	})
	for id := int64(1); id <= 3; id++ {
		s.add(app.Job{Kind: app.JobStep, ID: id})
		if got := receive(t, done); got.ID != id {
			t.Errorf("job %d came, want %d", got.ID, id)
		}
	}
	s.close()
	if len(done) != 0 {
		t.Error("a failed job was tried again")
	}
	for _, want := range []string{"a hole in the floor", "out of paper", "kind=step", "id=1", "id=2"} {
		if !strings.Contains(s.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, s.log)
		}
	}
}

// TestStopWaitsForWorkInHand: a job that runs learns that it must end, and Run
// returns once it has.
func TestStopWaitsForWorkInHand(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	s := open(t, 1, func(ctx context.Context, _ app.Job) error {
		close(begun)
		<-ctx.Done()
		<-goOn
		ended.Store(true)
		return ctx.Err()
	})
	s.add(app.Job{Kind: app.JobStep, ID: 1})
	receive(t, begun)
	s.stop()
	select {
	case <-s.ended:
		t.Fatal("it did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	close(goOn)
	if err := receive(t, s.ended); err != nil || !ended.Load() {
		t.Errorf("ended %v: %v", ended.Load(), err)
	}
	s.ended <- nil
	if strings.Contains(s.log.String(), "job failed") {
		t.Errorf("a job that was told to stop is logged as failed:\n%s", s.log)
	}
}

// TestJobBelongsToItsTransaction: what is rolled back makes no job.
func TestJobBelongsToItsTransaction(t *testing.T) {
	t.Parallel()
	done := make(chan app.Job, 10)
	s := open(t, 1, func(_ context.Context, job app.Job) error { done <- job; return nil })
	op := testop.New(t, s.store, 1, app.Dollar, testop.Step("scanner", "a", "a", false))
	s.store.Enqueue = func(ctx context.Context, tx pgx.Tx, job app.Job) error {
		if err := s.EnqueueTx(ctx, tx, job); err != nil {
			return err
		}
		return errors.New("the power went")
	}
	if _, err := s.store.AdvanceSteps(t.Context(), op.ID, testop.J0, testop.J0.Add(time.Minute)); err == nil {
		t.Fatal("it was committed")
	}
	s.store.Enqueue = s.EnqueueTx
	if _, err := s.store.AdvanceSteps(t.Context(), op.ID, testop.J0, testop.J0.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	step := testop.ByKey(t, s.store, op, "a")
	if got := receive(t, done); got != (app.Job{Kind: app.JobStep, ID: step.ID, Fence: 1}) || step.Fence != 1 {
		t.Errorf("got %+v for the step %d", got, step.ID)
	}
	s.close()
	if len(done) != 0 {
		t.Error("what was rolled back has made a job")
	}
}

// TestLostJobIsMadeAgain: a step whose job nobody has keeps until its lease runs
// out; then the tick makes another job for it.
func TestLostJobIsMadeAgain(t *testing.T) {
	t.Parallel()
	done := make(chan app.Job, 10)
	s := open(t, 1, func(_ context.Context, job app.Job) error { done <- job; return nil })
	op := testop.New(t, s.store, 1, app.Dollar, testop.Step("scanner", "a", "a", false))
	wall := clockwork.NewFakeClockAt(testop.J0)
	o := &orchestrator.Orchestrator{Store: s.store, Clock: clockwork.NewFakeClockAt(testop.J0), Wall: wall, Lease: time.Minute, Enqueue: s.Enqueue, Log: slog.New(slog.DiscardHandler)}
	s.store.Enqueue = func(context.Context, pgx.Tx, app.Job) error { return nil } // lost
	for range 2 {
		if err := o.Tick(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.store.Enqueue = s.EnqueueTx
		wall.Advance(time.Minute - time.Second) // the second tick comes before the lease has run out
	}
	select {
	case job := <-done:
		t.Fatalf("the step was given away too early: %+v", job)
	case <-time.After(50 * time.Millisecond):
	}
	if err := o.Tick(t.Context()); err != nil {
		t.Fatal(err)
	}
	step := testop.ByKey(t, s.store, op, "a")
	if got := receive(t, done); got != (app.Job{Kind: app.JobStep, ID: step.ID, Fence: 2}) || step.State != app.StepRunning || step.Attempt != 1 {
		t.Errorf("got %+v; the step is %s at attempt %d", got, step.State, step.Attempt)
	}
}
