package desk_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/desk"
	"vivra/app/internal/testop"
	"vivra/app/preflight"
	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

// reader is a run of the community manager.
func (r *room) reader() agent.Scope {
	return agent.Scope{OperationID: r.op.ID, Agent: "cm", StepKey: "cm.daily_post.d03"}
}

// wealthy is a room whose operation has that much to spend.
func wealthy(t *testing.T, budget app.Nano) *room {
	t.Helper()
	r := newRoom(t)
	r.op = testop.New(t, r.Store, 2, budget)
	return r
}

// said are posts that name the account, oldest first.
func (r *room) said(n int) (ids []string) {
	for i := range n {
		ids = append(ids, r.x.Say("800000001", fmt.Sprintf("@%s question %d", handle, i)))
	}
	return ids
}

// booked is what the operation has paid, which its log sums to and which holds
// nothing back, and what X has billed.
func (r *room) booked() (booked, billed app.Nano) {
	r.t.Helper()
	return testop.Balanced(r.t, r.Store, r.op), r.x.Charges().Reads
}

func (r *room) reads() (lines []string) {
	r.t.Helper()
	events, err := r.Store.EventsAfter(r.t.Context(), r.op.ID, 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range events {
		if e.Kind == "read" {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s, %s %s %s", e.Agent, e.Step, e.Summary, e.Cost, e.CostSource, e.Model)))
		}
	}
	return lines
}

// TestReadsArePaid: what X bills for a read is booked and public, and the same
// post or account once a day.
func TestReadsArePaid(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	ids := r.said(3)
	ctx := t.Context()
	var authors []app.XUser
	for day := range 2 {
		for range 2 {
			_, profile := r.Profile(ctx, r.reader(), "@"+handle)
			_, posts := r.Posts(ctx, r.reader(), "mara_holds", 5)
			mentions, looked := r.mentions("")
			var asked error
			authors, _, asked = r.Authors(ctx, r.op.ID, []string{"800000001", "1"})
			if err := errors.Join(profile, posts, looked, asked); err != nil {
				t.Fatal(err)
			}
			if got := idsOf(mentions); !slices.Equal(got, ids) {
				t.Errorf("mentions %q, want %q", got, ids)
			}
		}
		if booked, billed := r.booked(); booked != billed || booked != app.Nano(day+1)*(2*preflight.PriceUserRead+3*preflight.PricePostRead) {
			t.Errorf("day %d: booked %s, billed %s", day, booked, billed)
		}
		r.clock.Advance(24 * time.Hour)
		r.connectAgain()
	}
	if len(authors) != 1 || authors[0].Username != "mara_holds" || authors[0].Posts == 0 || authors[0].CreatedAt.IsZero() {
		t.Errorf("the authors are %+v", authors)
	}
	want := []string{"cm cm.daily_post.d03: Read 1 account on X, $0.01 price_list x", "cm cm.daily_post.d03: Read 1 account on X, $0.01 price_list x",
		"cm cm.daily_post.d03: Read 3 posts on X, $0.015 price_list x"}
	if got := r.reads(); !slices.Equal(got, slices.Concat(want, want)) {
		t.Errorf("the log says\n%s", strings.Join(got, "\n"))
	}
}

// TestAuthorsAsFarAsMoneyGoes: the last of a share is not left because it does
// not pay for all that are asked for.
func TestAuthorsAsFarAsMoneyGoes(t *testing.T) {
	t.Parallel()
	r := wealthy(t, 20*preflight.PriceUserRead) // of which eight are the reader's
	var ids []string
	for i := range 11 {
		ids = append(ids, fmt.Sprint(700000000+i))
		r.x.Join(xsim.Account{ID: ids[i], Username: fmt.Sprint("holder_", i)})
	}
	for _, c := range []struct{ ids, asked []string }{{ids[:5], ids[:5]}, {ids[5:], ids[5:8]}, {ids[8:], nil}} {
		found, asked, err := r.Authors(t.Context(), r.op.ID, c.ids)
		var wall *app.BudgetError
		if !slices.Equal(asked, c.asked) || errors.As(err, &wall) != (c.asked == nil) || err != nil && wall == nil {
			t.Errorf("of %v asked for %v, found %d, %v", c.ids, asked, len(found), err)
		}
	}
	if booked, billed := r.booked(); booked != billed || booked != 8*preflight.PriceUserRead {
		t.Errorf("booked %s, billed %s", booked, billed)
	}
}

// mentions walks over all that named the account since a post, as a look does,
// and returns them oldest first.
func (r *room) mentions(since string) ([]app.Post, error) {
	all, err := x.Walk(x.Window{SinceID: since, Most: 20}, 9, func(w x.Window) (x.Page, error) { return r.MentionPage(r.t.Context(), r.op, w) })
	slices.Reverse(all)
	return all, err
}

// since is the newest post that is older than the overlap of two looks.
func since(known []app.Post, now time.Time) (id string) {
	for _, p := range known {
		if !p.CreatedAt.After(now.Add(-app.MentionOverlap)) {
			id = p.ID
		}
	}
	return id
}

func idsOf(posts []app.Post) (ids []string) {
	for _, p := range posts {
		ids = append(ids, p.ID)
	}
	return ids
}

// connectAgain gives the account a token that works now.
func (r *room) connectAgain() {
	r.t.Helper()
	if _, err := r.Account(r.t.Context(), handle); err != nil {
		r.t.Fatal(err)
	}
}

// TestMentionsOverlap: a mention that X shows late is not lost, and what is read
// once more is not paid once more.
func TestMentionsOverlap(t *testing.T) {
	t.Parallel()
	r := wealthy(t, 3*app.Dollar)
	r.said(120)
	known, err := r.mentions("")
	if err != nil || len(known) != 120 || !slices.IsSortedFunc(known, func(a, b app.Post) int { return app.CompareIDs(a.ID, b.ID) }) {
		t.Fatalf("%d mentions, %v", len(known), err)
	}
	r.clock.Advance(15 * time.Minute)
	r.said(2)
	for looks, want := range []int{122, 122} {
		got, err := r.mentions(since(known, r.clock.Now()))
		if err != nil || len(got) != want {
			t.Fatalf("look %d: %d mentions, %v", looks, len(got), err)
		}
		known = got
	}
	r.clock.Advance(time.Hour)
	late := r.said(1)
	got, err := r.mentions(since(known, r.clock.Now()))
	if err != nil || !slices.Equal(idsOf(got), late) {
		t.Fatalf("got %q, %v, want %q", idsOf(got), err, late)
	}
	if booked, billed := r.booked(); booked != billed || booked != 123*preflight.PricePostRead {
		t.Errorf("booked %s, billed %s", booked, billed)
	}
}

// TestReadsStopAtTheWall: what can't be paid is not asked for, the team hears of
// it once, and what is left is used.
func TestReadsStopAtTheWall(t *testing.T) {
	t.Parallel()
	r := wealthy(t, 100*preflight.PricePostRead) // the share of cm is 40 of these
	r.said(60)
	for _, want := range []int{40, 0} {
		got, err := r.mentions("")
		var budget *app.BudgetError
		if !errors.As(err, &budget) || budget.Wall != "agent" || len(got) != want {
			t.Fatalf("%d mentions, %v", len(got), err)
		}
	}
	forced := agent.Scope{OperationID: r.op.ID, Agent: "system"}
	for range 2 {
		account, err := r.Account(t.Context(), handle)
		if err != nil {
			t.Fatal(err)
		}
		if me, err := r.Me(t.Context(), forced, account); err != nil || me.ID != userID {
			t.Errorf("a read for a publication: %+v, %v", me, err)
		}
	}
	if booked, billed := r.booked(); booked != billed || booked > r.op.Cap {
		t.Errorf("booked %s of %s, billed %s", booked, r.op.Cap, billed)
	}
	if alerts := testop.Alerts(t, r.Store, "budget_exceeded"); len(alerts) != 1 || !strings.Contains(alerts[0].Message, "cm has used up its share") {
		t.Errorf("alerts: %+v", alerts)
	}
	poor := testop.New(t, r.Store, 3, preflight.PriceUserRead-1)
	_, err := r.Profile(t.Context(), agent.Scope{OperationID: poor.ID, Agent: "system"}, handle)
	var budget *app.BudgetError
	if !errors.As(err, &budget) || budget.Wall != "operation" {
		t.Errorf("a read that does not fit: %v", err)
	}
}

// TestWhatBecomesOfARead: a refusal is free, and an answer that was lost may
// have been sent whole.
func TestWhatBecomesOfARead(t *testing.T) {
	t.Parallel()
	const mentions = "/2/users/" + userID + "/mentions"
	for name, c := range map[string]struct {
		fault xsim.Fault
		cost  app.Nano
		said  string
	}{
		"refused":  {xsim.Fault{Path: mentions, Status: 429}, 0, ""},
		"unpaid":   {xsim.Fault{Path: mentions, Status: 402}, 0, ""},
		"broken":   {xsim.Fault{Path: mentions, Status: 503}, 0, ""},
		"lost":     {xsim.Fault{Path: mentions, AfterAccept: true}, 20 * preflight.PricePostRead, "An answer of X was lost; its whole reservation counts as spent"},
		"lost not": {xsim.Fault{}, 2 * preflight.PricePostRead, "Read 2 posts on X"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			r.said(2)
			if c.fault.Path != "" {
				r.x.Fail(c.fault)
			}
			if _, err := r.mentions(""); (err == nil) != (c.fault.Path == "") {
				t.Errorf("got %v", err)
			}
			if booked, _ := r.booked(); booked != c.cost {
				t.Errorf("booked %s, want %s", booked, c.cost)
			}
			if lines := r.reads(); len(lines) != min(len(c.said), 1) || len(lines) > 0 && !strings.Contains(lines[0], c.said) {
				t.Errorf("the log says %q", lines)
			}
		})
	}
}

