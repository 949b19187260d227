package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

func account(version int, expires time.Time) postgres.XAccount {
	return postgres.XAccount{Handle: "ember", UserID: "7", KeyID: "k1", AccessSealed: fmt.Appendf(nil, "access-%d", version),
		RefreshSealed: fmt.Appendf(nil, "refresh-%d", version), Scopes: []string{"tweet.write"}, ExpiresAt: expires}
}

// A refresh token works once: many that want a new one get it from one call.
func TestTokensAreRefreshedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.SaveXAccount(w.ctx, account(1, j0), j0))
	calls := 0 // the account's lock guards it
	for _, err := range together(20, func(int) error {
		got, err := w.store.RefreshXAccount(w.ctx, "ember", j0, func(a postgres.XAccount) (postgres.XAccount, error) {
			if a.ExpiresAt.After(j0) {
				return a, nil
			}
			calls++
			return account(1+calls, j0.Add(2*time.Hour)), nil
		})
		if err == nil && string(got.AccessSealed) != "access-2" {
			return fmt.Errorf("got %s", got.AccessSealed)
		}
		return err
	}) {
		w.must(err)
	}
	got, err := w.store.XAccount(w.ctx, "ember")
	if err != nil || calls != 1 || string(got.RefreshSealed) != "refresh-2" || !got.ExpiresAt.Equal(j0.Add(2*time.Hour)) {
		t.Errorf("%d calls, kept %+v, %v", calls, got, err)
	}
}

func TestRefreshKeepsWhatItGot(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	w.must(w.store.SaveXAccount(w.ctx, account(1, j0.Add(time.Hour)), j0))
	refresh := func(a postgres.XAccount, err error) error {
		_, err = w.store.RefreshXAccount(w.ctx, "ember", j0, func(postgres.XAccount) (postgres.XAccount, error) { return a, err })
		return err
	}
	kept := func() string {
		a, err := w.store.XAccount(w.ctx, "ember")
		w.must(err)
		return string(a.RefreshSealed)
	}
	// New tokens may end when the old ones would have.
	w.must(refresh(account(2, j0.Add(time.Hour)), nil))
	if kept() != "refresh-2" {
		t.Errorf("kept %s", kept())
	}
	if err := refresh(account(3, j0.Add(2*time.Hour)), errors.New("refused")); err == nil || kept() != "refresh-2" {
		t.Errorf("%v, kept %s", err, kept())
	}
	w.must(w.store.LoseXAccount(w.ctx, "ember", j0))
	if a, err := w.store.XAccount(w.ctx, "ember"); err != nil || !a.NeedsReconnect {
		t.Errorf("%+v, %v", a, err)
	}
	w.must(w.store.SaveXAccount(w.ctx, account(4, j0), j0))
	if a, err := w.store.XAccount(w.ctx, "ember"); err != nil || a.NeedsReconnect {
		t.Errorf("connected again: %+v, %v", a, err)
	}
	if _, err := w.store.XAccount(w.ctx, "nobody"); !isKind(err, app.NotFound) {
		t.Errorf("nobody: %v", err)
	}
}

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
	e, ok := w.attempt(w.effects(v[0])[0], j0)
	if !ok {
		t.Fatal("not attempted")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("1"), j0))
	e, s := w.effects(v[0])[0], w.step("cm.post_0")
	decided, err := w.store.Validation(w.ctx, v[0].ID)
	w.must(err)
	list, err := w.store.Operations(w.ctx)
	w.must(err)
	for name, at := range map[string]*time.Time{"DoneAt": e.DoneAt, "AttemptedAt": e.AttemptedAt, "StartedAt": s.StartedAt, "FinishedAt": s.FinishedAt,
		"DecidedAt": decided.DecidedAt, "LastAt": list[0].LastAt, "DueAt": &s.DueAt} {
		if at == nil || at.Location() != time.UTC || !at.Equal(j0) {
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
