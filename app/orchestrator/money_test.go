package orchestrator_test

import (
	"image/color"
	"net/http"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/preflight"
	"vivra/app/rehearsal/xsim"
)

// TestAltTextsOfVainAttemptsAreBooked: X charges for an alt text before there is
// a post. Whatever becomes of the attempt, what X has charged is booked.
func TestAltTextsOfVainAttemptsAreBooked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault xsim.Fault
		texts int  // that X has charged for
		sent  bool // in the end
	}{
		"at once":            {xsim.Fault{}, 1, true},
		"asked for patience": {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusTooManyRequests}, 1, true},
		"refused":            {xsim.Fault{Path: "POST /2/tweets", Status: http.StatusForbidden}, 1, false},
		"not accepted":       {xsim.Fault{Path: "POST /2/tweets"}, 1, true},
		"accepted":           {xsim.Fault{Path: "POST /2/tweets", AfterAccept: true}, 1, true},
		"no picture":         {xsim.Fault{Path: "POST /2/media/upload/initialize", Status: http.StatusInternalServerError}, 1, true},
		"no alt text":        {xsim.Fault{Path: "POST /2/media/metadata", Status: http.StatusTooManyRequests}, 1, true},
		"lost alt text":      {xsim.Fault{Path: "POST /2/media/metadata", AfterAccept: true}, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			if c.fault.Path != "" {
				o.x.Fail(c.fault)
			}
			p := aPost("look")
			p.Media = []app.Media{o.picture("a", color.White)}
			p.Media[0].Alt = "a white dodo"
			err := o.publish("a", app.KindPost, p)
			for range 3 {
				err = o.later(20 * time.Minute)
			}
			if done := o.step("a").State == app.StepDone; done != c.sent || len(o.x.Posts()) != map[bool]int{true: 1}[c.sent] {
				t.Fatalf("%d posts, the step is %s: %v", len(o.x.Posts()), o.step("a").State, err)
			}
			charges := o.x.Charges()
			if booked := testop.Balanced(t, o.store, o.op); booked != charges.Sum() || charges.AltTexts != app.Nano(c.texts)*preflight.PriceMetadata {
				t.Errorf("booked %s, X has charged %s, of which %s for alt texts", booked, charges.Sum(), charges.AltTexts)
			}
		})
	}
}

// TestDoubtWithoutMoneyIsForAPerson: when not even a look at the timeline can be
// paid, nothing is sent blindly: a person tells.
func TestDoubtWithoutMoneyIsForAPerson(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.op = testop.New(t, o.store, 2, preflight.PricePost, person("a"))
	o.x.Fail(xsim.Fault{Path: "POST /2/tweets"})
	_ = o.publish("a", app.KindPost, aPost("gm")) // nothing that is read can be paid for
	_ = o.later(time.Hour)
	if e := o.effects()[0]; e.State != app.EffectUnknown || e.Attempt != 1 || len(o.x.Posts()) != 0 {
		t.Errorf("the effect is %s after %d attempts and %d posts", e.State, e.Attempt, len(o.x.Posts()))
	}
	for _, kind := range []string{"effect_unknown", "budget_exceeded"} {
		if got := testop.Alerts(t, o.store, kind); len(got) != 1 {
			t.Errorf("%d alerts of kind %s", len(got), kind)
		}
	}
	if reads := o.x.Charges().Reads; reads != 0 {
		t.Errorf("X was asked for %s", reads)
	}
	e := o.effects()[0]
	if err := o.store.SettleEffect(t.Context(), app.Settlement{EffectID: e.ID, Fence: e.Fence}, testop.Person, o.clock.Now()); err != nil {
		t.Fatal(err)
	}
	_ = o.later(30 * time.Minute)
	if booked := testop.Balanced(t, o.store, o.op); booked != preflight.PricePost || len(o.x.Posts()) != 1 {
		t.Errorf("booked %s for %d posts", booked, len(o.x.Posts()))
	}
}
