package boot_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/live"
	"vivra/app/postgres"
)

// TestAlarmEndsEachWindow: what follows from a decision comes when it can no
// longer be undone, and not at the next minute. Both clocks stand still, so that
// nothing else ticks.
func TestAlarmEndsEachWindow(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(testop.J0)
	url := testdb.URL(t)
	p := serve(t, url, func(c *boot.Config) { c.Clock, c.Wall = clock, clockwork.NewFakeClockAt(testop.J0) })
	a := p.app()
	vs := waitingKits(t, url, 5)
	changes, leave := a.Hub.Subscribe(live.Operation(vs[0].OperationID))
	defer leave()
	for i, v := range vs { // a second apart, the last two together
		if i > 0 && i < len(vs)-1 {
			clock.Advance(time.Second)
		}
		if _, err := a.Store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, clock.Now()); err != nil {
			t.Fatal(err)
		}
		<-changes // the process has heard of it
	}
	clock.Advance(6 * time.Second) // the undo of the first ends after one more
	for i, v := range vs {
		if i < len(vs)-1 {
			clock.Advance(time.Second)
		}
		if got := applied(t, a.Store, v); got.AppliedAt.Before(*got.AppliesAt) {
			t.Errorf("draft %d applies at %s and was applied at %s", i, got.AppliesAt, got.AppliedAt)
		}
	}
	if passed := clock.Since(testop.J0); passed != 13*time.Second {
		t.Errorf("%s have passed", passed)
	}

	p.end() // with the alarm set for nothing, and below for something
	p = serve(t, url, func(c *boot.Config) { c.Clock, c.Wall = clock, clockwork.NewFakeClockAt(testop.J0) })
	v := waitingKits(t, url, 1)[0]
	if _, err := p.app().Store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, clock.Now()); err != nil {
		t.Fatal(err)
	}
	p.end()
}

// applied waits until something followed from the decision on v.
func applied(t *testing.T, store *postgres.Store, v app.Validation) app.Validation {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	for {
		got, err := store.Validation(ctx, v.ID)
		if err != nil {
			t.Fatalf("%s is not applied: %v", v.StepKey, err)
		}
		if got.AppliedAt != nil {
			return got
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// waitingKits are n outputs of another takeover that wait, which no worker of the
// application had a part in.
func waitingKits(t *testing.T, url string, n int) (vs []app.Validation) {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var steps []app.Step
	for i := range n {
		st := testop.Step("designer", "designer.kit."+string(rune('a'+i)), "designer.kit", true)
		st.DueAt = testop.J0.Add(time.Hour)
		steps = append(steps, st)
	}
	op := testop.New(t, store, byte(n), app.Dollar, steps...)
	for _, st := range steps {
		c, _ := testop.Start(t, store, op, st.Key, st.DueAt, st.DueAt.AddDate(1, 0, 0))
		id, err := store.Propose(t.Context(), c, postgres.Proposal{Kind: app.KindKit, Payload: app.OutputPayload{Step: st.Key, Output: json.RawMessage(`{}`)}}, testop.J0)
		if err == nil {
			err = store.FinishRun(t.Context(), c, postgres.RunEnd{Output: json.RawMessage(`{}`)}, testop.J0)
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := store.Validation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		vs = append(vs, v)
	}
	return vs
}
