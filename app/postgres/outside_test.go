package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vivra/app"
)

func TestUpdatesAreKeptOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	fresh := 0
	for i := range 6 {
		ok, err := w.store.SaveUpdate(w.ctx, 1, int64(i/2), -100, []byte{0xff, 0, byte(i)}, j0.Add(time.Duration(i)*time.Minute))
		w.must(err)
		if ok {
			fresh++
		}
	}
	if got, err := w.store.Updates(w.ctx, -100, j0, j0.Add(4*time.Minute)); err != nil || fresh != 3 || fmt.Sprint(got) != "[[255 0 0] [255 0 2]]" {
		t.Errorf("%d are fresh, in the window %v, %v", fresh, got, err)
	}
}

// Instants come back in UTC wherever the program runs: pages and logs write
// them as they are.
func TestInstantsAreUTC(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	e, ok := w.attempt(w.effects(v[0])[0], t0)
	if !ok {
		t.Fatal("not attempted")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("1"), t0))
	e, s := w.effects(v[0])[0], w.step("cm.post_0")
	decided, err := w.store.Validation(w.ctx, v[0].ID)
	w.must(err)
	list, err := w.store.Operations(w.ctx)
	w.must(err)
	for name, at := range map[string]*time.Time{"DoneAt": e.DoneAt, "AttemptedAt": e.AttemptedAt, "StartedAt": s.StartedAt, "FinishedAt": s.FinishedAt,
		"DecidedAt": decided.DecidedAt, "LastAt": list[0].LastAt, "DueAt": &s.DueAt} {
		if at == nil || at.Location() != time.UTC || !at.Equal(j0) && !at.Equal(t0) {
			t.Errorf("%s is %v", name, at)
		}
	}
}

func TestChangesAreHeardByOtherProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	heard := make(chan string, 100)
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error)
	go func() { ended <- w.store.Listen(ctx, func(id string) { heard <- id }) }()
	next := func() string {
		select {
		case id := <-heard:
			return id
		case <-ctx.Done():
			t.Fatal("nothing was heard")
			return ""
		}
	}
	if id := next(); id != "0" {
		t.Errorf("at the start %q: anything may have changed before", id)
	}
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
	if id := next(); id != fmt.Sprint(w.op.ID) {
		t.Errorf("heard %q", id)
	}
	// A connection that broke is replaced, and what may have been missed is told.
	w.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`)
	if id := next(); id != "0" {
		t.Errorf("after the break %q", id)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestLookingChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm", validates), step("a.b", "cm", dependsOn("a.a")))
	other := w.operation(2, app.Dollar)
	w.waiting("a.a", app.KindPost, post("x"))
	heard := make(chan string, 10)
	go func() { _ = w.store.Listen(w.ctx, func(id string) { heard <- id }) }()
	<-heard
	if n, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0, wall); err != nil || n != 0 {
		t.Fatalf("%d steps moved, %v", n, err)
	}
	w.must(w.store.PauseOperation(w.ctx, other.Slug, ada, j0))
	select {
	case id := <-heard:
		if id != fmt.Sprint(other.ID) {
			t.Errorf("heard of %s: a look at what waits was told to everyone", id)
		}
	case <-w.ctx.Done():
		t.Error("nothing was heard")
	}
}
