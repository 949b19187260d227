package postgres_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/postgres"
	"vivra/app/preflight"
)

// t0 is when what was approved at j0 may go out.
var t0 = j0.Add(undo)

func post(text string) app.PostPayload { return app.PostPayload{Account: "ember", Text: text} }

// posts is an operation with n posts that wait, and what they wait for.
func posts(t *testing.T, n int, budget app.Nano) (*world, []app.Validation) {
	t.Helper()
	var steps []app.Step
	for i := range n {
		steps = append(steps, step(fmt.Sprintf("cm.post_%d", i), "cm", validates))
	}
	w := newWorld(t, budget, steps...)
	w.start(steps[0].Key)
	vs := make([]app.Validation, n)
	for i, s := range steps {
		c := w.stepClaim(s.Key)
		id, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: app.KindPost, Payload: post(fmt.Sprint("post ", i))}, j0)
		w.must(err)
		w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{Output: json.RawMessage(`{"ok":true}`)}, j0))
		vs[i], err = w.store.Validation(w.ctx, id)
		w.must(err)
	}
	return w, vs
}

func sent(id string) postgres.Sent {
	return postgres.Sent{ProviderID: id, Link: "https://x.com/ember/status/" + id, Receipt: map[string]string{"post_id": id}, Summary: "Posted on X"}
}

func TestApprovalIsTheIntentAndNothingElse(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	if n := w.count("effects"); n != 0 {
		t.Fatalf("%d effects before the approval", n)
	}
	w.approve(v[0], j0)
	got := w.effects(v[0])
	if len(got) != 1 || got[0].State != app.EffectIntent || got[0].Kind != effects.XPost || got[0].Price != preflight.PricePost || got[0].Key != v[0].ID+"/0" {
		t.Fatalf("effects %+v", got)
	}
	if s := w.step("cm.post_0"); s.State != app.StepWaiting {
		t.Errorf("the step is %s before anything went out", s.State)
	}
	if spent, reserved, _ := w.money(); spent != 0 || reserved != 0 {
		t.Errorf("%s spent, %s reserved by an intent", spent, reserved)
	}
}

// Whatever the words of a post are, its approval is carried out.
func TestAnyTextCanBeIntended(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\x00b", "\xff", "\u2028", `"reply_to_position":0,`} {
		w, v := ready(t, app.KindPost, post(text))
		w.approve(v, j0)
		if e, ok := w.attempt(w.effects(v)[0], t0); !ok || w.count(`effects WHERE begins`) != 1 {
			t.Errorf("%q is not attempted as the beginning of a publication: %s", text, e.State)
		}
	}
}

func TestOneAttemptAtATime(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	id := w.effects(v[0])[0].ID
	var claimed atomic.Int64
	for _, err := range together(20, func(int) error {
		_, ok, err := w.store.AttemptEffect(w.ctx, id, spacing, t0, wall.Add(lease))
		if ok {
			claimed.Add(1)
		}
		return err
	}) {
		w.must(err)
	}
	e, err := w.store.Effect(w.ctx, id)
	w.must(err)
	if claimed.Load() != 1 || e.Attempt != 1 || e.State != app.EffectAttempting {
		t.Fatalf("%d callers have it; it is %s at attempt %d", claimed.Load(), e.State, e.Attempt)
	}
	if _, reserved, _ := w.money(); reserved != preflight.PricePost {
		t.Errorf("%s is reserved", reserved)
	}

	// Of many that say it is done, one is heard; a stranger never is.
	stranger := e
	stranger.Fence++
	if err := w.store.EffectDone(w.ctx, stranger, sent("9"), t0); err != postgres.ErrLost {
		t.Errorf("a stranger: %v", err)
	}
	done := 0
	for _, err := range together(10, func(int) error { return w.store.EffectDone(w.ctx, e, sent("1"), t0) }) {
		switch {
		case err == nil:
			done++
		case err != postgres.ErrLost:
			t.Error(err)
		}
	}
	if spent, reserved, _ := w.money(); done != 1 || spent != preflight.PricePost || reserved != 0 {
		t.Errorf("done %d times, %s spent, %s reserved", done, spent, reserved)
	}
	if s := w.step("cm.post_0"); s.State != app.StepDone || s.Cost != preflight.PricePost {
		t.Errorf("the step is %s and cost %s", s.State, s.Cost)
	}
	if _, ok := w.attempt(e, t0.Add(time.Hour)); ok {
		t.Error("it was attempted again after it went out")
	}
	if jobs, err := w.store.WakeEffects(w.ctx, t0.Add(time.Hour), wall, wall.Add(lease)); err != nil || len(jobs) != 0 {
		t.Errorf("jobs %v, %v", jobs, err)
	}
}

