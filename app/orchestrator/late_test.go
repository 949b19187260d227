package orchestrator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/fault"
)

// mishaps has each attempt of one text meet the next fault.
type mishaps struct {
	next   http.Handler
	text   string
	faults []fault.Fault

	mu  sync.Mutex
	set fault.Set
}

func (m *mishaps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/2/tweets" {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		var said struct{ Text string }
		_ = json.Unmarshal(body, &said) // X says what is wrong with it
		m.mu.Lock()
		if said.Text == m.text && len(m.faults) > 0 {
			f := m.faults[0]
			m.faults = m.faults[1:]
			f.Path = "POST /2/tweets"
			m.set.Add(f)
		}
		m.mu.Unlock()
	}
	m.set.Serve(w, r, m.next)
}

// lagging shows an empty timeline for as long as it lags.
type lagging struct {
	next http.Handler
	lags func() bool
}

func (l lagging) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/2/users/"+userID+"/tweets" && l.lags() {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"meta":{"result_count":0}}`)
		return
	}
	l.next.ServeHTTP(w, r)
}

// lagged is an office with a thread of five of which X takes the third post in
// silence, shows it only half a day later, and meets the next attempt with more.
func lagged(t *testing.T, more ...fault.Fault) *fiver {
	t.Helper()
	f := &fiver{office: newOffice(t, person(theStep), person("next")), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
	f.fronts.x.next = lagging{&mishaps{next: f.x, text: "Post 3 of the thread.", faults: append([]fault.Fault{{AfterAccept: true}}, more...)},
		func() bool { return f.clock.Now().Sub(testop.J0) < 12*time.Hour }}
	f.approve(f.await(theStep, app.KindThread, five(handle)))
	_ = f.work()
	_ = f.later(11 * time.Minute)
	return f
}

// once fails when a text is out more than once.
func (o *office) once() {
	o.t.Helper()
	said := map[string]int{}
	for _, p := range o.x.Posts() {
		if said[p.Text]++; said[p.Text] > 1 {
			o.t.Errorf("%q is out %d times", p.Text, said[p.Text])
		}
	}
}

// TestADoubtIsLookedForBeforeItIsTriedAgain: X keeps a text from being said twice
// for a while only. What was not found once, and is to be sent later, is looked
// for once more.
func TestADoubtIsLookedForBeforeItIsTriedAgain(t *testing.T) {
	t.Parallel()
	control := func(f *fiver, do func() error) {
		if err := do(); err != nil {
			f.t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		second fault.Fault
		then   func(*fiver)
	}{
		"tried again by a person": {fault.Fault{Status: http.StatusForbidden}, func(f *fiver) {
			f.clock.Advance(50 * time.Hour)
			f.retryPaused()
		}},
		"its rest approved": {fault.Fault{Status: http.StatusForbidden}, func(f *fiver) {
			f.clock.Advance(50 * time.Hour)
			f.approve(f.rest())
		}},
		"paused meanwhile": {fault.Fault{Status: http.StatusTooManyRequests}, func(f *fiver) {
			control(f, func() error {
				return f.store.PauseOperation(f.t.Context(), f.op.Slug, testop.Person, f.clock.Now())
			})
			f.clock.Advance(50 * time.Hour)
			control(f, func() error {
				return f.store.ResumeOperation(f.t.Context(), f.op.Slug, testop.Person, f.clock.Now())
			})
		}},
		"limited for a while": {fault.Fault{Status: http.StatusTooManyRequests, RetryAfter: 49 * time.Hour}, func(f *fiver) { f.clock.Advance(50 * time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := lagged(t, c.second)
			c.then(f)
			for range 3 {
				_ = f.later(time.Hour)
			}
			f.once()
			f.whole()
		})
	}
}

// TestTheSameWordsApprovedAnew are looked for too: an attempt under the approval
// before may have said them.
func TestTheSameWordsApprovedAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		expires string
		paused  time.Duration
	}{"while X knows them": {"3600", 2 * time.Hour}, "when X knows them no more": {"259200", 73 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.setting("validation.approval_expires_s", c.expires)
			o.x.Fail(fault.Fault{Path: "POST /2/tweets", AfterAccept: true})
			o.x.Fail(silence(2)) // now and ten minutes on
			_ = o.publish("a", app.KindPost, aPost("gm"))
			o.clock.Advance(10 * time.Minute)
			o.tick()
			for _, job := range o.taken() {
				_ = o.Do(t.Context(), job)
			}
			if e := o.effects()[0]; e.State != app.EffectIntent {
				t.Fatalf("it is %s", e.State)
			}
			for _, control := range []func() error{
				func() error {
					return o.store.PauseOperation(t.Context(), o.op.Slug, testop.Person, o.clock.Now())
				},
				func() error { o.clock.Advance(c.paused); return o.work() },
				func() error {
					return o.store.ResumeOperation(t.Context(), o.op.Slug, testop.Person, o.clock.Now())
				},
			} {
				if err := control(); err != nil {
					t.Fatal(err)
				}
			}
			o.approve(o.waiting("a"))
			if err := o.work(); err != nil || o.step("a").State != app.StepDone || len(o.x.Posts()) != 1 {
				t.Errorf("%d posts, the step is %s: %s (%v)", len(o.x.Posts()), o.step("a").State, o.step("a").Error, err)
			}
			testop.Balanced(t, o.store, o.op)
		})
	}
}

