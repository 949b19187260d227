package orchestrator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/fault"
)

// notSummoned is what X answers to a post that it does not take as an answer.
const notSummoned = `{"title":"Forbidden","status":403,"detail":"Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to."}`

// thread5 is an office whose thread of five meets trouble at its third post.
func thread5(t *testing.T, trouble fault.Fault) *fiver {
	t.Helper()
	f := &fiver{office: newOffice(t, person(theStep), person("next")), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
	f.fronts.x.next = &picky{next: f.x, at: []int{2}, hit: map[int]bool{}, trouble: func() fault.Fault { return trouble }}
	f.approve(f.await(theStep, app.KindThread, five(handle)))
	_ = f.work() // the rows tell what failed
	return f
}

// broke fails unless the thread stands at two of five, with a person told of it,
// and stays so.
func (f *fiver) broke(says string) {
	f.t.Helper()
	st := f.step(theStep)
	if st.State != app.StepFailed || !strings.Contains(st.Error, "2 of 5 posts are out") || !strings.Contains(st.Error, says) {
		f.t.Errorf("the step is %s: %s", st.State, st.Error)
	}
	alerts := testop.Alerts(f.t, f.store, "publication_failed")
	if len(alerts) != 1 || !strings.Contains(alerts[0].Message, "2 of 5 posts are out, post 3 could not be published") {
		f.t.Errorf("the team is told %+v", alerts)
	}
	if err := f.later(100 * time.Hour); err != nil || len(f.x.Posts()) != 2 {
		f.t.Errorf("%d posts later: %v", len(f.x.Posts()), err)
	}
	if err := f.store.RetryStep(f.t.Context(), st.ID, "anew", testop.Person, f.clock.Now()); app.KindOf(err) != app.Conflict {
		f.t.Errorf("the whole of it could be run again: %v", err)
	}
	lines := testop.Log(f.t, f.store, f.op)
	if !slices.ContainsFunc(lines, func(e app.Event) bool { return e.Summary == "Publishing broke off: 2 of 5 posts are out" }) {
		f.t.Error("the public log does not say that it broke off")
	}
}

// refusals are what X says of the third post for good.
var refusals = map[string]struct {
	fault  fault.Fault
	says   string
	advice string
}{
	"forbidden":       {fault.Fault{Status: http.StatusForbidden}, "403", "go on from this post, or finish with what is out"},
	"no credits":      {fault.Fault{Status: http.StatusPaymentRequired}, "402", "Buy credits"},
	"not an answer":   {fault.Fault{Status: http.StatusForbidden, HTML: notSummoned}, "Reply to this conversation is not allowed", "will say the same again"},
	"somebody else's": {fault.Fault{Status: http.StatusForbidden, HTML: saysDuplicate}, "duplicate", "with other words"},
	"bad request":     {fault.Fault{Status: http.StatusBadRequest}, "400", ""},
}

// TestAThreadThatBreaksOffGoesOn: refused for good in the middle, what is out
// stays, nothing else goes out by itself, and a person has it go on from there:
// each post once, in order.
func TestAThreadThatBreaksOffGoesOn(t *testing.T) {
	t.Parallel()
	for name, c := range refusals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := thread5(t, c.fault)
			if e := f.effects()[2]; e.State != app.EffectFailed || e.Attempt != 1 || !strings.Contains(e.Error, c.advice) {
				t.Errorf("post 3 is %s after %d attempts: %s", e.State, e.Attempt, e.Error)
			}
			if err := f.store.RetryEffect(t.Context(), f.effects()[2].ID, "the label is on now", testop.Person, f.clock.Now()); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if err := f.later(30 * time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			f.whole()
		})
	}
}

// whole fails unless all five are out, each once below the one before, in one
// publication with its links.
func (f *fiver) whole() {
	f.t.Helper()
	posts := f.x.Posts()
	if len(posts) != 5 || f.step(theStep).State != app.StepDone {
		f.t.Fatalf("%d posts, the step is %s: %s", len(posts), f.step(theStep).State, f.step(theStep).Error)
	}
	said := map[string]int{}
	for i, p := range posts {
		if said[p.Text]++; said[p.Text] > 1 || i > 0 && p.ReplyTo != posts[i-1].ID {
			f.t.Errorf("post %d, %q, answers %q", i+1, p.Text, p.ReplyTo)
		}
	}
	testop.Balanced(f.t, f.store, f.op)
	all := f.publications()
	if len(all) != 1 || len(all[0].Links) != 5 || all[0].Parts.Broken() || all[0].Price != 5*f.effects()[0].Price {
		f.t.Fatalf("the public page has %d publications", len(all))
	}
	for i, link := range all[0].Links {
		if !strings.HasSuffix(link, posts[i].ID) {
			f.t.Errorf("link %d is %s", i+1, link)
		}
	}
}