func TestPostsOfOneAccountAreSpaced(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 3, app.Dollar)
	other := w.operation(2, app.Dollar, step("cm.post", "cm", validates)) // of the same account
	v = append(v, w.waitingIn(other.ID, "cm.post", app.KindPost, post("from another takeover"), j0))
	elsewhere := w.operation(3, app.Dollar, step("cm.post", "cm", validates))
	w.exec(`UPDATE operations SET x_handle = 'ash' WHERE id = $1`, elsewhere.ID)
	free := w.waitingIn(elsewhere.ID, "cm.post", app.KindPost, app.PostPayload{Account: "ash", Text: "another account"}, j0)
	for _, each := range append(v, free) {
		w.approve(each, j0)
	}

	// turns checks that those which wait have a turn each, and returns the first.
	turns := func(first time.Time) time.Time {
		t.Helper()
		var waiting []time.Time
		for _, each := range v {
			if e := w.effects(each)[0]; e.State == app.EffectIntent {
				waiting = append(waiting, e.NotBefore)
			}
		}
		slices.SortFunc(waiting, time.Time.Compare)
		for i, at := range waiting {
			if want := first.Add(time.Duration(i) * spacing); !at.Equal(want) {
				t.Errorf("turn %d is at %s, want %s", i, at, want)
			}
		}
		return first
	}
	now := t0
	var at []time.Time
	for range v {
		var claimed []app.Effect
		for _, each := range v { // whoever comes, at most one gets through
			if e, ok := w.attempt(w.effects(each)[0], now); ok {
				claimed = append(claimed, e)
			}
		}
		if len(claimed) != 1 {
			t.Fatalf("at %s %d posts of one account are on their way", now, len(claimed))
		}
		if len(at) == 0 { // all were approved at once, and got their turns then
			turns(now.Add(spacing))
		}
		now = now.Add(90 * time.Second)
		w.must(w.store.EffectDone(w.ctx, claimed[0], sent(fmt.Sprint(len(at))), now))
		at = append(at, now)
		for _, each := range v {
			e := w.effects(each)[0]
			if e.State != app.EffectIntent {
				continue
			}
			for _, early := range []time.Time{now.Add(time.Second), now.Add(spacing - time.Second)} {
				if _, ok := w.attempt(e, early); ok {
					t.Errorf("posted %s after the one before", early.Sub(now))
				}
			}
		}
		if _, ok := w.attempt(w.effects(free)[0], now); ok == (len(at) > 1) {
			t.Errorf("the other account's post: attempted %t", ok)
		}
		now = turns(now.Add(spacing))
	}
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap < spacing {
			t.Errorf("%s between two posts", gap)
		}
	}
	for _, each := range v {
		if e := w.effects(each)[0]; e.State != app.EffectDone {
			t.Errorf("a delayed post was dropped: %s", e.State)
		}
	}
}