// TestWhatCantBeLookedForIsNotSentBlindly: X refuses to show the timeline when a
// post that was in doubt is to be tried again: a person looks, and has the last word.
func TestWhatCantBeLookedForIsNotSentBlindly(t *testing.T) {
	t.Parallel()
	f := lagged(t, fault.Fault{Status: http.StatusForbidden})
	f.clock.Advance(50 * time.Hour)
	f.x.Fail(fault.Fault{Path: "GET /2/users/", Status: http.StatusPaymentRequired, Times: 1000})
	f.retryPaused()
	for range 2 {
		_ = f.later(11 * time.Minute) // what can't be asked is asked once more
	}
	e := f.effects()[2]
	if e.State != app.EffectUnknown || len(testop.Alerts(t, f.store, "effect_unknown")) != 1 || len(f.x.Posts()) != 3 {
		t.Fatalf("it is %s (%s), %d posts", e.State, e.Error, len(f.x.Posts()))
	}
	if err := f.store.SettleEffect(t.Context(), app.Settlement{EffectID: e.ID, Fence: e.Fence}, testop.Person, f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	_ = f.later(time.Minute)
	if len(f.x.Posts()) != 6 || f.step(theStep).State != app.StepDone { // the person was wrong
		t.Errorf("%d posts after a person's word, the step is %s", len(f.x.Posts()), f.step(theStep).State)
	}
}

// dueBy is due with the jobs of each look in an order.
func (o *office) dueBy(until time.Time, order func([]app.Job)) {
	o.t.Helper()
	for range 10_000 {
		for range 100 {
			o.tick()
			jobs := o.taken()
			if len(jobs) == 0 {
				break
			}
			order(jobs)
			for _, job := range jobs {
				_ = o.Do(o.t.Context(), job)
			}
		}
		next, err := o.store.NextInstant(o.t.Context(), o.clock.Now())
		if err != nil {
			o.t.Fatal(err)
		}
		if next == nil || next.After(until) {
			o.clock.Advance(until.Sub(o.clock.Now()))
			return
		}
		o.clock.Advance(next.Sub(o.clock.Now()))
	}
	o.t.Fatal("it never comes to an end")
}

// orders are those in which workers may take up the jobs of one look.
var orders = map[string]func([]app.Job){
	"as they come": func([]app.Job) {},
	"oldest first": func(jobs []app.Job) { slices.SortFunc(jobs, func(a, b app.Job) int { return int(a.ID - b.ID) }) },
	"newest first": func(jobs []app.Job) { slices.SortFunc(jobs, func(a, b app.Job) int { return int(b.ID - a.ID) }) },
}

// TestWhatGoesOnComesBeforeTheQueue of posts that wait to begin, whoever comes
// first at a turn.
func TestWhatGoesOnComesBeforeTheQueue(t *testing.T) {
	t.Parallel()
	for name, order := range orders {
		for how, goOn := range map[string]func(*fiver){"under its approval": (*fiver).retryPaused, "under one of its own": func(f *fiver) { f.approve(f.rest()) }} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				steps := []app.Step{person(theStep)}
				for i := range 6 {
					steps = append(steps, person(fmt.Sprintf("p%d", i)))
				}
				f := &fiver{office: newOffice(t, steps...), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
				f.fronts.x.next = &mishaps{next: f.x, text: "Post 3 of the thread.", faults: []fault.Fault{{Status: http.StatusForbidden}}}
				f.approve(f.await(theStep, app.KindThread, five(handle)))
				_ = f.work()
				for i := range 6 {
					f.approve(f.await(fmt.Sprintf("p%d", i), app.KindPost, aPost(fmt.Sprintf("q%d alone", i))))
				}
				f.dueBy(f.clock.Now().Add(40*time.Minute), order)
				goOn(f)
				asked := f.clock.Now()
				f.dueBy(asked.Add(8*time.Hour), order)
				if waited := f.at("Post 3 of the thread.").Sub(asked); waited > spacing {
					t.Errorf("it went on after %s", waited)
				}
				f.checkSpacing()
				f.once()
			})
		}
	}
}

