package orchestrator_test

import (
	"fmt"
	"image/color"
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/fault"
	"vivra/app/rehearsal/pagessim"
	"vivra/app/rehearsal/xsim"
)

// silence is a timeline that shows nothing, so often.
func silence(times int) fault.Fault {
	return fault.Fault{Path: "GET /2/users/" + userID + "/tweets", Status: http.StatusOK, HTML: `{"meta":{"result_count":0}}`, Times: times}
}

// TestFoundBehindAHundredPosts: an account that has written a lot since is read
// back to the attempt.
func TestFoundBehindAHundredPosts(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable})
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
		t.Fatal(err)
	}
	o.clock.Advance(time.Minute)
	for n := range 250 {
		o.x.Say(userID, fmt.Sprintf("by hand, %d", n))
	}
	if err := o.later(10 * time.Minute); err != nil || o.step("a").State != app.StepDone || len(o.x.Posts()) != 1 || o.effects()[0].ProviderID != o.x.Posts()[0].ID {
		t.Errorf("the step is %s after %d posts: %v", o.step("a").State, len(o.x.Posts()), err)
	}
}

// TestDuplicateThatNeverShows: X says that the text is there and never shows it:
// a person looks, and nothing is sent blindly meanwhile.
func TestDuplicateThatNeverShows(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
	o.x.Fail(silence(1000))
	if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
		t.Fatal(err)
	}
	for range 48 {
		if err := o.later(time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	e := o.effects()[0]
	if alerts := testop.Alerts(t, o.store, "effect_unknown"); e.State != app.EffectUnknown || e.Attempt != 2 || len(alerts) != 1 || len(o.x.Posts()) != 1 {
		t.Fatalf("the effect is %s after %d attempts, %d alerts, %d posts", e.State, e.Attempt, len(alerts), len(o.x.Posts()))
	}
	if err := o.store.SettleEffect(t.Context(), app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: true, Link: "https://x.com/" + handle + "/status/" + o.x.Posts()[0].ID}, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if got := o.step("a").State; got != app.StepDone {
		t.Errorf("the step is %s", got)
	}
	testop.Balanced(t, o.store, o.op)
}

// TestDuplicateOfAnotherOutput: the same text, approved twice, went out once: the
// second output is not taken for the post of the first.
func TestDuplicateOfAnotherOutput(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	first, second := o.await("a", app.KindPost, aPost("gm")), o.await("b", app.KindPost, aPost("gm"))
	o.approve(first)
	o.approve(second)
	if err := o.work(); err != nil {
		t.Fatal(err)
	}
	_ = o.later(30 * time.Minute) // fails, as the rows tell
	if a, b := o.step("a"), o.step("b"); a.State != app.StepDone || b.State != app.StepFailed || !strings.Contains(b.Error, "duplicate") || len(o.x.Posts()) != 1 {
		t.Errorf("the steps are %s and %s (%s), %d posts", a.State, b.State, b.Error, len(o.x.Posts()))
	}
}

// TestPlatformThatRefusesToBeAsked: when X will not show its timeline, a person
// hears of it at once; when it can't be reached, after a while.
func TestPlatformThatRefusesToBeAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		told   time.Duration
	}{"out of credits": {http.StatusPaymentRequired, 0}, "down": {http.StatusServiceUnavailable, 2 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
			o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: c.status, Times: 14})
			if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
				t.Fatal(err)
			}
			for waited := time.Duration(0); waited < c.told; waited += 10 * time.Minute {
				if n := len(testop.Alerts(t, o.store, "effect_unknown")); n != 0 {
					t.Fatalf("%d alerts after %s", n, waited)
				}
				if err := o.later(10 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(testop.Alerts(t, o.store, "effect_unknown")); n != 1 {
				t.Errorf("%d alerts, want 1", n)
			}
			for range 15 {
				if err := o.later(10 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if e := o.effects()[0]; e.State != app.EffectDone || e.Attempt != 1 || len(o.x.Posts()) != 1 {
				t.Errorf("the effect is %s after %d attempts, %d posts", e.State, e.Attempt, len(o.x.Posts()))
			}
		})
	}
}

