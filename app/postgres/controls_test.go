package postgres_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

func TestTheCapGoesUpOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10*app.Dollar, step("a", "cm"))
	c := w.start("a")
	w.run(c, app.Dollar)
	share := func() app.Nano {
		s, err := w.store.Spending(w.ctx, w.op.ID)
		w.must(err)
		return s.Agents[0].Share
	}
	if share() != 4*app.Dollar {
		t.Fatalf("the share is %s", share())
	}
	won := 0
	for _, err := range together(8, func(int) error {
		return w.store.RaiseCap(w.ctx, w.op.Slug, 10*app.Dollar, 15*app.Dollar+1, "the poll cost more", ada, j0)
	}) {
		if err == nil {
			won++
		} else if !isKind(err, app.Conflict) {
			t.Error(err)
		}
	}
	op, err := w.store.Operation(w.ctx, w.op.ID)
	w.must(err)
	if won != 1 || op.Cap != 15*app.Dollar+1 || share() != 6*app.Dollar {
		t.Errorf("%d won, cap %s, share %s", won, op.Cap, share())
	}
	for name, err := range map[string]error{
		"lower":    w.store.RaiseCap(w.ctx, w.op.Slug, op.Cap, op.Cap-1, "x", ada, j0),
		"the same": w.store.RaiseCap(w.ctx, w.op.Slug, op.Cap, op.Cap, "x", ada, j0),
		"no why":   w.store.RaiseCap(w.ctx, w.op.Slug, op.Cap, op.Cap+1, "", ada, j0),
	} {
		if !isKind(err, app.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if lines := w.summaries(""); lines[len(lines)-1] != "Cap raised from $10.00 to $15.000000001 by the team: the poll cost more" {
		t.Errorf("the log says %v", lines)
	}
	var before, after string
	w.scan([]any{&before, &after}, `SELECT before, after FROM admin_audit WHERE action = 'operation.raise_cap'`)
	if before != `{"cap_nusd": 10000000000}` || !strings.Contains(after, `"cap_nusd": 15000000001`) || !strings.Contains(after, "the poll cost more") {
		t.Errorf("audited: %s, %s", before, after)
	}
	w.must(w.store.StopOperation(w.ctx, w.op.Slug, "over", ada, j0))
	if err := w.store.RaiseCap(w.ctx, w.op.Slug, op.Cap, 2*op.Cap, "x", ada, j0); !isKind(err, app.Conflict) {
		t.Errorf("of a stopped one: %v", err)
	}
}

// TestCuttingIntoARun: the run ends, its worker's late writes are refused, and
// what it asked for is paid.
func TestCuttingIntoARun(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]struct {
		by   func(w *world, id int64) error
		then app.StepState
	}{
		"skip":  {func(w *world, id int64) error { return w.store.SkipStep(w.ctx, id, "not needed", ada, j0) }, app.StepSkipped},
		"retry": {func(w *world, id int64) error { return w.store.RetryStep(w.ctx, id, "it hangs", ada, j0) }, app.StepPending},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, app.Dollar, step("a", "cm", validates), step("b", "cm", dependsOn("a")))
			c := w.start("a")
			run := w.run(c, app.Dollar)
			id, err := w.store.Propose(w.ctx, c, postgres.Proposal{RunID: run.ID, CallID: "1", Kind: app.KindPost, Payload: app.PostPayload{Account: "ember", Text: "gm"}}, j0)
			w.must(err)
			w.must(cut.by(w, c.StepID))
			if s := w.step("a"); s.State != cut.then || s.LeaseUntil != nil {
				t.Errorf("the step is %s", s.State)
			}
			if v, err := w.store.Validation(w.ctx, id); err != nil || v.State != app.ValidationVoid {
				t.Errorf("its draft is %s, %v", v.State, err)
			}
			if _, err := w.store.Propose(w.ctx, c, postgres.Proposal{RunID: run.ID, CallID: "2", Kind: app.KindPost, Payload: app.PostPayload{Account: "ember", Text: "late"}}, j0); err != postgres.ErrLost {
				t.Errorf("a late draft: %v", err)
			}
			if err := w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: json.RawMessage(`{}`)}, j0); err != postgres.ErrLost {
				t.Errorf("a late end: %v", err)
			}
			if n := w.count("agent_runs WHERE state = 'running'"); n != 0 {
				t.Errorf("%d runs go on", n)
			}
			if cut.then == app.StepPending {
				if again := w.start("a"); again.Fence == c.Fence {
					t.Error("the new worker has the old one's claim")
				}
				return
			}
			if _, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0, wall); err != nil || w.step("b").State != app.StepSkipped {
				t.Errorf("what depends on it is %s, %v", w.step("b").State, err)
			}
		})
	}
}

