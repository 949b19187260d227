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

// TestPicturesAreBookedAsXCharges: whatever X does with a post and its pictures,
// what is booked is what it has charged, and what it has is not described again.
func TestPicturesAreBookedAsXCharges(t *testing.T) {
	t.Parallel()
	const tweets, metadata = "POST /2/tweets", "POST /2/media/metadata"
	again, down := http.StatusTooManyRequests, http.StatusServiceUnavailable
	for name, c := range map[string]struct {
		faults    []xsim.Fault
		described int // alt texts that are paid, of two pictures
		posts     int
	}{
		"rate limited":           {[]xsim.Fault{{Path: tweets, Status: again, Times: 5}}, 2, 1},
		"down":                   {[]xsim.Fault{{Path: tweets, Status: down, Times: 2}}, 2, 1},
		"a token that is stale":  {[]xsim.Fault{{Path: tweets, Status: http.StatusUnauthorized}}, 2, 1},
		"no upload":              {[]xsim.Fault{{Path: "POST /2/media/upload", Status: down, Times: 3}}, 2, 1},
		"alt text later":         {[]xsim.Fault{{Path: metadata, Status: again, Times: 3}}, 2, 1},
		"alt text in doubt":      {[]xsim.Fault{{Path: metadata, Status: down, AfterAccept: true}}, 3, 1},
		"refused":                {[]xsim.Fault{{Path: tweets, Status: http.StatusBadRequest}}, 2, 0},
		"unpaid":                 {[]xsim.Fault{{Path: tweets, Status: http.StatusPaymentRequired}}, 2, 0},
		"it lasts longer than X": {[]xsim.Fault{{Path: tweets, Status: again, RetryAfter: 25 * time.Hour}}, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			p := aPost("gm")
			p.Media = []app.Media{o.picture("a", color.White), o.picture("a", color.Black)}
			for _, f := range c.faults {
				o.x.Fail(f)
			}
			_ = o.publish("a", app.KindPost, p)
			for range 14 {
				_ = o.later(2 * time.Hour) // the rows tell
			}
			want := app.Nano(c.described)*preflight.PriceMetadata + app.Nano(c.posts)*preflight.PricePost
			e := o.effects()[0]
			if spent := testop.Balanced(t, o.store, o.op); spent != want || o.x.Charged() != want || e.Cost != want || len(o.x.Posts()) != c.posts {
				t.Errorf("%s is booked, %s of it for the effect, which is %s; X has charged %s, want %s", spent, e.Cost, e.State, o.x.Charged(), want)
			}
		})
	}
}

// TestPicturesOfADeadProcessAreBooked: what died between a picture and its post is
// paid, and never more than what was held back for it.
func TestPicturesOfADeadProcessAreBooked(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"))
	p := aPost("gm")
	p.Media = []app.Media{o.picture("a", color.White)}
	o.approve(o.await("a", app.KindPost, p))
	o.tick()
	dying := *o.Orchestrator
	dying.Reached = func(point string) {
		if point == "uploaded" {
			panic(point)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = dying.Do(t.Context(), o.taken()[0])
	}()
	o.wall.Advance(2 * lease)
	for range 3 {
		if err := o.later(10 * time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	if spent := testop.Balanced(t, o.store, o.op); spent != o.x.Charged() || len(o.x.Posts()) != 1 {
		t.Errorf("%s is booked, X has charged %s for %d posts", spent, o.x.Charged(), len(o.x.Posts()))
	}
}