// TestASettledPostCutsNoThread: a person says that a post is there while another
// thread, which began after it, is held up: what goes on behind that post waits.
func TestASettledPostCutsNoThread(t *testing.T) {
	t.Parallel()
	f := &fiver{office: newOffice(t, person(theStep), person("next")), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
	f.fronts.x.next = &mishaps{text: "Post 3 of the thread.", faults: []fault.Fault{{AfterAccept: true}},
		next: &mishaps{next: f.x, text: "next 2", faults: []fault.Fault{{Status: http.StatusTooManyRequests, RetryAfter: 100 * time.Minute}}}}
	f.x.Fail(fault.Fault{Path: "GET /2/users/", Status: http.StatusServiceUnavailable, Times: 10_000})
	f.approve(f.await(theStep, app.KindThread, five(handle)))
	_ = f.work()
	f.approve(f.await("next", app.KindThread, threadOf("next", 4)))
	f.due(f.clock.Now().Add(150 * time.Minute))
	e := f.effects()[2]
	said := app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: true, Link: "https://x.com/" + handle + "/status/" + f.x.Posts()[2].ID}
	if err := f.store.SettleEffect(t.Context(), said, testop.Person, f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	f.due(f.clock.Now().Add(8 * time.Hour))
	first, last := f.at("next 1"), f.at("next 4")
	for _, p := range f.x.Posts() {
		if strings.HasPrefix(p.Text, "Post ") && p.At.After(first) && p.At.Before(last) {
			t.Errorf("%q came between the posts of the other thread", p.Text)
		}
	}
	f.checkSpacing()
	f.allOut(5 + 4)
}

// allOut fails unless so many posts are out, each once.
func (f *fiver) allOut(n int) {
	f.t.Helper()
	f.once()
	if got := len(f.x.Posts()); got != n {
		f.t.Errorf("%d posts are out, want %d", got, n)
	}
}

// TestSpacingBehindADoubtThatIsOver: a post that was not found may be out all the
// same: the next one keeps its distance from that attempt.
func TestSpacingBehindADoubtThatIsOver(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	o.fronts.x.next = lagging{&mishaps{next: o.x, text: "first alone", faults: []fault.Fault{{Status: http.StatusServiceUnavailable}, {AfterAccept: true},
		{Status: http.StatusTooManyRequests, RetryAfter: 40 * time.Minute}}}, func() bool { return o.clock.Now().Sub(testop.J0) < time.Hour }}
	first, second := o.await("a", app.KindPost, aPost("first alone")), o.await("b", app.KindPost, aPost("second alone"))
	o.approve(first)
	o.approve(second)
	o.due(o.clock.Now().Add(3 * time.Hour))
	if gap := o.at("second alone").Sub(o.at("first alone")); gap < spacing {
		t.Errorf("the second came %s after the first", gap)
	}
	o.once()
}

// TestALongResetHoldsNobodyForLong: a thread that X holds up for a month leaves
// the account to others, and is tried again the next day.
func TestALongResetHoldsNobodyForLong(t *testing.T) {
	t.Parallel()
	f := &fiver{office: newOffice(t, person(theStep), person("next")), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
	f.fronts.x.next = &mishaps{next: f.x, text: "Post 3 of the thread.", faults: []fault.Fault{{Status: http.StatusTooManyRequests, RetryAfter: 30 * 24 * time.Hour}}}
	f.approve(f.await(theStep, app.KindThread, five(handle)))
	_ = f.work()
	begun := f.clock.Now()
	f.approve(f.await("next", app.KindPost, aPost("next alone")))
	f.due(begun.Add(30 * time.Hour))
	if waited := f.at("next alone").Sub(begun); waited > time.Hour {
		t.Errorf("the other post waited %s", waited)
	}
	if waited := f.at("Post 3 of the thread.").Sub(begun); waited > 25*time.Hour {
		t.Errorf("the thread went on after %s", waited)
	}
	f.allOut(5 + 1)
}

// TestThreeThreadsBrokenOffAtOnce, of two operations on one account: all go on, by
// a retry or under approvals of their own, and none waits for another for ever.
func TestThreeThreadsBrokenOffAtOnce(t *testing.T) {
	t.Parallel()
	names := []string{"t0", "t1", "t2"}
	for rests := range 1 << len(names) {
		t.Run(fmt.Sprintf("%03b", rests), func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("t0"), person("t1"), person("q"))
			first := o.op
			second := testop.Of(t, o.store, app.NewOperation{Token: testop.Token(2), Slug: "dodo-c", J0: testop.J0, Cap: 50 * app.Dollar, XHandle: handle}, person("t2"))
			in := func(name string) {
				if o.op = first; name == "t2" {
					o.op = second
				}
			}
			for _, name := range names {
				o.fronts.x.next = &mishaps{next: o.fronts.x.next, text: name + " 2", faults: []fault.Fault{{Status: http.StatusForbidden}}}
				in(name)
				o.approve(o.await(name, app.KindThread, threadOf(name, 4)))
			}
			o.due(o.clock.Now().Add(2 * time.Hour))
			in("q")
			o.approve(o.await("q", app.KindPost, aPost("q alone")))
			for i, name := range names {
				in(name)
				o.goOn(name, rests&(1<<i) != 0)
			}
			o.clock.Advance(10 * time.Second)
			o.due(o.clock.Now().Add(8 * time.Hour))
			if n := len(o.x.Posts()); n != 3*4+1 {
				t.Errorf("%d posts are out", n)
			}
			o.once()
			o.checkSpacing()
		})
	}
}

// goOn has a step that broke off go on, with what is left approved anew or not.
func (o *office) goOn(name string, anew bool) {
	o.t.Helper()
	st := o.step(name)
	if !anew {
		for _, e := range o.effects() {
			if e.StepID == st.ID && e.State == app.EffectFailed {
				if err := o.store.RetryEffect(o.t.Context(), e.ID, "go on", testop.Person, o.clock.Now()); err != nil {
					o.t.Fatal(err)
				}
			}
		}
		return
	}
	id, err := o.store.DraftRest(o.t.Context(), st.ID, "go on", testop.Person, o.clock.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	v, err := o.store.Validation(o.t.Context(), id)
	if err == nil {
		_, err = o.store.ApproveValidation(o.t.Context(), v.Choice(), testop.Person, nil, o.clock.Now())
	}
	if err != nil {
		o.t.Fatal(err)
	}
}
