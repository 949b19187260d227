package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// TestClicksOfTwoSetOffOnePublication: fifty clicks at once, then eight
// processes that apply what was decided.
func TestClicksOfTwoSetOffOnePublication(t *testing.T) {
	t.Parallel()
	const clicks = 50
	w := newWorld(t, app.Dollar, step("cm.thread", "cm", validates))
	v := w.waiting("cm.thread", app.KindThread, app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{post("one"), post("two"), post("three")}})
	rows, lines := w.count("admin_audit"), len(w.summaries("cm.thread"))
	won := 0
	for i, err := range together(clicks, func(i int) error {
		if i%2 == 0 {
			_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
			return err
		}
		_, err := w.store.RejectValidation(w.ctx, v.Choice(), bob, "no", j0)
		return err
	}) {
		if err == nil {
			won++
			continue
		}
		w.conflict(err, "was already "+string(w.now(v).State)+" by "+w.now(v).DecidedBy)
		if t.Failed() {
			t.Fatalf("click %d", i)
		}
	}
	if won != 1 || w.count("admin_audit")-rows != 1 {
		t.Errorf("%d clicks won, %d audit rows were added", won, w.count("admin_audit")-rows)
	}
	if n := w.count("effects"); n != 0 || len(w.summaries("cm.thread")) != lines || w.step("cm.thread").State != app.StepWaiting {
		t.Errorf("before it is applied there are %d effects, the log says %q", n, w.summaries("cm.thread"))
	}
	w.must(w.store.ApplyDecisions(w.ctx, j0.Add(undo-time.Nanosecond)))
	if got := w.now(v); got.AppliedAt != nil {
		t.Errorf("it was applied at %s, undoable until %s", got.AppliedAt, got.AppliesAt)
	}
	for _, err := range together(8, func(int) error { return w.store.ApplyDecisions(w.ctx, j0.Add(undo)) }) {
		w.must(err)
	}
	got := w.now(v)
	want, state := 3, app.StepWaiting
	if got.State == app.ValidationRejected {
		want, state = 0, app.StepPending
	}
	if n := w.count("effects"); n != want || len(w.summaries("cm.thread")) != lines+1 || w.step("cm.thread").State != state {
		t.Errorf("%s: %d effects, the step is %s, the log says %q", got.State, n, w.step("cm.thread").State, w.summaries("cm.thread"))
	}
	if got.AppliedAt == nil || !got.AppliedAt.Equal(j0.Add(undo)) || w.step("cm.thread").Rejections != w.count("validations WHERE state = 'rejected'") {
		t.Errorf("applied at %v, %d rejections count", got.AppliedAt, w.step("cm.thread").Rejections)
	}
}

// TestUndoRacesWithWhatFollows: a decision is either taken back and nothing
// follows, or applied once.
func TestUndoRacesWithWhatFollows(t *testing.T) {
	t.Parallel()
	const drafts, hands = 16, 8
	w, vs := posts(t, drafts, 100*app.Dollar)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	reject := rand.New(rand.NewPCG(seed, 0))
	rejected := map[string]bool{}
	for i, v := range vs {
		var err error
		if rejected[v.ID] = reject.IntN(3) == 0; rejected[v.ID] {
			vs[i], err = w.store.RejectValidation(w.ctx, v.Choice(), bob, "no", j0)
		} else {
			vs[i], err = w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0)
		}
		w.must(err)
	}
	undone := make([]string, hands*drafts)
	for _, err := range together(hands, func(i int) error {
		random := rand.New(rand.NewPCG(seed, uint64(i+1)))
		for n, at := range random.Perm(drafts) {
			time.Sleep(time.Duration(random.IntN(2)) * time.Millisecond)
			if i%2 == 0 {
				if err := w.store.ApplyDecisions(w.ctx, j0.Add(undo)); err != nil {
					return err
				}
				continue
			}
			who := []app.User{bob, ada}[random.IntN(2)]
			_, err := w.store.WithdrawDecision(w.ctx, vs[at].Choice(), who, j0.Add(undo-1))
			if err == nil {
				undone[i*drafts+n] = vs[at].ID
			} else if !isKind(err, app.Conflict) {
				return err
			}
		}
		return w.store.ApplyDecisions(w.ctx, j0.Add(undo))
	}) {
		w.must(err)
	}
	times := map[string]int{}
	for _, id := range undone {
		times[id]++
	}
	for i, v := range vs {
		key := fmt.Sprint("cm.post_", i)
		got, n, said := w.now(v), len(w.effects(v)), strings.Join(w.summaries(key), ", ")
		st := w.step(key)
		switch {
		case times[v.ID] > 1:
			t.Errorf("%s was undone %d times", key, times[v.ID])
		case times[v.ID] == 1:
			if got.State != app.ValidationPending || got.DecidedAt != nil || n != 0 || strings.Contains(said, "ed by a person") || st.State != app.StepWaiting || st.Rejections != 0 {
				t.Errorf("%s was undone: %s, %d effects, step %s, log %s", key, got.State, n, st.State, said)
			}
		case rejected[v.ID]:
			if got.AppliedAt == nil || n != 0 || strings.Count(said, "Rejected by a person") != 1 || st.State != app.StepPending || st.Rejections != 1 {
				t.Errorf("%s was rejected: %d effects, step %s, %d rejections, log %s", key, n, st.State, st.Rejections, said)
			}
		default:
			if got.AppliedAt == nil || n != 1 || strings.Count(said, "Approved by a person") != 1 || st.State != app.StepWaiting {
				t.Errorf("%s was approved: %d effects, step %s, log %s", key, n, st.State, said)
			}
		}
	}
	t.Logf("%d of %d were undone", w.count("validations WHERE state = 'pending'"), drafts)
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