// TestGroupIsReadBeforeItIsSetAgain: what Telegram shows already is not set twice.
func TestGroupIsReadBeforeItIsSetAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("tg"))
	calls := []string{"/setChatTitle", "/setChatDescription", "/pinChatMessage"}
	for _, call := range calls {
		o.fronts.tg.faults.Add(fault.Fault{Path: "POST /bot" + botKey + call, AfterAccept: true})
	}
	if err := o.publish("tg", app.KindTelegram, setup(o)); err != nil || o.step("tg").State != app.StepDone {
		t.Fatalf("the step is %s: %v", o.step("tg").State, err)
	}
	for _, call := range calls {
		if n := o.fronts.tg.calls("POST /bot" + botKey + call); n != 1 {
			t.Errorf("%s was carried out %d times", call, n)
		}
	}
	for _, e := range o.effects() {
		if e.Attempt != 1 {
			t.Errorf("%s took %d attempts", e.Kind, e.Attempt)
		}
	}
}

// TestProcessThatSlept: a process that was suspended between its claim and its
// call sends nothing when it wakes up: another one may look after the post by then.
func TestProcessThatSlept(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"attempting", "uploaded"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			post := aPost("gm")
			post.Media = []app.Media{o.picture("a", color.White)}
			o.approve(o.await("a", app.KindPost, post))
			o.tick()
			asleep := *o.Orchestrator
			asleep.Reached = func(at string) {
				if at == point {
					o.wall.Advance(2 * lease)
				}
			}
			for _, job := range o.taken() {
				if err := asleep.Do(t.Context(), job); err != nil {
					t.Fatal(err)
				}
			}
			if e := o.effects()[0]; e.State != app.EffectIntent || len(o.x.Posts()) != 0 {
				t.Fatalf("the effect is %s, %d posts", e.State, len(o.x.Posts()))
			}
			if err := o.later(time.Minute); err != nil || len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone {
				t.Errorf("%d posts, the step is %s: %v", len(o.x.Posts()), o.step("a").State, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestPicturesThatNeverArrive end with a person, not with endless tries.
func TestPicturesThatNeverArrive(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	post := aPost("gm")
	post.Media = []app.Media{o.picture("a", color.White)}
	o.x.Fail(xsim.Fault{Path: "POST /2/media", Status: http.StatusServiceUnavailable, Times: 1000})
	if err := o.publish("a", app.KindPost, post); err != nil {
		t.Fatal(err)
	}
	for range 30 {
		_ = o.later(time.Minute) // the last one fails
	}
	if e := o.effects()[0]; e.State != app.EffectFailed || e.Attempt != 20 || len(testop.Alerts(t, o.store, "publication_failed")) != 1 || len(o.x.Posts()) != 0 {
		t.Errorf("the effect is %s after %d attempts: %s", e.State, e.Attempt, e.Error)
	}
}

// TestStoppedWhileADeploymentIsInDoubt: one that is there is booked as what it
// is, and is not finished; one that is not there is void.
func TestStoppedWhileADeploymentIsInDoubt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		accepted bool
		want     app.EffectState
	}{"it was made": {true, app.EffectDone}, "it was not": {false, app.EffectVoid}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVault(t, person(theStep))
			v.Sites = v.place.host(&http.Client{Timeout: patient})
			v.pages.Fail(pagessim.Fault{Path: "POST /accounts/acc/pages/projects/dodo-b/deployments", AfterAccept: c.accepted})
			v.Reached = func(point string) {
				if point == "unknown" {
					if err := v.store.StopOperation(t.Context(), v.op.Slug, "enough", testop.Person, v.clock.Now()); err != nil {
						t.Error(err)
					}
				}
			}
			if err := v.publish(theStep, app.KindSite, v.aSite("")); err != nil {
				t.Fatal(err)
			}
			deployed := 0
			if c.accepted {
				deployed = 1
			}
			if e := v.effects()[0]; e.State != c.want || len(v.pages.Deployments()) != deployed || v.pages.Live(host) {
				t.Errorf("the effect is %s, %d deployments, live: %v", e.State, len(v.pages.Deployments()), v.pages.Live(host))
			}
			testop.Balanced(t, v.store, v.op)
		})
	}
}
