package postgres_test

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// decided approves outputs, and lets nothing follow from it yet.
func (w *world) decided(vs ...app.Validation) {
	w.t.Helper()
	for _, v := range vs {
		_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
		w.must(err)
	}
}

// TestWhatChangedBeforeItAppliesWaitsAgain instead of failing at every look.
func TestWhatChangedBeforeItAppliesWaitsAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(w *world)
		waits   int
		becomes app.StepState
	}{
		"the world":      {func(w *world) { w.exec(`UPDATE operations SET site_host = 'ash.example'`) }, 1, app.StepWaiting},
		"its calls":      {func(w *world) { w.swap("validations", "payload", "Day 3", "Day 4") }, 1, app.StepWaiting},
		"beyond reading": {func(w *world) { w.swap("validations", "payload", `"Day 3"`, "3") }, 0, app.StepFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := ready(t, app.KindPost, withPicture())
			w.decided(v)
			c.change(w)
			for range 2 {
				w.apply(j0)
			}
			if got := w.now(v); got.State != app.ValidationVoid || got.AppliedAt != nil || w.count("effects") != 0 {
				t.Errorf("it is %s, applied at %v, with %d effects", got.State, got.AppliedAt, w.count("effects"))
			}
			if told := w.alerts("payload_changed"); len(told) != 1 || told[0] != v.ID {
				t.Errorf("told of %v", told)
			}
			if n, s := w.count("validations WHERE state = 'pending'"), w.step("cm.post"); n != c.waits || s.State != c.becomes {
				t.Errorf("%d drafts wait, the step is %s", n, s.State)
			}
			if c.waits == 1 {
				w.replacing(v)
			}
		})
	}
}

// TestAppliersDoNotWaitForEachOther: a second process passes by the operation
// that the first is at, all of it, and goes on with the others before it waits.
func TestAppliersDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 2, app.Dollar)
	other := w.operation(2, app.Dollar, step("cm.other", "cm", validates))
	v := w.waitingIn(other.ID, "cm.other", app.KindPost, post("elsewhere"), j0)
	w.decided(vs[0], vs[1], v)
	w.exec(`UPDATE validations SET applies_at = applies_at - interval '1 second' WHERE operation_id = $1`, w.op.ID)

	at, goOn := make(chan string, 9), make(chan struct{})
	w.store.Reached = func(point string) {
		at <- point
		<-goOn
	}
	both := make(chan error, 2)
	go func() { both <- w.store.ApplyDecisions(w.ctx, j0.Add(undo)) }()
	if point := <-at; point != "applying" {
		t.Fatalf("the first process is at %s", point)
	}
	second := openStore(t, w.db.Config().ConnString())
	go func() { both <- second.ApplyDecisions(w.ctx, j0.Add(undo)) }()
	for w.now(v).AppliedAt == nil && w.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	if w.now(v).AppliedAt == nil || w.now(vs[0]).AppliedAt != nil || w.now(vs[1]).AppliedAt != nil {
		t.Errorf("applied meanwhile: %v, of the operation in hand %v and %v", w.now(v).AppliedAt, w.now(vs[0]).AppliedAt, w.now(vs[1]).AppliedAt)
	}
	close(goOn)
	w.must(<-both)
	w.must(<-both)
	if n := w.count("effects"); n != 3 {
		t.Errorf("%d effects", n)
	}
}

// TestOneLookAtDecisionsIsBounded, and goes beyond those that fail.
func TestOneLookAtDecisionsIsBounded(t *testing.T) {
	t.Parallel()
	const bound, more = 200, 3
	w, vs := posts(t, bound+more, 10*app.Dollar)
	w.decided(vs...)
	applied := func() int { return w.count("validations WHERE applied_at IS NOT NULL") }
	w.past(`UPDATE validations SET risk = '"not a risk"', applies_at = applies_at - interval '1 second' WHERE id <> ALL ($1)`,
		[]string{vs[0].ID, vs[1].ID, vs[2].ID})
	if err := w.store.ApplyDecisions(w.ctx, j0.Add(undo)); err == nil || strings.Count(err.Error(), "apply the decision") != bound || applied() != more {
		t.Fatalf("%d are applied beyond those that fail", applied())
	}
	w.past(`UPDATE validations SET risk = '{}'`)
	w.exec(`UPDATE validations SET applies_at = applies_at + interval '1 second' WHERE applied_at IS NULL`)
	w.past(`UPDATE validations SET state = 'approved', applied_at = NULL WHERE id = ANY ($1)`, []string{vs[0].ID, vs[1].ID, vs[2].ID})
	w.exec(`DELETE FROM effects`)
	for _, want := range []int{bound, bound + more} {
		w.must(w.store.ApplyDecisions(w.ctx, j0.Add(undo)))
		if applied() != want {
			t.Errorf("%d are applied, want %d", applied(), want)
		}
	}
}

func TestProfilesAreApprovedByThemselves(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindProfile, app.ProfilePayload{Account: "ember", Name: "Ember", Checklist: []string{}})
	counts, err := w.store.Batches(w.ctx)
	w.must(err)
	list, err := w.store.Batch(w.ctx, app.KindProfile, 9)
	w.must(err)
	if _, err := w.store.ApproveBatch(w.ctx, app.KindProfile, []app.Choice{v.Choice()}, ada, j0); !isKind(err, app.Invalid) || len(counts)+len(list) > 0 || w.now(v).State != app.ValidationPending {
		t.Errorf("together: %v, %d, %v", counts, len(list), err)
	}
}

// TestTheLastDecisionIsUndoneFirst, also of those that were taken in one batch.
func TestTheLastDecisionIsUndoneFirst(t *testing.T) {
	t.Parallel()
	w, v := batches(t)
	_, err := w.store.ApproveBatch(w.ctx, app.KindPost, []app.Choice{v["cm.a"].Choice(), v["cm.b"].Choice(), v["cm.c"].Choice()}, ada, j0)
	w.must(err)
	var keys []string
	all, err := w.store.Undoable(w.ctx, j0)
	w.must(err)
	for _, each := range all {
		keys = append(keys, each.StepKey)
	}
	if got := strings.Join(keys, " "); got != "cm.c cm.b cm.a" {
		t.Errorf("in the order %s", got)
	}
}

// TestARaisedCapIsWarnedOfAnew, once.
func TestARaisedCapIsWarnedOfAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2*app.Dollar)
	for i, budget := range []app.Nano{2 * app.Dollar, 3 * app.Dollar, 4 * app.Dollar} {
		for range 2 {
			for _, subject := range []string{"operation", "agent:cm"} {
				w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "budget_warning", subject, "80 % is spent", j0))
			}
		}
		if got := w.alerts("budget_warning"); len(got) != 2*(i+1) {
			t.Errorf("under a cap of %s there are %q", budget, got)
		}
		w.must(w.store.RaiseCap(w.ctx, w.op.Slug, budget, budget+app.Dollar, "more to do", ada, j0))
	}
	if got := strings.Join(w.alerts("budget_warning"), ", "); !strings.Contains(got, "agent:cm of $2.00") || !strings.Contains(got, "operation of $4.00") {
		t.Errorf("the alerts are of %s", got)
	}
}