func (f *fiver) publications() []app.Publication {
	f.t.Helper()
	all, err := f.store.Publications(f.t.Context(), f.op.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return all
}

// rest has a person put the rest before a decision again, and returns the draft.
func (f *fiver) rest() app.Validation {
	f.t.Helper()
	id, err := f.store.DraftRest(f.t.Context(), f.step(theStep).ID, "go on", testop.Person, f.clock.Now())
	if err != nil {
		f.t.Fatal(err)
	}
	v, err := f.store.Validation(f.t.Context(), id)
	if err != nil {
		f.t.Fatal(err)
	}
	return v
}

// TestTheRestIsApprovedAgain: once the approval has run out, the rest waits for
// one of its own, which binds to it alone; what is out is in no call of it.
func TestTheRestIsApprovedAgain(t *testing.T) {
	t.Parallel()
	f := thread5(t, fault.Fault{Status: http.StatusForbidden})
	f.broke("403")
	failed := f.effects()[2]
	err := f.store.RetryEffect(t.Context(), failed.ID, "late", testop.Person, f.clock.Now())
	if app.KindOf(err) != app.Conflict || !strings.Contains(err.Error(), "Have the rest approved again: 2 of 5 posts are out") {
		t.Errorf("after 100 hours: %v", err)
	}
	if all := f.publications(); len(all) != 1 || all[0].Parts != (app.Parts{Out: 2, Total: 5, Posts: true}) || len(all[0].Links) != 2 || strings.Contains(string(all[0].Payload), "Post 3") {
		t.Errorf("the public page has %+v", all)
	}
	v := f.rest()
	if !strings.Contains(v.Risk.Effect, "2 of 5 posts are out and stay as they are") || v.Risk.PublishPrice != 3*failed.Price || v.Risk.Marks() != 0 {
		t.Errorf("the draft says %+v", v.Risk)
	}
	for _, fail := range []error{
		f.store.RetryEffect(t.Context(), failed.ID, "late", testop.Person, f.clock.Now()),
		f.store.RetryStep(t.Context(), f.step(theStep).ID, "anew", testop.Person, f.clock.Now()),
	} {
		if app.KindOf(fail) != app.Conflict {
			t.Errorf("beside the draft: %v", fail)
		}
	}
	f.approve(v)
	if err := f.work(); err != nil {
		t.Fatal(err)
	}
	f.whole()
}

// TestTheRestGoesOnWhereverItDies: a process that dies over any post of the rest,
// with X in trouble there, sends nothing twice.
func TestTheRestGoesOnWhereverItDies(t *testing.T) {
	t.Parallel()
	for _, trouble := range []string{"times out after accepting", "403 duplicate", "503"} {
		for _, point := range []string{"applying", "applied", "woken", "attempting", "sent", "booked", "unknown"} {
			t.Run(trouble+" "+point, func(t *testing.T) {
				t.Parallel()
				f := thread5(t, fault.Fault{Status: http.StatusForbidden})
				v := f.rest()
				f.fronts.x.next = &picky{next: f.x, at: []int{2, 3, 4}, hit: map[int]bool{}, trouble: func() fault.Fault { return troubles[trouble] }}
				if _, err := f.store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, f.clock.Now()); err != nil {
					t.Fatal(err)
				}
				f.clock.Advance(app.DefaultSettings().Undo)
				f.point, f.dies = point, everywhere
				f.play()
				if point != "booked" && point != "unknown" && len(f.deaths) == 0 {
					t.Error("no process died")
				}
				f.whole()
			})
		}
	}
}

// TestTheRestMayBreakOffToo: and goes on from there, as often as it takes.
func TestTheRestMayBreakOffToo(t *testing.T) {
	t.Parallel()
	f := thread5(t, fault.Fault{Status: http.StatusForbidden})
	f.fronts.x.next = &picky{next: f.x, at: []int{3}, hit: map[int]bool{}, trouble: func() fault.Fault { return fault.Fault{Status: http.StatusForbidden} }}
	f.approve(f.rest())
	_ = f.work() // fails, as the rows tell
	if st := f.step(theStep); st.State != app.StepFailed || !strings.Contains(st.Error, "3 of 5 posts are out") {
		t.Fatalf("the step is %s: %s", st.State, st.Error)
	}
	v := f.rest()
	if v.Risk.PublishPrice != 2*f.effects()[0].Price {
		t.Errorf("the rest of the rest costs %s", v.Risk.PublishPrice)
	}
	f.reject(v, "not like that")
	if st := f.step(theStep); st.State != app.StepFailed || !strings.Contains(st.Error, "the rest was rejected, 3 of 5 posts are out: not like that") {
		t.Fatalf("after the rejection the step is %s: %s", st.State, st.Error)
	}
	f.approve(f.rest())
	if err := f.work(); err != nil {
		t.Fatal(err)
	}
	f.whole()
}