// TestCuttingIntoWhatWaits is safe until a call of it is made.
func TestCuttingIntoWhatWaits(t *testing.T) {
	t.Parallel()
	retry := func(w *world, id int64) error { return w.store.RetryStep(w.ctx, id, "anew", ada, j0.Add(time.Minute)) }
	skip := func(w *world, id int64) error { return w.store.SkipStep(w.ctx, id, "no", ada, j0.Add(time.Minute)) }
	thread := app.ThreadPayload{Account: "ember", Posts: []app.PostPayload{{Account: "ember", Text: "one"}, {Account: "ember", Text: "two"}}}
	begin := func(t *testing.T) (*world, app.Validation) {
		w := newWorld(t, 10*app.Dollar, step("a", "cm", validates))
		return w, w.waiting("a", app.KindThread, thread)
	}
	nothingGoesOut := func(t *testing.T, w *world, v app.Validation) {
		t.Helper()
		for _, e := range w.effects(v) {
			if _, ok := w.attempt(e, j0.Add(time.Hour)); ok {
				t.Errorf("part %d goes out", e.Position)
			}
		}
	}
	for name, cut := range map[string]func(*world, int64) error{"retry": retry, "skip": skip} {
		t.Run(name+" before a decision", func(t *testing.T) {
			t.Parallel()
			w, v := begin(t)
			w.must(cut(w, v.StepID))
			if _, err := w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0); !isKind(err, app.Conflict) {
				t.Errorf("its draft is approved: %v", err)
			}
		})
		t.Run(name+" while it can be undone", func(t *testing.T) {
			t.Parallel()
			w, v := begin(t)
			_, err := w.store.ApproveValidation(w.ctx, v.Choice(), bob, nil, j0)
			w.must(err)
			w.must(cut(w, v.StepID))
			w.apply(j0)
			nothingGoesOut(t, w, v)
		})
		t.Run(name+" before the first call", func(t *testing.T) {
			t.Parallel()
			w, v := begin(t)
			w.approve(v, j0)
			w.must(cut(w, v.StepID))
			nothingGoesOut(t, w, v)
		})
		t.Run(name+" during a call", func(t *testing.T) {
			t.Parallel()
			w, v := begin(t)
			now := w.approve(v, j0)
			e, ok := w.attempt(w.effects(v)[0], now)
			if err := cut(w, v.StepID); !ok || !isKind(err, app.Conflict) {
				t.Errorf("%t, %v", ok, err)
			}
			w.must(w.store.EffectUnknown(w.ctx, e, "no answer", now, now))
			if err := cut(w, v.StepID); !isKind(err, app.Conflict) {
				t.Errorf("in doubt: %v", err)
			}
		})
		t.Run(name+" when a part is out", func(t *testing.T) {
			t.Parallel()
			w, v := begin(t)
			now := w.approve(v, j0)
			e, _ := w.attempt(w.effects(v)[0], now)
			w.must(w.store.EffectDone(w.ctx, e, postgres.Sent{ProviderID: "1", Summary: "Posted"}, now))
			err := cut(w, v.StepID)
			if name == "retry" && !isKind(err, app.Conflict) || name == "skip" && err != nil {
				t.Fatalf("%v", err)
			}
			if all := w.effects(v); name == "skip" && (all[0].State != app.EffectDone || all[1].State != app.EffectVoid) {
				t.Errorf("parts are %s and %s", all[0].State, all[1].State)
			}
		})
	}
}

// TestWhatATakeoverStandsOnIsNotSkipped: without it the takeover neither goes on
// nor ends, and stopping it is the honest way.
func TestWhatATakeoverStandsOnIsNotSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("scanner.go_nogo", "scanner", validates), step("handover", "system", dueAt(j0.Add(time.Hour))))
	for _, state := range []app.StepState{app.StepPending, app.StepRunning} {
		for _, key := range []string{"scanner.go_nogo", "handover"} {
			if err := w.store.SkipStep(w.ctx, w.step(key).ID, "x", ada, j0); !isKind(err, app.Conflict) {
				t.Errorf("%s, %s: %v", key, state, err)
			}
		}
		w.start("scanner.go_nogo")
	}
	w.must(w.store.RetryStep(w.ctx, w.step("scanner.go_nogo").ID, "it hangs", ada, j0))
}

// TestInDoubtIsWhatWasPutBeforeAPerson, over all operations.
func TestInDoubtIsWhatWasPutBeforeAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10*app.Dollar, step("a", "cm", validates))
	v := w.waiting("a", app.KindPost, app.PostPayload{Account: "ember", Text: "gm"})
	now := w.approve(v, j0)
	e, _ := w.attempt(w.effects(v)[0], now)
	doubts := func() int {
		all, err := w.store.EffectsInDoubt(w.ctx)
		w.must(err)
		return len(all)
	}
	w.must(w.store.EffectUnknown(w.ctx, e, "no answer", now, now))
	if n := doubts(); n != 0 {
		t.Errorf("%d while the program looks itself", n)
	}
	w.must(w.store.EffectUndecided(w.ctx, e, now.Add(24*time.Hour), now))
	if n := doubts(); n != 1 {
		t.Errorf("%d once a person has to look", n)
	}
	w.must(w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: false, Link: ""}, ada, now))
	e, _ = w.attempt(w.effects(v)[0], now)
	w.must(w.store.EffectUnknown(w.ctx, e, "no answer again", now, now))
	if n := doubts(); n != 0 || e.Attempt != 2 {
		t.Errorf("%d in doubt on attempt %d, which the program still looks into", n, e.Attempt)
	}
	w.must(w.store.EffectUndecided(w.ctx, e, now.Add(24*time.Hour), now))
	w.must(w.store.EffectUndecided(w.ctx, e, now.Add(48*time.Hour), now))
	if n, told := doubts(), w.alerts("effect_unknown"); n != 1 || len(told) != 2 {
		t.Errorf("%d in doubt, told of %v: each attempt is told once", n, told)
	}
	w.must(w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: true, Link: "https://x.com/ember/status/7"}, ada, now))
	if n := doubts(); n != 0 {
		t.Errorf("%d once it is settled", n)
	}
	if err := w.store.SettleEffect(w.ctx, app.Settlement{EffectID: e.ID, Fence: e.Fence, Sent: false, Link: ""}, bob, now); !isKind(err, app.Conflict) {
		t.Errorf("settled twice: %v", err)
	}
}
