package orchestrator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
)

// reading is what days of looks that money cuts short have come to.
type reading struct {
	points []string // that were passed
	known  int
	days   int
	shown  int // posts that X has shown, each time it did
}

// readsFor has 210 mentions come in three days, more than the money of a day
// pays for, until all are read or ten days are over. The process dies once it
// has passed that many points of a look, 0: never.
func (o *office) readsFor(dies int) (r reading) {
	o.t.Helper()
	o.setting("x.mentions_daily_cents", `30`)
	author := o.stranger(1, "Mara", "")
	o.Reached = func(at string) {
		if at != "mentions_stored" && at != "cursor_stored" && at != "mentions_judged" {
			return
		}
		if r.points = append(r.points, at); len(r.points) == dies {
			panic("killed")
		}
	}
	told := 0
	for ; r.days < 10 && (told < 210 || r.known < told); r.days++ {
		for range min(90, 210-told) {
			told++
			o.x.Say(author, fmt.Sprintf("@%s when is the vote, %d?", handle, told))
			o.clock.Advance(10 * time.Minute)
		}
		for range 4 {
			o.mayDie()
			o.clock.Advance(every)
		}
		o.clock.Advance(o.clock.Now().Truncate(24*time.Hour).AddDate(0, 0, 1).Sub(o.clock.Now()))
		r.known = len(o.mentions())
	}
	for key, read := range o.x.Reads() {
		if strings.HasPrefix(key, "post ") {
			r.shown += read.Times
		}
	}
	return r
}

// mayDie works; where the process dies, another goes on after its lease.
func (o *office) mayDie() {
	o.t.Helper()
	for died := true; died; {
		func() {
			defer func() { died = recover() != nil }()
			_ = o.work()
		}()
		if died {
			o.wall.Advance(2 * lease)
		}
	}
}

// TestWhereverALookDiesNoMentionIsLost: after each page and each cursor that is
// kept, over days that each end before all is read. What was read is not asked
// for again, but for the overlap of two looks.
func TestWhereverALookDiesNoMentionIsLost(t *testing.T) {
	t.Parallel()
	whole := talking(t).readsFor(0)
	if whole.known != 210 || whole.days < 4 || len(whole.points) < 10 {
		t.Fatalf("undisturbed %+v", whole)
	}
	for dies := range len(whole.points) {
		t.Run(fmt.Sprint(dies, " ", whole.points[dies]), func(t *testing.T) {
			t.Parallel()
			o := talking(t)
			got := o.readsFor(dies + 1)
			if got.known != 210 || got.days > whole.days+1 {
				t.Errorf("%d mentions after %d days, undisturbed %d", got.known, got.days, whole.days)
			}
			if got.shown > whole.shown+10 {
				t.Errorf("X has shown %d posts, undisturbed %d", got.shown, whole.shown)
			}
			if left := o.states()[app.MentionNew]; left != 0 {
				t.Errorf("no rule has looked at %d", left)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}