func TestConcurrentPostsOfOneAccount(t *testing.T) {
	t.Parallel()
	const n = 12
	w := newWorld(t, app.Dollar)
	var ids []int64
	for i := range n { // takeovers share nothing but the account
		op := w.operation(byte(i+2), app.Dollar, step("cm.post", "cm", validates))
		v := w.waitingIn(op.ID, "cm.post", app.KindPost, post(fmt.Sprint("post ", i)), j0)
		w.approve(v, j0)
		ids = append(ids, w.effects(v)[0].ID)
	}
	for range 8 {
		w.exec(`UPDATE effects SET state = 'intent', lease_until = NULL, not_before = $1`, t0)
		var claimed atomic.Int64
		for _, err := range together(n, func(i int) error {
			_, ok, err := w.store.AttemptEffect(w.ctx, ids[i], spacing, t0, wall.Add(lease))
			if ok {
				claimed.Add(1)
			}
			return err
		}) {
			w.must(err)
		}
		if claimed.Load() != 1 {
			t.Fatalf("%d posts of one account are on their way at once", claimed.Load())
		}
	}
}

func TestThreadGoesOutInOrderWithoutGaps(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.comeback_thread", "cm", validates))
	thread := app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{{Text: "one"}, {Text: "two"}, {Text: "three"}, {Text: "four"}}}
	v := w.waiting("cm.comeback_thread", app.KindThread, thread)
	w.approve(v, j0)
	for i := range 4 {
		jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease))
		w.must(err)
		all := w.effects(v)
		if len(jobs) != 1 || jobs[0] != (app.Job{Kind: app.JobEffect, ID: all[i].ID}) {
			t.Fatalf("post %d: jobs %v of %v", i, jobs, all)
		}
		if again, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(again) != 0 {
			t.Errorf("post %d: woken twice: %v, %v", i, again, err)
		}
		e, ok := w.attempt(all[i], t0)
		if !ok {
			t.Fatalf("post %d is not attempted at once", i)
		}
		if i < 3 {
			if _, early := w.attempt(all[i+1], t0); early {
				t.Errorf("post %d is attempted before post %d is out", i+1, i)
			}
		}
		w.must(w.store.EffectDone(w.ctx, e, sent(fmt.Sprint(100+i)), t0.Add(time.Duration(i)*time.Minute)))
		if s := w.step("cm.comeback_thread"); (s.State == app.StepDone) != (i == 3) {
			t.Errorf("after post %d the step is %s", i, s.State)
		}
	}
	// The gap to the next publication counts from the thread's last post.
	op := w.operation(2, app.Dollar, step("cm.post", "cm", validates))
	next := w.waitingIn(op.ID, "cm.post", app.KindPost, post("next"), j0)
	w.approve(next, j0)
	if _, ok := w.attempt(w.effects(next)[0], t0.Add(spacing)); ok {
		t.Error("the next post came too soon after the thread's end")
	}
	if e := w.effects(next)[0]; !e.NotBefore.Equal(t0.Add(3*time.Minute + spacing)) {
		t.Errorf("the next post waits until %s", e.NotBefore)
	}
	ids, err := w.store.ProviderIDs(w.ctx, v.ID)
	if err != nil || fmt.Sprint(ids) != "map[0:100 1:101 2:102 3:103]" {
		t.Errorf("provider ids %v, %v", ids, err)
	}
	published, err := w.store.Publications(w.ctx, w.op.ID)
	if err != nil || len(published) != 1 || len(published[0].Links) != 4 || published[0].Price != 4*preflight.PricePost || published[0].Approvers != 1 || published[0].SHA256 != v.PayloadSHA256 {
		t.Errorf("published %+v, %v", published, err)
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

func TestLostJobsAreWokenAgain(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	for _, tt := range []struct {
		after time.Duration
		want  int
	}{{0, 1}, {lease - time.Second, 0}, {lease, 1}} {
		at := wall.Add(tt.after)
		jobs, err := w.store.WakeEffects(w.ctx, t0, at, at.Add(lease))
		if err != nil || len(jobs) != tt.want {
			t.Errorf("%s after the first job: %d jobs, %v", tt.after, len(jobs), err)
		}
	}
}

// A process whose clock is behind that of the one which woke the publication
// leaves it to the next tick, not to the end of the job's time.
func TestWokenByAClockThatIsAhead(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	for range 2 {
		if jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(jobs) != 1 {
			t.Fatalf("jobs %v, %v", jobs, err)
		}
		if _, ok := w.attempt(w.effects(v[0])[0], t0.Add(-time.Millisecond)); ok {
			t.Fatal("it was attempted before its time")
		}
	}
	if _, ok := w.attempt(w.effects(v[0])[0], t0); !ok {
		t.Error("it is not attempted in time")
	}
}

func TestUnaffordablePublication(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 3, preflight.PricePost+preflight.PricePost/2)
	for _, each := range v {
		w.approve(each, j0)
	}
	e, ok := w.attempt(w.effects(v[0])[0], t0)
	if !ok {
		t.Fatal("the first post fits")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("1"), t0))
	for i, now := range []time.Time{t0.Add(spacing), t0.Add(2 * spacing)} {
		if _, ok := w.attempt(w.effects(v[i+1])[0], now); ok {
			t.Error("a post beyond the cap was let out")
		}
		if e := w.effects(v[i+1])[0]; e.State != app.EffectFailed || !strings.Contains(e.Error, "budget_exceeded") {
			t.Errorf("it is %s: %s", e.State, e.Error)
		}
		key := fmt.Sprintf("cm.post_%d", i+1)
		if s := w.step(key); s.State != app.StepFailed || !strings.Contains(s.Error, "budget_exceeded") {
			t.Errorf("its step is %s: %s", s.State, s.Error)
		}
		if lines := w.summaries(key); lines[len(lines)-1] != "Publishing failed" {
			t.Errorf("the log says %v", lines)
		}
	}
	if got := w.alerts("budget_exceeded"); len(got) != 1 {
		t.Errorf("alerts %v", got)
	}
	if spent, reserved, _ := w.money(); spent != preflight.PricePost || reserved != 0 {
		t.Errorf("%s spent, %s reserved", spent, reserved)
	}
}

