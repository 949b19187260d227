package orchestrator_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/fault"
	"vivra/app/rehearsal/xsim"
)

// blind has the account's timeline show nothing for so many looks.
func (o *office) blind(looks int) {
	o.x.Fail(xsim.Fault{Path: "GET /2/users/" + userID + "/tweets", Status: http.StatusOK, HTML: `{"meta":{"result_count":0}}`, Times: looks})
}

// TestARefusalIsNotTakenForThePostBefore: X took a post in silence, showed it
// late, and refused the second attempt. It is out, and nothing is made anew.
func TestARefusalIsNotTakenForThePostBefore(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusPaymentRequired, http.StatusForbidden, http.StatusBadRequest} {
		for name, unseen := range map[string]bool{"seen by then": false, "nobody can look then": true} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				t.Parallel()
				o := newOffice(t, person("a"))
				o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
				o.blind(2)
				if err := o.publish("a", app.KindPost, aPost("gm")); err != nil {
					t.Fatal(err)
				}
				o.x.Fail(xsim.Fault{Path: "POST /2/tweets", Status: status})
				if unseen {
					o.x.Fail(xsim.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable})
				}
				_ = o.later(10 * time.Minute) // a look that fails is told of
				if e := o.effects()[0]; e.Attempt != 2 || e.State == app.EffectFailed {
					t.Fatalf("it is %s after %d attempts: %s", e.State, e.Attempt, e.Error)
				}
				if err := o.later(time.Hour); err != nil {
					t.Fatal(err)
				}
				if len(o.x.Posts()) != 1 || o.step("a").State != app.StepDone || len(testop.Alerts(t, o.store, "publication_failed")) != 0 {
					t.Errorf("%d posts, the step is %s", len(o.x.Posts()), o.step("a").State)
				}
			})
		}
	}
}

// TestTheRestKnowsWhatWasTriedBefore: a post of a thread that was refused while
// the timeline still hid it is found when the rest is approved again.
func TestTheRestKnowsWhatWasTriedBefore(t *testing.T) {
	t.Parallel()
	for _, looks := range []int{2, 3, 4} { // seen at the refusal, or only after it
		t.Run(fmt.Sprint(looks, " looks"), func(t *testing.T) {
			t.Parallel()
			f := &fiver{office: newOffice(t, person(theStep), person("next")), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
			third := func(trouble fault.Fault) {
				f.fronts.x.next = &picky{next: f.x, at: []int{2}, hit: map[int]bool{}, trouble: func() fault.Fault { return trouble }}
			}
			third(fault.Fault{AfterAccept: true})
			f.blind(looks)
			f.approve(f.await(theStep, app.KindThread, five(handle)))
			_ = f.work()
			third(fault.Fault{Status: http.StatusPaymentRequired})
			_ = f.later(10 * time.Minute)
			f.fronts.x.next = f.x
			if broke := f.step(theStep).State == app.StepFailed; broke != (looks > 3) {
				t.Fatalf("the step is %s", f.step(theStep).State)
			}
			if looks > 3 {
				v := f.rest()
				f.clock.Advance(2 * time.Hour)
				f.approve(v)
			}
			for range 4 {
				_ = f.later(time.Hour)
			}
			if len(f.x.Posts()) != 5 || f.step(theStep).State != app.StepDone {
				t.Errorf("%d posts, the step is %s: %s", len(f.x.Posts()), f.step(theStep).State, f.step(theStep).Error)
			}
		})
	}
}
