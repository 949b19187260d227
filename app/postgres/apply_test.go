package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// TestWhatHappensMeanwhile: a pause, a stop, a retry or another program between
// a decision and what follows from it.
func TestWhatHappensMeanwhile(t *testing.T) {
	t.Parallel()
	later := j0.Add(undo)
	decide := func(t *testing.T) (*world, app.Validation) {
		w, v := posts(t, 1, app.Dollar)
		_, err := w.store.ApproveValidation(w.ctx, v[0].Choice(), bob, nil, j0)
		w.must(err)
		return w, v[0]
	}
	void := func(w *world, v app.Validation, why string) {
		w.t.Helper()
		w.must(w.store.ApplyDecisions(w.ctx, later))
		got := w.now(v)
		if got.State != app.ValidationVoid || got.AppliedAt != nil || !strings.Contains(got.VoidReason, why) || w.count("effects") != 0 {
			w.t.Errorf("it is %s because %q, applied at %v, %d effects", got.State, got.VoidReason, got.AppliedAt, w.count("effects"))
		}
		_, err := w.store.WithdrawDecision(w.ctx, w.now(v).Choice(), bob, j0)
		w.conflict(err, why)
	}
	t.Run("paused", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
		w.must(w.store.ApplyDecisions(w.ctx, later))
		e := w.effects(v)
		if len(e) != 1 {
			t.Fatalf("%d effects", len(e))
		}
		if _, ok := w.attempt(e[0], later); ok {
			t.Error("it is published while paused")
		}
		w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, later))
		if _, ok := w.attempt(e[0], later); !ok {
			t.Error("it is not published after that")
		}
	})
	t.Run("approved while paused", func(t *testing.T) {
		t.Parallel()
		w, v := posts(t, 1, app.Dollar)
		w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
		w.approve(v[0], j0)
		if len(w.effects(v[0])) != 1 || w.now(v[0]).AppliedAt == nil {
			t.Error("it was not applied")
		}
	})
	t.Run("stopped", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, j0))
		void(w, v, "the operation was stopped")
	})
	t.Run("taken over by a step that ends all", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, app.Dollar, step("handover", "system", validates), step("cm.post_0", "cm", validates))
		v := w.waiting("cm.post_0", app.KindPost, post("late"))
		end := w.waiting("handover", app.KindHandover, app.HandoverPayload{Items: []string{"a"}})
		_, err := w.store.ApproveValidation(w.ctx, end.Choice(), ada, nil, j0)
		w.must(err)
		_, err = w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0.Add(time.Second))
		w.must(err)
		w.must(w.store.ApplyDecisions(w.ctx, later))
		void(w, v, "the operation was completed")
	})
	t.Run("started anew", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.must(w.store.RetryStep(w.ctx, v.StepID, "the wrong tone", ada, j0))
		void(w, v, "the wrong tone")
	})
	t.Run("skipped", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.must(w.store.SkipStep(w.ctx, v.StepID, "not today", ada, j0))
		void(w, v, "not today")
	})
	t.Run("its step moved on", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.exec(`UPDATE operation_steps SET state = 'done' WHERE id = $1`, v.StepID)
		void(w, v, "its step was done")
	})
	t.Run("another process", func(t *testing.T) {
		t.Parallel()
		w, v := decide(t)
		w.store.Close()
		w.store = openStore(t, w.db.Config().ConnString())
		w.must(w.store.ApplyDecisions(w.ctx, later))
		if len(w.effects(v)) != 1 || w.now(v).AppliedAt == nil {
			t.Error("it was not applied")
		}
	})
}

// TestHandoverIsNotCompletedWhilePaused: it was approved before the pause.
func TestHandoverIsNotCompletedWhilePaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("handover", "system", validates))
	v := w.waiting("handover", app.KindHandover, app.HandoverPayload{Items: []string{"a"}})
	_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
	w.must(err)
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
	w.apply(j0)
	if busy, err := w.store.Busy(w.ctx, j0.Add(undo)); err != nil || busy || w.state() != app.OperationPaused || w.now(v).AppliedAt != nil {
		t.Errorf("it is %s, busy %t, %v", w.state(), busy, err)
	}
	w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, j0))
	if busy, err := w.store.Busy(w.ctx, j0.Add(undo)); err != nil || !busy {
		t.Errorf("nothing is to be done after that: %v", err)
	}
	w.apply(j0)
	if w.state() != app.OperationCompleted {
		t.Errorf("it is %s", w.state())
	}
}