func TestEffectsAreHashed(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	w.refused("a request changed alone", `UPDATE effects SET request = '{}'`)
	w.refused("the same position twice", `INSERT INTO effects (effect_key, validation_id, operation_id, step_id, position, kind, request, request_sha256, not_before, price_nusd)
SELECT 'other', validation_id, operation_id, step_id, position, kind, request, request_sha256, not_before, price_nusd FROM effects`)
	w.refused("the same key twice", `INSERT INTO effects (effect_key, validation_id, operation_id, step_id, position, kind, request, request_sha256, not_before, price_nusd)
SELECT effect_key, validation_id, operation_id, step_id, 7, kind, request, request_sha256, not_before, price_nusd FROM effects`)
}

func TestPausedOperationPublishesNothing(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, app.Dollar)
	w.approve(v[0], j0)
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, t0))
	w.approve(v[1], j0) // a person may decide; what it allows waits
	for _, each := range v {
		if _, ok := w.attempt(w.effects(each)[0], t0); ok {
			t.Error("a paused operation attempts a publication")
		}
	}
	if jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(jobs) != 0 {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	if busy, err := w.store.Busy(w.ctx, t0); err != nil || busy {
		t.Errorf("busy %t, %v", busy, err)
	}
	w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, t0))
	if jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(jobs) != 1 || jobs[0].ID != w.effects(v[0])[0].ID {
		t.Errorf("after the pause: jobs %v, %v", jobs, err)
	}
	if _, ok := w.attempt(w.effects(v[0])[0], t0); !ok {
		t.Error("not attempted after the pause")
	}
}