// TestAnUndoIsForOneDecision: a page that was opened before another decision
// takes nothing back, whoever's it is.
func TestAnUndoIsForOneDecision(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 1, app.Dollar)
	hers, err := w.store.ApproveValidation(w.ctx, vs[0].Choice(), ada, nil, j0)
	w.must(err)
	waits, err := w.store.WithdrawDecision(w.ctx, hers.Choice(), ada, j0)
	w.must(err)
	_, err = w.store.WithdrawDecision(w.ctx, hers.Choice(), ada, j0)
	w.conflict(err, "no decision to take back")
	his, err := w.store.RejectValidation(w.ctx, waits.Choice(), bob, "no", j0)
	w.must(err)
	for _, old := range []app.Choice{vs[0].Choice(), hers.Choice(), waits.Choice(), {ID: his.ID}} {
		for _, who := range []app.User{ada, bob} {
			_, err = w.store.WithdrawDecision(w.ctx, old, who, j0)
			w.conflict(err, "Since then it was rejected by bob at 2027-03-10 09:17:00 UTC, and still is.")
		}
	}
	if got := w.now(his); got.State != app.ValidationRejected {
		t.Errorf("it is %s", got.State)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 1, app.Dollar)
	v := vs[0]
	carol := app.User{ID: 3, Name: "carol", Role: app.RoleApprover}
	_, err := w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), ada, j0)
	w.conflict(err, "no decision to take back")
	decided, err := w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0)
	w.must(err)
	if !decided.Undoable(j0.Add(undo-1)) || decided.Undoable(j0.Add(undo)) || decided.Nonce == v.Nonce {
		t.Errorf("the decision is %+v", decided)
	}
	if _, err := w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), carol, j0); !isKind(err, app.Denied) {
		t.Errorf("somebody else takes it back: %v", err)
	}
	_, err = w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), bob, j0.Add(undo))
	w.conflict(err, "can no longer be undone")
	if list, err := w.store.Undoable(w.ctx, j0); err != nil || len(list) != 1 || list[0].ID != v.ID {
		t.Errorf("what can be undone: %+v, %v", list, err)
	}
	again, err := w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), bob, j0.Add(undo-1))
	w.must(err)
	if again.State != app.ValidationPending || again.DecidedBy != "" || again.DecidedAt != nil || again.AppliesAt != nil || again.FrozenSHA256 != v.FrozenSHA256 {
		t.Errorf("undone it is %+v", again)
	}
	if list, err := w.store.Undoable(w.ctx, j0); err != nil || len(list) != 0 {
		t.Errorf("what can be undone: %+v, %v", list, err)
	}
	for _, old := range []app.Validation{v, decided} {
		_, err = w.store.ApproveValidation(w.ctx, old.Choice(), bob, nil, j0.Add(undo))
		w.conflict(err, "not the one you saw")
		_, err = w.store.RejectValidation(w.ctx, old.Choice(), bob, "no", j0.Add(undo))
		w.conflict(err, "not the one you saw")
	}
	w.must(w.store.ApplyDecisions(w.ctx, j0.Add(time.Hour)))
	if n := w.count("effects"); n != 0 {
		t.Fatalf("%d effects of what was undone", n)
	}

	_, err = w.store.RejectValidation(w.ctx, again.Choice(), bob, "no", j0.Add(time.Hour))
	w.must(err)
	again, err = w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), ada, j0.Add(time.Hour)) // an admin
	w.must(err)
	if again.Reason != "" {
		t.Errorf("it waits with the reason %q", again.Reason)
	}
	w.approve(again, j0.Add(2*time.Hour))
	if n := len(w.effects(v)); n != 1 {
		t.Errorf("%d effects", n)
	}
	_, err = w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), ada, j0.Add(2*time.Hour))
	w.conflict(err, "can no longer be undone")
	audit, err := w.store.Audit(w.ctx, 5)
	w.must(err)
	var said []string
	for _, row := range audit {
		said = append(said, row.User+" "+strings.TrimPrefix(row.Action, "validation."))
	}
	if got := strings.Join(said, ", "); got != "ada approved, ada withdrawn, bob rejected, bob withdrawn, bob approved" {
		t.Errorf("the audit says %s", got)
	}
}

// TestNothingCanBeUndone: without a window what follows does so at once.
func TestNothingCanBeUndone(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, app.Dollar)
	w.set("validation.undo_s", "0")
	got, err := w.store.ApproveValidation(w.ctx, v[0].Choice(), ada, nil, j0)
	w.must(err)
	if got.AppliedAt == nil || got.Undoable(j0) || len(w.effects(v[0])) != 1 {
		t.Errorf("applied at %v, %d effects", got.AppliedAt, len(w.effects(v[0])))
	}
	_, err = w.store.RejectValidation(w.ctx, v[1].Choice(), ada, "no", j0)
	w.must(err)
	if s := w.step("cm.post_1"); s.State != app.StepPending || s.Rejections != 1 {
		t.Errorf("the rejected one's step is %s", s.State)
	}
	w.must(w.store.ApplyDecisions(w.ctx, j0.Add(time.Hour)))
	if n := w.count("effects"); n != 1 || w.step("cm.post_1").Rejections != 1 {
		t.Errorf("applied again: %d effects", n)
	}
}