// TestReadsNeverPassTheCap: whatever dies when, and however many read at once,
// the cap holds, and all that X billed is booked.
func TestReadsNeverPassTheCap(t *testing.T) {
	t.Parallel()
	r := wealthy(t, 90*preflight.PricePostRead)
	r.said(30)
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(7, 7))
	r.Reached = func(point string) {
		mu.Lock()
		dies := random.IntN(4) == 0
		mu.Unlock()
		if dies && (point == desk.ReadReserved || point == desk.ReadAnswered) {
			runtime.Goexit() // as a process does that is killed
		}
	}
	var all sync.WaitGroup
	for n := range 24 {
		all.Go(func() {
			s := agent.Scope{OperationID: r.op.ID, Agent: []string{"system", "cm", "scanner"}[n%3]}
			_, err := r.Posts(t.Context(), s, "mara_holds", 20)
			var budget *app.BudgetError
			if err != nil && !errors.As(err, &budget) {
				t.Error(err)
			}
			r.within()
		})
	}
	all.Wait()
	if err := r.Store.LoseExpiredReads(t.Context(), r.clock.Now(), r.clock.Now()); err != nil {
		t.Error(err)
	}
	if op := r.within(); op.Reserved == 0 {
		t.Error("nobody died")
	}
	if err := r.Store.LoseExpiredReads(t.Context(), r.clock.Now(), r.clock.Now().Add(time.Minute)); err != nil {
		t.Error(err)
	}
	booked, billed := r.booked()
	if cost, lost, err := r.Store.ReadCosts(t.Context(), r.op.ID); err != nil || cost != booked || lost == 0 || booked < billed || booked > r.op.Cap {
		t.Errorf("booked %s of %s, billed %s; %d lost, %v", booked, r.op.Cap, billed, lost, err)
	}
}