func TestStopLeavesNothingToSend(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 4, app.Dollar)
	for _, each := range v[:3] {
		w.approve(each, j0)
	}
	flying, ok := w.attempt(w.effects(v[0])[0], t0)
	if !ok {
		t.Fatal("not attempted")
	}
	w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, t0))
	if e := w.effects(v[1])[0]; e.State != app.EffectVoid {
		t.Errorf("what was approved is %s", e.State)
	}
	for name, end := range map[string]func() error{
		"to be tried again": func() error { return w.store.EffectLater(w.ctx, flying, "429", t0, t0) },
		"refused":           func() error { return w.store.EffectFailed(w.ctx, flying, errors.New("403"), t0) },
		"gone out":          func() error { return w.store.EffectDone(w.ctx, flying, sent("1"), t0) },
	} {
		w.exec(`UPDATE effects SET state = 'attempting', lease_until = $2, reserved_nusd = price_nusd WHERE id = $1`, flying.ID, wall.Add(lease))
		w.exec(`UPDATE operations SET spent_nusd = 0, reserved_nusd = $1`, flying.Price)
		w.must(end())
		e := w.effects(v[0])[0]
		want := map[string]app.EffectState{"to be tried again": app.EffectVoid, "refused": app.EffectFailed, "gone out": app.EffectDone}[name]
		if _, reserved, _ := w.money(); e.State != want || reserved != 0 {
			t.Errorf("%s: it is %s, %s reserved", name, e.State, reserved)
		}
		if s := w.step("cm.post_0"); s.State != app.StepCancelled {
			t.Errorf("%s: the step is %s after the stop", name, s.State)
		}
		if got := w.state(); got != app.OperationStopped {
			t.Errorf("%s: the operation is %s", name, got)
		}
	}
}

func TestAttemptOfADeadProcessIsInDoubt(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, app.Dollar)
	w.approve(v[0], j0)
	e, ok := w.attempt(w.effects(v[0])[0], t0)
	if !ok {
		t.Fatal("not attempted")
	}
	w.must(w.store.LoseExpiredEffects(w.ctx, t0, wall.Add(lease-time.Second)))
	if got := w.effects(v[0])[0].State; got != app.EffectAttempting {
		t.Fatalf("lost before its lease ran out: %s", got)
	}
	for _, err := range together(4, func(int) error { return w.store.LoseExpiredEffects(w.ctx, t0, wall.Add(lease)) }) {
		w.must(err)
	}
	got := w.effects(v[0])[0]
	if _, reserved, _ := w.money(); got.State != app.EffectUnknown || reserved != e.Price {
		t.Errorf("it is %s, %s reserved", got.State, reserved)
	}
	if _, ok := w.attempt(got, t0.Add(time.Hour)); ok {
		t.Error("one in doubt was sent again")
	}
	jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease))
	if err != nil || len(jobs) != 1 || jobs[0].Kind != app.JobReconcile {
		t.Errorf("jobs %v, %v", jobs, err)
	}
	// While nobody knows, nothing else of the account goes out.
	w.approve(v[1], j0)
	if _, ok := w.attempt(w.effects(v[1])[0], t0.Add(time.Hour)); ok {
		t.Error("another post passed one in doubt")
	}
	// It did go out after all, says whoever attempted it or looked.
	w.must(w.store.EffectDone(w.ctx, got, sent("5"), t0))
	if s := w.step("cm.post_0"); s.State != app.StepDone {
		t.Errorf("the step is %s", s.State)
	}
}

func TestAPersonSettlesADoubt(t *testing.T) {
	t.Parallel()
	for _, out := range []bool{true, false} {
		w, v := posts(t, 1, app.Dollar)
		w.approve(v[0], j0)
		e, _ := w.attempt(w.effects(v[0])[0], t0)
		if err := w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: out, Link: ""}, ada, t0); !isKind(err, app.Conflict) {
			t.Errorf("settled while it is under way: %v", err)
		}
		w.must(w.store.EffectUnknown(w.ctx, e, "timed out", t0, t0))
		for range 2 { // looked at twice, told once
			w.must(w.store.EffectUndecided(w.ctx, w.effects(v[0])[0], t0.Add(time.Hour), t0))
		}
		if got := w.alerts("effect_unknown"); len(got) != 1 {
			t.Errorf("alerts %v", got)
		}
		if err := w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: true, Link: ""}, ada, t0); !isKind(err, app.Invalid) {
			t.Errorf("found without a link: %v", err)
		}
		errs := together(8, func(i int) error {
			return w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: out, Link: "https://x.com/ember/status/77"}, []app.User{ada, bob}[i%2], t0)
		})
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else if !isKind(err, app.Conflict) {
				t.Error(err)
			}
		}
		if won != 1 || w.count("admin_audit WHERE action = 'effect.settle'") != 1 {
			t.Errorf("settled %d times, %d audit rows", won, w.count("admin_audit WHERE action = 'effect.settle'"))
		}
		got, s := w.effects(v[0])[0], w.step("cm.post_0")
		spent, reserved, _ := w.money()
		if out && (got.State != app.EffectDone || got.ProviderID != "77" || s.State != app.StepDone || spent != e.Price || reserved != 0) {
			t.Errorf("it went out: %s %q, step %s, %s spent, %s reserved", got.State, got.ProviderID, s.State, spent, reserved)
		}
		if !out {
			if got.State != app.EffectIntent || s.State != app.StepWaiting || spent != 0 || reserved != 0 {
				t.Errorf("it did not: %s, step %s, %s spent, %s reserved", got.State, s.State, spent, reserved)
			}
			again, ok := w.attempt(got, t0)
			if !ok || again.Attempt != 2 || again.Fence == e.Fence {
				t.Errorf("sent again: %t %+v", ok, again)
			}
			if err := w.store.EffectDone(w.ctx, e, sent("1"), t0); err != postgres.ErrLost {
				t.Errorf("the first attempt speaks up: %v", err)
			}
		}
	}
}