// TestOneDecisionThatFailsHoldsUpNoOther: and it is applied once it can be.
func TestOneDecisionThatFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("scanner.go_nogo", "scanner", validates), step("cm.post_0", "cm", validates))
	broken := w.goNoGoOutput("go")
	v := w.waiting("cm.post_0", app.KindPost, post("gm"))
	for _, each := range []app.Validation{broken, v} {
		_, err := w.store.ApproveValidation(w.ctx, each.Choice(), ada, nil, j0)
		w.must(err)
	}
	w.exec(`UPDATE operation_steps SET output = '[]' WHERE id = $1`, broken.StepID)
	if err := w.store.ApplyDecisions(w.ctx, j0.Add(undo)); err == nil || !strings.Contains(err.Error(), broken.ID) {
		t.Errorf("nobody hears of it: %v", err)
	}
	if w.now(broken).AppliedAt != nil || len(w.summaries("scanner.go_nogo")) != 3 || len(w.effects(v)) != 1 {
		t.Errorf("the broken one is applied at %v, its log says %q, the other has %d effects", w.now(broken).AppliedAt, w.summaries("scanner.go_nogo"), len(w.effects(v)))
	}
	w.exec(`UPDATE operation_steps SET output = '{"decision": "go"}' WHERE id = $1`, broken.StepID)
	w.apply(j0)
	if s := w.step("scanner.go_nogo"); s.State != app.StepDone || len(w.effects(v)) != 1 {
		t.Errorf("repaired the step is %s", s.State)
	}
}

// TestCrashBesideWhatFollows: a process that dies before or after the commit
// leaves what the next one can go on from.
func TestCrashBesideWhatFollows(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"applying", "applied"} {
		w, v := posts(t, 2, app.Dollar)
		for _, each := range v {
			_, err := w.store.ApproveValidation(w.ctx, each.Choice(), ada, nil, j0)
			w.must(err)
		}
		died := errors.New("killed")
		w.store.Reached = func(at string) {
			if at == point {
				panic(died)
			}
		}
		func() {
			defer func() {
				if p := recover(); p != died {
					t.Errorf("%s is not reached: %v", point, p)
				}
			}()
			_ = w.store.ApplyDecisions(w.ctx, j0.Add(undo)) // it never returns
		}()
		if want := map[string]int{"applying": 0, "applied": 1}[point]; w.count("effects") != want || w.count("validations WHERE applied_at IS NOT NULL") != want {
			t.Errorf("at %s %d are applied with %d effects", point, w.count("validations WHERE applied_at IS NOT NULL"), w.count("effects"))
		}
		w.store.Reached = nil
		w.apply(j0)
		if w.count("effects") != 2 || w.count("events WHERE line LIKE '%Approved by%'") != 2 {
			t.Errorf("after %s there are %d effects", point, w.count("effects"))
		}
	}
}

// TestWhatWasListedIsLookedAtAgain: an operation changes between the look at
// what is due and the turn of its decision.
func TestWhatWasListedIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"decided anew": `UPDATE validations SET applies_at = applies_at + interval '1 second' WHERE operation_id = $1`,
		"paused":       `UPDATE operations SET state = 'paused' WHERE id = $1`,
		"taken back":   `UPDATE validations SET state = 'pending', decided_at = NULL, applies_at = NULL WHERE operation_id = $1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, app.Dollar, step("handover", "system", validates))
			v := w.waiting("handover", app.KindHandover, app.HandoverPayload{Items: []string{"a"}})
			_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, j0)
			w.must(err)
			tx, err := w.db.Begin(w.ctx)
			w.must(err)
			defer tx.Rollback(w.ctx)
			_, err = tx.Exec(w.ctx, `SELECT FROM operations WHERE id = $1 FOR UPDATE`, w.op.ID)
			w.must(err)
			done := make(chan error, 1)
			go func() { done <- w.store.ApplyDecisions(w.ctx, j0.Add(undo)) }()
			for w.count("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 0 {
				time.Sleep(time.Millisecond)
			}
			_, err = tx.Exec(w.ctx, change, w.op.ID)
			w.must(err)
			w.must(tx.Commit(w.ctx))
			w.must(<-done)
			if got := w.now(v); got.AppliedAt != nil || w.state() == app.OperationCompleted {
				t.Errorf("it is applied at %v, the operation is %s", got.AppliedAt, w.state())
			}
		})
	}
}
