package orchestrator_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/rehearsal/xsim"
)

func (o *office) lose() {
	o.t.Helper()
	_, err := o.store.ChangeXAccount(o.t.Context(), handle, o.clock.Now(), func(a postgres.XAccount) (postgres.XAccount, error) {
		a.NeedsReconnect = true
		return a, nil
	})
	if err != nil {
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

// TestWaitingForAPersonIsNoAttempt: however long an account was gone, what then
// goes wrong is the first thing to go wrong.
func TestWaitingForAPersonIsNoAttempt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.lose()
			if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
				t.Fatal(err)
			}
			for range 24 {
				if err := o.later(10 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: status})
			o.reconnect()
			for range 2 {
				if err := o.work(); err != nil {
					t.Fatal(err)
				}
				o.clock.Advance(10 * time.Minute)
			}
			if e := o.effects()[0]; e.State != app.EffectDone || e.Attempt != 2 || len(o.x.Posts()) != 1 || len(testop.Alerts(t, o.store, "effect_unknown")) != 0 {
				t.Errorf("the effect is %s after %d attempts, %d posts: %s", e.State, e.Attempt, len(o.x.Posts()), e.Error)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestAProfileIsLookedAtForAsLongAsItTakes: a process that sleeps in between ends
// nothing.
func TestAProfileIsLookedAtForAsLongAsItTakes(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	look := func() {
		if err := o.later(10 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.publish("a", app.KindProfile, app.ProfilePayload{Account: handle, Name: "Dodo", Bio: "We hold."}); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		look()
	}
	o.Reached = func(point string) {
		if point == "attempting" {
			o.wall.Advance(2 * lease)
			o.Reached = nil
		}
	}
	look()
	if e := o.effects()[0]; e.State != app.EffectIntent || o.Reached != nil {
		t.Fatalf("after an unrelated fault it is %s: %s", e.State, e.Error)
	}
	if err := o.x.ApplyProfile(userID, "Dodo", "We hold.", "", nil); err != nil {
		t.Fatal(err)
	}
	if look(); o.step("a").State != app.StepDone {
		t.Errorf("the step is %s: %s", o.step("a").State, o.step("a").Error)
	}
}

// twoAccounts has X know another account, and ours be connected only after a
// draft was written, which it returns.
func twoAccounts(t *testing.T) (o *office, sim *xsim.Server, another func(), draft app.Validation) {
	t.Helper()
	const second, secondAccess = "900000002", "access-2"
	v := newVault(t, person(theStep))
	sim = xsim.New(xsim.Options{Now: v.clock.Now, ClientID: "us", ClientSecret: "s3", Accounts: []xsim.Account{
		{ID: userID, Username: handle, Name: "dodo holders", AccessToken: access, RefreshToken: refresh},
		{ID: second, Username: "dodo_back2", Name: "dodo holders", AccessToken: secondAccess, RefreshToken: "refresh-2"}}})
	v.fronts.x.next = sim
	v.exec(`DELETE FROM x_accounts`)
	draft = v.await(theStep, app.KindPost, aPost("gm"))
	v.connect(handle, userID, access, refresh)
	return v.office, sim, func() { v.connect(handle, second, secondAccess, "refresh-2") }, draft
}

// TestTheFirstAttemptBindsTheAccount that was not connected when the draft was
// written: whatever became of it, another one behind the name posts nothing, and
// its timeline tells nothing.
func TestTheFirstAttemptBindsTheAccount(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault xsim.Fault
		posts int
		want  app.EffectState
		told  string
	}{
		"it went out":  {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusServiceUnavailable, AfterAccept: true}, 1, app.EffectDone, ""},
		"it did not":   {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusServiceUnavailable}, 0, app.EffectUnknown, "effect_unknown"},
		"it was early": {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusTooManyRequests}, 0, app.EffectVoid, "payload_changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, sim, another, draft := twoAccounts(t)
			sim.Fail(c.fault)
			sim.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable})
			o.approve(draft)
			if err := o.work(); err != nil {
				t.Fatal(err)
			}
			another()
			for range 4 {
				if err := o.later(11 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if e := o.effects()[0]; e.State != c.want || len(sim.Posts()) != c.posts {
				t.Errorf("the effect is %s, %d posts: %s", e.State, len(sim.Posts()), e.Error)
			}
			if c.told != "" && len(testop.Alerts(t, o.store, c.told)) != 1 {
				t.Errorf("nobody is told by %s", c.told)
			}
		})
	}
}