func TestRefusedPublicationFailsItsStep(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	e, _ := w.attempt(w.effects(v[0])[0], t0)
	w.must(w.store.EffectLater(w.ctx, e, "429", t0.Add(time.Minute), t0))
	if _, reserved, _ := w.money(); reserved != 0 {
		t.Errorf("%s is reserved by what is put off", reserved)
	}
	if _, ok := w.attempt(e, t0.Add(59*time.Second)); ok {
		t.Error("attempted before its time")
	}
	e, ok := w.attempt(e, t0.Add(time.Minute))
	if !ok || e.Attempt != 2 {
		t.Fatalf("attempt %d, %t", e.Attempt, ok)
	}
	w.must(w.store.EffectFailed(w.ctx, e, errors.New("403: \xff not \x00 allowed"), t0))
	s := w.step("cm.post_0")
	if _, reserved, _ := w.money(); s.State != app.StepFailed || !strings.Contains(s.Error, "allowed") || reserved != 0 || len(w.alerts("publication_failed")) != 1 {
		t.Errorf("%s %q, %s reserved, alerts %v", s.State, s.Error, reserved, w.alerts("publication_failed"))
	}
	// Tried again, the step writes a new draft; the old effect never goes out.
	w.must(w.store.RetryStep(w.ctx, s.ID, "try again", ada, t0))
	if e := w.effects(v[0])[0]; e.State != app.EffectVoid {
		t.Errorf("the old effect is %s", e.State)
	}
	next := w.waiting("cm.post_0", app.KindPost, post("second draft"))
	w.approve(next, j0)
	if e, ok := w.attempt(w.effects(next)[0], t0); !ok || next.DraftNo != 2 || e.Key == v[0].ID+"/0" {
		t.Errorf("the new draft no. %d: %t %+v", next.DraftNo, ok, e)
	}
}

func TestPollHoldsItsResultsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.poll", "designer", validates),
		step("designer.poll_results", "designer", dependsOn("designer.poll"), dueAt(j0.Add(24*time.Hour))))
	v := w.waiting("designer.poll", app.KindPoll, app.PollPayload{Account: "ember", Intro: app.PostPayload{Text: "boards"}, Question: "Which?",
		Options: []string{"a", "b", "c"}, DurationMinutes: 1440, Channels: []string{"x", "telegram"}, TelegramChat: -100})
	late := j0.Add(10 * time.Hour)
	late = w.approve(v, late)
	for i, e := range w.effects(v) {
		got, ok := w.attempt(e, late)
		if !ok {
			t.Fatalf("effect %d is not attempted", i)
		}
		answer := sent(fmt.Sprint(i))
		if e.Kind == effects.TGPoll {
			answer.Receipt = map[string]any{"message_id": 55, "poll_id": "p-7"}
		}
		late = late.Add(time.Minute)
		w.must(w.store.EffectDone(w.ctx, got, answer, late))
	}
	closes := late.Add(24 * time.Hour)
	rec, result, err := w.store.Poll(w.ctx, w.op.ID)
	if err != nil || rec.XPostID != "1" || rec.TelegramMessageID != 55 || rec.TelegramPollID != "p-7" || rec.TelegramChat != -100 || result != nil || !rec.ClosesAt.Equal(closes) {
		t.Errorf("the poll is kept as %+v, %v, %v", rec, result, err)
	}
	for _, tt := range []struct {
		at   time.Time
		want app.StepState
	}{{j0.Add(29 * time.Hour), app.StepPending}, {closes, app.StepPending}, {closes.Add(time.Minute), app.StepRunning}} {
		if _, err := w.store.AdvanceSteps(w.ctx, w.op.ID, tt.at, wall); err != nil {
			t.Fatal(err)
		}
		if s := w.step("designer.poll_results"); s.State != tt.want {
			t.Errorf("at %s the results' step is %s", tt.at, s.State)
		}
	}
	w.must(w.store.SaveClosedPoll(w.ctx, "p-7", app.PollResult{Closed: true, Votes: []int{3, 1, 2}}))
	if _, result, err := w.store.Poll(w.ctx, w.op.ID); err != nil || result == nil || fmt.Sprint(result.Votes) != "[3 1 2]" {
		t.Errorf("the result is %v, %v", result, err)
	}
}

// TestANumberIsBookedOnce: what another publication has sent is not what this one
// has, and a refusal leaves the doubt as it was.
func TestANumberIsBookedOnce(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, app.Dollar)
	w.approve(v[0], j0)
	w.approve(v[1], j0)
	first, _ := w.attempt(w.effects(v[0])[0], t0)
	w.must(w.store.EffectDone(w.ctx, first, sent("77"), t0))
	now := t0.Add(spacing)
	e, ok := w.attempt(w.effects(v[1])[0], now)
	w.must(w.store.EffectUnknown(w.ctx, e, "timed out", now, now))
	found := func(link string) error {
		return w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: true, Link: link}, ada, now)
	}
	w.conflict(found("https://x.com/ember/status/77?s=20"), "another publication has sent")
	if err := found("https://x.com/ash/status/78"); !ok || !isKind(err, app.Invalid) || !strings.Contains(err.Error(), "@ash") {
		t.Errorf("another account's post: %t, %v", ok, err)
	}
	if got := w.effects(v[1])[0]; got.State != app.EffectUnknown || w.count(`admin_audit WHERE action = 'effect.settle'`) != 0 {
		t.Errorf("it is %s after what was refused", got.State)
	}
	w.must(found("https://x.com/ember/status/78/photo/1"))
	if got := w.effects(v[1])[0]; got.State != app.EffectDone || got.ProviderID != "78" {
		t.Errorf("it is %s as %q", got.State, got.ProviderID)
	}
}

// TestMessagesAreNumberedInTheirChat: a number of one group is another message in
// the next, be it a poll's.
func TestMessagesAreNumberedInTheirChat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("tg", "tg", validates))
	official := w.op.Token.Ref.Address.Hex()
	v := w.waiting("tg", app.KindTelegram, app.TelegramSetupPayload{Chat: -100, Title: "Ember", Rules: "Be kind", Pinned: official, OfficialAddress: official})
	w.approve(v, j0)
	w.exec(`UPDATE effects SET state = 'done', done_at = $1, provider_id = '9' WHERE position < 3`, t0)
	e := w.effects(v)[3]
	poll, elsewhere := e, e
	poll.Kind = effects.TGPoll
	elsewhere.Request = json.RawMessage(strings.Replace(string(e.Request), "-100", "-1001", 1))
	for _, tt := range []struct {
		e      app.Effect
		number string
		want   bool
	}{{e, "9", true}, {poll, "9", true}, {e, "10", false}, {elsewhere, "9", false}} {
		if taken, err := w.store.BookedElsewhere(w.ctx, tt.e, tt.number); err != nil || taken != tt.want {
			t.Errorf("%s in %s as %s: taken %t, %v", tt.e.Kind, tt.e.Request, tt.number, taken, err)
		}
	}
}