// TestFinishedWithWhatIsOut: a person ends it there, and nothing goes out later.
func TestFinishedWithWhatIsOut(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(*fiver){
		"as it broke off":              func(*fiver) {},
		"while the rest waits":         func(f *fiver) { f.rest() },
		"while it is approved anew":    func(f *fiver) { f.approveFirst(f.rest()) },
		"while it is to be sent again": func(f *fiver) { f.retryPaused() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := thread5(t, fault.Fault{Status: http.StatusForbidden})
			before(f)
			id := f.step(theStep).ID
			if err := f.store.FinishPartly(t.Context(), id, "good enough", testop.Person, f.clock.Now()); err != nil {
				t.Fatal(err)
			}
			if err := f.later(100 * time.Hour); err != nil || len(f.x.Posts()) != 2 || f.step(theStep).State != app.StepDone {
				t.Errorf("%d posts, the step is %s: %v", len(f.x.Posts()), f.step(theStep).State, err)
			}
			if all := f.publications(); len(all) != 1 || !all[0].Parts.Broken() {
				t.Errorf("the public page has %+v", all)
			}
			for _, again := range []error{
				f.store.FinishPartly(t.Context(), id, "again", testop.Person, f.clock.Now()),
				f.store.RetryStep(t.Context(), id, "again", testop.Person, f.clock.Now()),
				f.store.RetryEffect(t.Context(), f.effects()[2].ID, "again", testop.Person, f.clock.Now()),
			} {
				if app.KindOf(again) != app.Conflict {
					t.Errorf("after it was finished: %v", again)
				}
			}
			testop.Balanced(t, f.store, f.op)
		})
	}
}

// approveFirst has a person approve, which can still be undone.
func (f *fiver) approveFirst(v app.Validation) {
	f.t.Helper()
	if _, err := f.store.ApproveValidation(f.t.Context(), v.Choice(), testop.Person, nil, f.clock.Now()); err != nil {
		f.t.Fatal(err)
	}
}

// retryPaused has post 3 tried again in an operation that is paused, then goes on.
func (f *fiver) retryPaused() {
	f.t.Helper()
	err := f.store.RetryEffect(f.t.Context(), f.effects()[2].ID, "again", testop.Person, f.clock.Now())
	if err != nil {
		f.t.Fatal(err)
	}
}

// TestAnotherAccountInTheMiddle: the rest is not sent by whoever was connected
// meanwhile, but put before a person, with that said.
func TestAnotherAccountInTheMiddle(t *testing.T) {
	t.Parallel()
	f := thread5(t, fault.Fault{Status: http.StatusTooManyRequests})
	f.connect(handle, "900000002", "access-2", "refresh-2")
	_ = f.later(20 * time.Minute)
	if err := f.later(20 * time.Minute); err != nil {
		t.Fatal(err)
	}
	st := f.step(theStep)
	if st.State != app.StepFailed || len(f.x.Posts()) != 2 {
		t.Fatalf("%d posts, the step is %s: %s", len(f.x.Posts()), st.State, st.Error)
	}
	if v := f.rest(); len(v.Risk.Problems) != 1 || !strings.Contains(v.Risk.Problems[0], "900000002") {
		t.Errorf("the draft of the rest says %q", v.Risk.Problems)
	}
}

// TestTheAccountIsLostInTheMiddle: the rest waits for it and goes on under its
// approval however long that takes; a person may end it instead.
func TestTheAccountIsLostInTheMiddle(t *testing.T) {
	t.Parallel()
	f := &fiver{office: newOffice(t, person(theStep)), deaths: map[int]bool{}}
	f.Reached = func(point string) {
		if point == "booked" && len(f.x.Posts()) == 2 {
			f.lose()
			f.Reached = nil
		}
	}
	if err := f.publish(theStep, app.KindThread, five(handle)); err != nil {
		t.Fatal(err)
	}
	if err := f.later(100 * time.Hour); err != nil || len(f.x.Posts()) != 2 || f.step(theStep).State != app.StepWaiting {
		t.Fatalf("%d posts, the step is %s: %v", len(f.x.Posts()), f.step(theStep).State, err)
	}
	if len(testop.Alerts(t, f.store, "x_account")) != 1 {
		t.Error("nobody is told of the account")
	}
	f.reconnect()
	if err := f.work(); err != nil {
		t.Fatal(err)
	}
	f.whole()
}

// TestMoneyRunsOutInTheMiddle is in front of a person like any other refusal.
func TestMoneyRunsOutInTheMiddle(t *testing.T) {
	t.Parallel()
	f := &fiver{office: newOffice(t), deaths: map[int]bool{}}
	f.op = testop.New(t, f.store, 1, 40_000_000, person(theStep))
	_ = f.publish(theStep, app.KindThread, five(handle))
	if st := f.step(theStep); st.State != app.StepFailed || len(f.x.Posts()) != 2 || !strings.Contains(st.Error, "2 of 5 posts are out") {
		t.Fatalf("%d posts, the step is %s: %s", len(f.x.Posts()), st.State, st.Error)
	}
	op, err := f.store.Operation(t.Context(), f.op.ID)
	if err == nil {
		err = f.store.RaiseCap(t.Context(), op.Slug, op.Cap, app.Dollar, "the thread", testop.Person, f.clock.Now())
	}
	if err == nil {
		err = f.store.RetryEffect(t.Context(), f.effects()[2].ID, "paid", testop.Person, f.clock.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.work(); err != nil {
		t.Fatal(err)
	}
	f.whole()
}
