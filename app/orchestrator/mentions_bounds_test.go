package orchestrator_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
)

// before has fn see each call of X first.
func (o *office) before(fn func(*http.Request)) {
	next := o.fronts.x.next
	o.fronts.x.next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fn(r)
		next.ServeHTTP(w, r)
	})
}

// TestXSendsMoreThanWasAskedFor: what was held back is no wall then. All that it
// charges is booked, the team is told, and nothing more is read that day.
func TestXSendsMoreThanWasAskedFor(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]struct{ path, field, value string }{
		"posts":   {"/2/users/" + userID + "/mentions", "max_results", "100"},
		"authors": {"/2/users", "ids", "800000001,800000002,800000003,700000001"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := talking(t)
			o.setting("x.mentions_daily_cents", `1000`)
			author := o.stranger(1, "Mara", "")
			for i := range 150 {
				o.x.Say(author, fmt.Sprintf("@%s when is the vote, %d?", handle, i))
			}
			greedy, calls := true, 0
			o.before(func(r *http.Request) {
				if calls++; greedy && r.URL.Path == more.path {
					query := r.URL.Query()
					query.Set(more.field, more.value)
					r.URL.RawQuery = query.Encode()
				}
			})
			if err := o.later(every); err != nil {
				t.Fatal(err)
			}
			known, reads := len(o.mentions()), calls
			if alerts := testop.Alerts(t, o.store, "overrun"); len(alerts) != 1 || len(testop.Alerts(t, o.store, "mentions_bound")) != 1 {
				t.Errorf("alerts %+v", alerts)
			}
			for range 4 {
				_ = o.later(every)
			}
			if known == 0 || known > 100 || len(o.mentions()) != known || calls != reads {
				t.Errorf("%d mentions, then %d, %d calls more", known, len(o.mentions()), calls-reads)
			}
			o.paidInFull()
			greedy = false
			_ = o.later(24 * time.Hour)
			if n := len(o.mentions()); n != 150 || o.states()[app.MentionNew] != 0 {
				t.Errorf("the next day there are %d, %v", n, o.states())
			}
			o.paidInFull()
		})
	}
}

// paidInFull holds what is booked for reads to what X has billed.
func (o *office) paidInFull() {
	o.t.Helper()
	testop.Balanced(o.t, o.store, o.op)
	var booked app.Nano
	for _, e := range testop.Log(o.t, o.store, o.op) {
		if e.Kind == "read" {
			booked += e.Cost
		}
	}
	if billed := o.x.Charges().Reads; booked != billed {
		o.t.Errorf("booked %s, billed %s", booked, billed)
	}
}

// TestASlowLookIsNotTakenOver: each answer of X and each round of rules may take
// most of a lease.
func TestASlowLookIsNotTakenOver(t *testing.T) {
	t.Parallel()
	o := talking(t)
	o.setting("x.mentions_daily_cents", `10000`)
	for i := range 520 {
		o.x.Say(o.stranger(i, "Mara", ""), fmt.Sprintf("@%s when is the vote, %d?", handle, i))
	}
	slow := func() {
		o.wall.Advance(lease * 3 / 4)
		jobs, err := o.store.ClaimLooks(t.Context(), o.clock.Now(), o.wall.Now(), o.wall.Now().Add(lease))
		if err != nil || len(jobs) != 0 {
			t.Errorf("taken over: %v, %v", jobs, err)
		}
	}
	rounds := 0
	o.Reached = func(at string) {
		if at == "mentions_judged" {
			rounds++
			slow()
		}
	}
	o.before(func(r *http.Request) {
		if r.URL.Path == "/2/users" || r.URL.Path == "/2/users/"+userID+"/mentions" {
			slow()
		}
	})
	o.clock.Advance(every)
	o.tick()
	for _, job := range o.taken() {
		if err := o.Do(t.Context(), job); err != nil {
			t.Error(err)
		}
	}
	if n := len(o.mentions()); n != 520 || rounds != 2 || o.states()[app.MentionNew] != 0 {
		t.Errorf("%d mentions in %d rounds, %v", n, rounds, o.states())
	}
}