// TestAWordIsAboutTheAttemptThatWasLookedFor, and not about one after it, which
// may be where the one before was not.
func TestAWordIsAboutTheAttemptThatWasLookedFor(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 1, app.Dollar)
	w.approve(v[0], j0)
	seen, _ := w.attempt(w.effects(v[0])[0], t0)
	w.must(w.store.EffectUnknown(w.ctx, seen, "timed out", t0, t0))
	word := func(e app.Effect, out bool) error {
		return w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: out, Link: "https://x.com/ember/status/77"}, bob, t0)
	}
	w.must(word(seen, false))
	w.conflict(word(seen, false), "is intent by now")
	next, ok := w.attempt(seen, t0)
	w.conflict(word(seen, false), "tried again since")
	w.must(w.store.EffectUnknown(w.ctx, next, "timed out again", t0, t0))
	for _, out := range []bool{true, false} {
		w.conflict(word(seen, out), "tried again since")
	}
	if got := w.effects(v[0])[0]; !ok || got.State != app.EffectUnknown || got.Attempt != 2 {
		t.Errorf("it is %s at attempt %d", got.State, got.Attempt)
	}
	w.must(word(next, true))
	w.conflict(word(next, false), "is done by now")
}

// TestAThreadThatWasInterruptedTakesATurn: its next post keeps its distance from
// what came between, and the one after goes out at once.
func TestAThreadThatWasInterruptedTakesATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.thread", "cm", validates))
	w.connect()
	v := w.waiting("cm.thread", app.KindThread, thread4())
	w.approve(v, j0)
	e, _ := w.attempt(w.effects(v)[0], t0)
	w.must(w.store.EffectDone(w.ctx, e, sent("1"), t0))
	w.fail(v, 1, t0)
	other := w.operation(2, app.Dollar, step("cm.post", "cm", validates))
	between := w.waitingIn(other.ID, "cm.post", app.KindPost, post("between"), j0)
	w.approve(between, j0)
	t1 := t0.Add(spacing)
	e, ok := w.attempt(w.effects(between)[0], t1)
	if !ok {
		t.Fatal("what came between is not attempted")
	}
	w.must(w.retry(v, 1, t1))
	if _, ok := w.attempt(w.effects(v)[1], t1); ok {
		t.Error("the thread goes on while another post is on its way")
	}
	w.must(w.store.EffectDone(w.ctx, e, sent("2"), t1))
	third := w.operation(3, app.Dollar, step("cm.post", "cm", validates))
	behind := w.waitingIn(third.ID, "cm.post", app.KindPost, post("behind"), j0)
	w.approve(behind, t1)
	for _, early := range []time.Duration{time.Minute, spacing - time.Second} {
		if _, ok := w.attempt(w.effects(v)[1], t1.Add(early)); ok {
			t.Errorf("the thread goes on %s after another post", early)
		}
	}
	t2 := t1.Add(spacing)
	for i := 1; i < 4; i++ {
		if jobs, err := w.store.WakeEffects(w.ctx, t2, wall, wall.Add(lease)); err != nil || !slices.ContainsFunc(jobs, func(j app.Job) bool { return j.ID == w.effects(v)[i].ID }) {
			t.Fatalf("post %d: jobs %v, %v", i, jobs, err)
		}
		e, ok := w.attempt(w.effects(v)[i], t2)
		if !ok {
			t.Fatalf("post %d does not go on with its thread", i)
		}
		if _, ok := w.attempt(w.effects(behind)[0], t2); ok {
			t.Error("what has its turn later comes between")
		}
		w.must(w.store.EffectDone(w.ctx, e, sent(fmt.Sprint(10+i)), t2))
	}
	_, ok = w.attempt(w.effects(behind)[0], w.effects(behind)[0].NotBefore)
	if at := w.effects(behind)[0].NotBefore; ok || at.Before(t2.Add(spacing)) {
		t.Errorf("what comes behind may go out at %s", at)
	}
}