// TestAnAccountThatComesDuringAnAttemptIsBoundFirst: nothing is sent unbound.
func TestAnAccountThatComesDuringAnAttemptIsBoundFirst(t *testing.T) {
	t.Parallel()
	v := newVault(t, person(theStep))
	v.exec(`DELETE FROM x_accounts`)
	v.approve(v.await(theStep, app.KindPost, aPost("gm")))
	v.Reached = func(point string) {
		if point == "attempting" {
			v.Reached = nil
			v.connect(handle, userID, access, refresh)
		}
	}
	if err := v.work(); err != nil || len(v.x.Posts()) != 0 {
		t.Fatalf("%d posts of an account that nothing binds: %v", len(v.x.Posts()), err)
	}
	if err := v.later(time.Minute); err != nil || len(v.x.Posts()) != 1 {
		t.Errorf("%d posts: %v", len(v.x.Posts()), err)
	}
	if got, err := v.store.Validation(t.Context(), v.effects()[0].ValidationID); err != nil || got.AccountID != userID {
		t.Errorf("it is bound to %q: %v", got.AccountID, err)
	}
}

// TestReconnectingVoidsOnlyWhatUsesTheAccount: a group that is being set up is not
// set up twice.
func TestReconnectingVoidsOnlyWhatUsesTheAccount(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("tg"))
	o.approve(o.await("tg", app.KindTelegram, setup(o)))
	for range 3 { // the title, the description and the rules
		o.tick()
		for _, job := range o.taken() {
			if err := o.Do(t.Context(), job); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.connect(handle, "900000009", access, refresh)
	if err := o.work(); err != nil || o.step("tg").State != app.StepDone || len(o.tg.Published()) != 2 {
		t.Errorf("the step is %s after %d messages: %v, %v", o.step("tg").State, len(o.tg.Published()), states(o.effects()), err)
	}
}

// TestWithoutCreditsNothingOfTheAccountIsTried: neither what is approved later, nor
// the rest of a thread, nor what a paused takeover goes on with, until somebody
// tries again.
func TestWithoutCreditsNothingOfTheAccountIsTried(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"), person("thread"))
	thread := o.await("thread", app.KindThread, app.ThreadPayload{Account: handle, Posts: []app.PostPayload{aPost("1"), aPost("2"), aPost("3"), aPost("4")}})
	a, b := o.await("a", app.KindPost, aPost("a")), o.await("b", app.KindPost, aPost("b"))
	o.approve(thread)
	first := o.op
	o.op = testop.New(t, o.store, 2, 50*app.Dollar, person("c"))
	c := o.await("c", app.KindPost, aPost("c"))
	o.approve(c)
	if err := o.store.PauseOperation(t.Context(), o.op.Slug, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	paused := o.op.Slug
	o.op = first
	for n := range 2 { // its first post, and the second that X wants to be paid for
		o.tick()
		for _, job := range o.taken() {
			_ = o.Do(t.Context(), job)
		}
		if n == 0 {
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: http.StatusPaymentRequired})
		}
	}
	if got := states(o.effects())[:2]; got[0] != app.EffectDone || got[1] != app.EffectFailed {
		t.Fatalf("the thread's posts are %v", got)
	}
	held := o.clock.Now().Add(time.Hour)
	if told := testop.Alerts(t, o.store, "x_account"); len(told) != 1 || !strings.Contains(told[0].Message, "nothing is posted with it before "+held.Format("15:04 UTC")) {
		t.Errorf("the team is told %+v", told)
	}
	o.approve(a)
	if err := o.store.ResumeOperation(t.Context(), paused, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := o.later(10 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	o.approve(b)
	if err := o.work(); err != nil || o.fronts.x.arrived("POST /2/tweets") != 2 {
		t.Fatalf("%d calls before %s: %v", o.fronts.x.arrived("POST /2/tweets"), held, err)
	}
	if err := o.store.RetryEffect(t.Context(), o.effects()[1].ID, "paid", testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if err := o.work(); err != nil {
			t.Fatal(err)
		}
		o.clock.Advance(30 * time.Minute)
	}
	if len(o.x.Posts()) != 7 || !o.x.Posts()[3].At.Before(held) {
		t.Errorf("%d posts in the end", len(o.x.Posts()))
	}
}