// within holds the operation against its cap as it is now.
func (r *room) within() app.Operation {
	op, err := r.Store.Operation(r.t.Context(), r.op.ID)
	if err != nil || op.Spent+op.Reserved > op.Cap {
		r.t.Errorf("%s spent and %s held back of %s: %v", op.Spent, op.Reserved, op.Cap, err)
	}
	return op
}

// TestLateAnswerIsBookedOnce: whoever was taken for dead and comes back books
// nothing more.
func TestLateAnswerIsBookedOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.said(2)
	r.Reached = func(point string) {
		if point == desk.ReadAnswered {
			if err := r.Store.LoseExpiredReads(t.Context(), r.clock.Now(), r.clock.Now().Add(time.Hour)); err != nil {
				t.Error(err)
			}
		}
	}
	if got, err := r.mentions(""); err != nil || len(got) != 2 {
		t.Errorf("%d mentions, %v", len(got), err)
	}
	if booked, _ := r.booked(); booked != 20*preflight.PricePostRead || len(r.reads()) != 1 {
		t.Errorf("booked %s: %q", booked, r.reads())
	}
}

// TestMidnightIsPaidTwice: what is asked for on one day and answered on the next
// may be billed on either.
func TestMidnightIsPaidTwice(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.clock.Advance(15*time.Hour - time.Second)
	r.connectAgain()
	ids := r.said(1)
	ask := func() {
		if got, err := r.mentions(""); err != nil || !slices.Equal(idsOf(got), ids) {
			t.Errorf("%q, %v", idsOf(got), err)
		}
	}
	r.Reached = func(point string) {
		if point == desk.ReadReserved {
			r.clock.Advance(time.Second)
		}
	}
	ask()
	r.Reached = nil
	ask()
	if booked, billed := r.booked(); booked != 2*preflight.PricePostRead || billed != preflight.PricePostRead {
		t.Errorf("booked %s, billed %s", booked, billed)
	}
}
