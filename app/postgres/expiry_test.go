package postgres_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

const expires = 72 * time.Hour

func TestApprovalsExpire(t *testing.T) {
	t.Parallel()
	for _, paused := range []bool{false, true} {
		w, v := ready(t, app.KindPost, withPicture())
		w.approve(v, j0)
		if paused {
			w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, t0))
		}
		w.must(w.store.ExpireApprovals(w.ctx, j0.Add(expires-time.Microsecond)))
		if got := w.again(v); got.State != app.ValidationApproved {
			t.Fatalf("paused %t: it is %s before its time", paused, got.State)
		}
		for _, err := range together(6, func(int) error { return w.store.ExpireApprovals(w.ctx, j0.Add(expires)) }) {
			w.must(err)
		}
		w.unsent(v, "approval_expired", "not published in time")
		next := w.replacing(v)
		if len(next.Risk.Problems) != 1 || !strings.Contains(next.Risk.Problems[0], "approved by ada at 2027-03-10 09:17 UTC") {
			t.Errorf("problems %q", next.Risk.Problems)
		}
		if got := w.alerts("payload_changed"); len(got) != 0 {
			t.Errorf("told that it changed: %v", got)
		}
		// Approved once more, it holds from then on.
		w.approve(next, j0.Add(expires))
		w.must(w.store.ExpireApprovals(w.ctx, j0.Add(2*expires-time.Microsecond)))
		if got := w.again(next); got.State != app.ValidationApproved {
			t.Errorf("the new approval is %s", got.State)
		}
	}
}

func TestAnExpiredApprovalIsNotSentBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	if _, ok := w.attempt(w.effects(v)[0], j0.Add(expires)); ok {
		t.Fatal("it was let out")
	}
	w.unsent(v, "approval_expired", "not published in time")
	w.replacing(v)
}

func TestWhatIsOutOrInDoubtDoesNotExpire(t *testing.T) {
	t.Parallel()
	late := j0.Add(expires)
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	e, _ := w.attempt(w.effects(v)[0], t0)
	for _, doubt := range []func() error{
		func() error { return nil }, // under way
		func() error { return w.store.EffectUnknown(w.ctx, e, "timed out", late, t0) },
	} {
		w.must(doubt())
		w.must(w.store.ExpireApprovals(w.ctx, late))
		if got := w.again(v); got.State != app.ValidationApproved || w.count(`validations WHERE state = 'pending'`) != 0 {
			t.Errorf("%s: its approval is %s", w.states(v), got.State)
		}
	}
	// Found out not to have been sent, it may no longer be.
	w.must(w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: false, Link: ""}, ada, late))
	w.must(w.store.ExpireApprovals(w.ctx, late))
	w.unsent(v, "approval_expired", "not published in time")
	w.replacing(v)

	// The rest of a thread belongs to what is out.
	w, v = begun(t)
	w.must(w.store.ExpireApprovals(w.ctx, late))
	if _, ok := w.attempt(w.effects(v)[2], late); !ok || w.again(v).State != app.ValidationApproved {
		t.Errorf("the thread broke off: %s", w.states(v))
	}
}

func TestOneApprovalThatCantExpireHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 3, app.Dollar)
	for _, v := range vs {
		w.approve(v, j0)
	}
	w.past(`UPDATE validations SET risk = '"not a risk"' WHERE id = $1`, vs[0].ID)
	if err := w.store.ExpireApprovals(w.ctx, j0.Add(expires)); err == nil || !strings.Contains(err.Error(), vs[0].ID) {
		t.Errorf("the bad one is not told of: %v", err)
	}
	if n := w.count(`validations WHERE state = 'pending' AND replaces IS NOT NULL`); n != 2 {
		t.Errorf("%d of the others wait again", n)
	}
}

func TestDecisionsWithoutEffectsDoNotExpire(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindKit, app.OutputPayload{Step: "cm.post"})
	w.approve(v, j0)
	w.must(w.store.ExpireApprovals(w.ctx, j0.Add(expires)))
	if s := w.step("cm.post"); s.State != app.StepDone || w.again(v).State != app.ValidationApproved {
		t.Errorf("the step is %s", s.State)
	}
	// What was refused by the platform is in front of a person already.
	w, v = ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	e, _ := w.attempt(w.effects(v)[0], t0)
	w.must(w.store.EffectFailed(w.ctx, e, fmt.Errorf("403"), t0))
	w.must(w.store.ExpireApprovals(w.ctx, j0.Add(expires)))
	if got := w.again(v); got.State != app.ValidationApproved || len(w.alerts("approval_expired")) != 0 {
		t.Errorf("it is %s", got.State)
	}
}

func TestTheSettingSaysWhenApprovalsExpire(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	w.must(w.store.SetSetting(w.ctx, "validation.approval_expires_s", []byte("3600"), "ada", j0))
	at, err := w.store.NextInstant(w.ctx, t0)
	if err != nil || at == nil || !at.Equal(j0.Add(time.Hour)) {
		t.Errorf("the next instant is %v, %v", at, err)
	}
	w.must(w.store.ExpireApprovals(w.ctx, j0.Add(time.Hour)))
	if got := w.again(v); got.State != app.ValidationVoid {
		t.Errorf("it is %s", got.State)
	}
	if lines := w.summaries("cm.post"); slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "Day 3") }) {
		t.Errorf("the log tells what nobody approved: %q", lines)
	}
}
