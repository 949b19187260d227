package postgres_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"vivra/app"
)

// broken is a thread of four whose third post the platform refused.
func broken(t testing.TB) (*world, app.Validation) {
	t.Helper()
	w, v := begun(t)
	w.fail(v, 2, t0)
	return w, v
}

func (w *world) fail(v app.Validation, position int, now time.Time) {
	w.t.Helper()
	e, ok := w.attempt(w.effects(v)[position], now)
	if !ok {
		w.t.Fatalf("post %d is not attempted", position)
	}
	w.must(w.store.EffectFailed(w.ctx, e, errors.New("403"), now))
}

func (w *world) retry(v app.Validation, position int, now time.Time) error {
	w.t.Helper()
	return w.store.RetryEffect(w.ctx, w.effects(v)[position].ID, "the label is on now", ada, now)
}

func TestRetryGoesOnInMidThread(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	if jobs, err := w.store.WakeEffects(w.ctx, t0, wall, wall.Add(lease)); err != nil || len(jobs) != 0 {
		t.Errorf("something goes on by itself: %v, %v", jobs, err)
	}
	won := 0
	for _, err := range together(8, func(int) error { return w.retry(v, 2, t0.Add(time.Hour)) }) {
		if err == nil {
			won++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	if won != 1 || w.states(v) != "done done intent intent" || w.step("cm.post").State != app.StepWaiting || w.step("cm.post").Error != "" {
		t.Fatalf("%d retries won: %s, the step is %s", won, w.states(v), w.step("cm.post").State)
	}
	audit, err := w.store.Audit(w.ctx, 10)
	w.must(err)
	if w.count(`admin_audit WHERE action = 'effect.retry'`) != 1 || audit[0].User != "ada" || !strings.Contains(string(audit[0].Before)+string(audit[0].After), "the label is on now") {
		t.Errorf("the audit says %+v", audit[0])
	}
	for i := 2; i < 4; i++ {
		e, ok := w.attempt(w.effects(v)[i], t0.Add(time.Hour))
		if !ok {
			t.Fatalf("post %d is not attempted", i)
		}
		w.must(w.store.EffectDone(w.ctx, e, sent("9"), t0.Add(time.Hour)))
	}
	if s := w.step("cm.post"); s.State != app.StepDone || string(s.Output) != `{"draft": true}` {
		t.Errorf("the step is %s with %s", s.State, s.Output)
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

func TestAFailureAfterARetryIsToldAgain(t *testing.T) {
	t.Parallel()
	w, v := broken(t)
	w.must(w.retry(v, 2, t0))
	w.fail(v, 2, t0)
	if got := w.alerts("publication_failed"); len(got) != 2 || w.step("cm.post").State != app.StepFailed {
		t.Errorf("alerts %v", got)
	}
}

func TestRetriesThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before func(*world, app.Validation)
		at     time.Time
		says   string
	}{
		"the approval has expired": {func(*world, app.Validation) {}, j0.Add(expires), "expired"},
		"the step was skipped": {func(w *world, _ app.Validation) {
			w.must(w.store.SkipStep(w.ctx, w.step("cm.post").ID, "enough", ada, t0))
		}, t0, ""},
		"the step has moved on": {func(w *world, _ app.Validation) {
			w.exec(`UPDATE operation_steps SET state = 'running', lease_until = $1`, wall)
		}, t0, "running"},
		"the operation was stopped": {func(w *world, _ app.Validation) { w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, t0)) }, t0, "stopped"},
		"the step failed of something else": {func(w *world, _ app.Validation) {
			w.exec(`UPDATE effects SET state = 'void' WHERE state = 'failed'`)
		}, t0, "void"},
		"it is under way": {func(w *world, v app.Validation) {
			w.must(w.retry(v, 2, t0))
			w.attempt(w.effects(v)[2], t0)
		}, t0, "attempting"},
		"its approval was withdrawn": {func(w *world, _ app.Validation) { w.past(`UPDATE validations SET state = 'void'`) }, t0, "void"},
		"one before it is not out":   {func(w *world, _ app.Validation) { w.exec(`UPDATE effects SET state = 'failed' WHERE position = 1`) }, t0, "before it"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := broken(t)
			tt.before(w, v)
			rows := w.count("admin_audit")
			before := w.states(v)
			if err := w.retry(v, 2, tt.at); !isKind(err, app.Conflict) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("it was tried again: %v", err)
			}
			if w.states(v) != before || w.count("admin_audit") != rows {
				t.Errorf("something was changed all the same: %s", w.states(v))
			}
		})
	}
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	w.fail(v, 0, t0)
	w.must(w.store.RetryStep(w.ctx, w.step("cm.post").ID, "anew", ada, t0))
	if err := w.retry(v, 0, t0); !isKind(err, app.Conflict) || w.states(v) != "void" {
		t.Errorf("while its step is written anew: %v", err)
	}

	w, v = broken(t)
	if err := w.store.RetryEffect(w.ctx, w.effects(v)[2].ID, "", ada, t0); !isKind(err, app.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	if err := w.store.RetryEffect(w.ctx, 12345, "why", ada, t0); !isKind(err, app.NotFound) {
		t.Errorf("of nothing: %v", err)
	}
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, t0))
	w.must(w.retry(v, 2, t0)) // it waits until the operation goes on
	if _, ok := w.attempt(w.effects(v)[2], t0); ok {
		t.Error("a paused operation attempts it")
	}
}

// A retry of what has changed since waits for a decision again, or ends when a
// part is out.
func TestARetryOfWhatChangedIsNotSent(t *testing.T) {
	t.Parallel()
	w, v := ready(t, app.KindPost, withPicture())
	w.approve(v, j0)
	w.fail(v, 0, t0)
	w.exec(`UPDATE operations SET site_host = 'ash.example'`)
	w.must(w.retry(v, 0, t0))
	w.unsent(v, "payload_changed", "not what was approved")
	w.replacing(v)

	w, v = broken(t)
	w.exec(`UPDATE operations SET site_host = 'ash.example'`)
	w.must(w.retry(v, 2, t0))
	if _, ok := w.attempt(w.effects(v)[2], t0); ok || w.states(v) != "done done void void" || w.step("cm.post").State != app.StepFailed {
		t.Errorf("in mid-thread: %s, the step is %s", w.states(v), w.step("cm.post").State)
	}
}

// TestNothingThatIsOutIsWrittenAnew: whatever became of the rest, a step of which
// a part is out is not run again, and its person is told what can be done.
func TestNothingThatIsOutIsWrittenAnew(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rest func(*world, app.Validation)
		says string
	}{
		"the rest waits":  {func(*world, app.Validation) {}, "The rest is still to come; finish with what is out, or skip"},
		"the rest failed": {func(w *world, v app.Validation) { w.fail(v, 2, t0) }, "Go on with the rest, finish with what is out, or skip"},
		"the rest was withdrawn": {func(w *world, v app.Validation) {
			e, _ := w.attempt(w.effects(v)[2], t0)
			w.must(w.store.EffectChanged(w.ctx, e, []string{"A picture."}, t0))
		}, "Go on with the rest, finish with what is out, or skip"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, v := begun(t)
			tt.rest(w, v)
			was := w.step("cm.post").State
			w.conflict(w.store.RetryStep(w.ctx, w.step("cm.post").ID, "again", ada, t0), tt.says)
			if got := w.step("cm.post").State; got != was {
				t.Errorf("the step is %s, it was %s", got, was)
			}
			w.must(w.store.SkipStep(w.ctx, w.step("cm.post").ID, "as it is", ada, t0))
		})
	}
}
