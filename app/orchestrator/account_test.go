package orchestrator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/xsim"
)

func (o *office) lose() {
	o.t.Helper()
	if err := o.store.LoseXAccount(o.t.Context(), handle, o.clock.Now()); err != nil {
		o.t.Fatal(err)
	}
}

// reconnect has a person connect the account again.
func (o *office) reconnect() {
	o.t.Helper()
	a, err := o.store.XAccount(o.t.Context(), handle)
	if err == nil {
		now := o.clock.Now()
		a.NeedsReconnect, a.ExpiresAt, a.RenewedAt = false, now, &now
		err = o.store.ConnectXAccount(o.t.Context(), "00000000-0000-4000-8000-000000000000", a, "", testop.Person, now)
	}
	if err != nil {
		o.t.Fatal(err)
	}
}

// TestWhatWaitsForAnAccountGoesOnWithIt: at once, and with one alert for all of
// it; what has its turn later keeps that.
func TestWhatWaitsForAnAccountGoesOnWithIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"), person("c"))
	o.lose()
	for _, key := range []string{"a", "b"} {
		if err := o.publish(key, app.KindPost, aPost(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.later(45 * time.Minute); err != nil { // both were tried
		t.Fatal(err)
	}
	if err := o.publish("c", app.KindPost, aPost("c")); err != nil {
		t.Fatal(err)
	}
	turn := o.effects()[2].NotBefore
	if alerts := testop.Alerts(t, o.store, "x_account"); len(alerts) != 1 || !strings.HasPrefix(alerts[0].Subject, "@"+handle) {
		t.Errorf("the team is told %+v", alerts)
	}
	o.clock.Advance(time.Minute)
	o.reconnect()
	if got := o.effects()[2].NotBefore; !got.Equal(turn) || !turn.After(o.clock.Now()) {
		t.Errorf("a turn was moved from %s to %s", turn, got)
	}
	if err := o.work(); err != nil || len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone {
		t.Fatalf("%d posts at once: %v", len(o.x.Posts()), err)
	}
	if err := o.later(30*time.Minute - time.Second); err != nil || len(o.x.Posts()) != 1 {
		t.Errorf("%d posts before the half hour: %v", len(o.x.Posts()), err)
	}
	for range 2 {
		if err := o.later(31 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if len(o.x.Posts()) != 3 {
		t.Errorf("%d posts in the end", len(o.x.Posts()))
	}
}

// TestDoubtLastsAsLongAsTheAccountIsGone: nobody is asked what only X can tell.
func TestDoubtLastsAsLongAsTheAccountIsGone(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable})
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
		t.Fatal(err)
	}
	o.lose()
	for range 30 {
		if err := o.later(10 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if asked, told := testop.Alerts(t, o.store, "effect_unknown"), testop.Alerts(t, o.store, "x_account"); len(asked) != 0 || len(told) != 1 {
		t.Errorf("a person is asked %d times and told %d times", len(asked), len(told))
	}
	o.reconnect()
	if err := o.work(); err != nil || o.step("a").State != app.StepDone || len(o.x.Posts()) != 1 {
		t.Errorf("the step is %s after %d posts: %v", o.step("a").State, len(o.x.Posts()), err)
	}
}

// TestWithoutCreditsAnAccountWaits: the first post that X wants to be paid for
// fails, the others are not tried meanwhile.
func TestWithoutCreditsAnAccountWaits(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"), person("c"))
	a, b, c := o.await("a", app.KindPost, aPost("a")), o.await("b", app.KindPost, aPost("b")), o.await("c", app.KindPost, aPost("c"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: http.StatusPaymentRequired})
	o.approve(a)
	o.approve(b)
	o.approve(c)
	_ = o.work() // fails, as the rows tell
	told := testop.Alerts(t, o.store, "x_account")
	if o.step("a").State != app.StepFailed || len(told) != 1 || !strings.Contains(told[0].Message, "Add credits") {
		t.Fatalf("the step is %s, the team is told %+v", o.step("a").State, told)
	}
	if err := o.later(time.Hour - time.Second); err != nil || o.fronts.x.arrived("POST /2/tweets") != 1 || o.step("b").State != app.StepWaiting {
		t.Fatalf("%d calls within the hour, the next step is %s: %v", o.fronts.x.arrived("POST /2/tweets"), o.step("b").State, err)
	}
	if err := o.store.RetryEffect(t.Context(), o.effects()[0].ID, "paid", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if err := o.work(); err != nil {
			t.Fatal(err)
		}
		o.clock.Advance(30 * time.Minute)
	}
	for _, key := range []string{"a", "b", "c"} {
		if got := o.step(key).State; got != app.StepDone {
			t.Errorf("%s is %s", key, got)
		}
	}
	testop.Balanced(t, o.store, o.op)
}
