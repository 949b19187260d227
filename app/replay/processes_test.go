package replay_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/replay"
	"vivra/app/runner"
)

// resumed runs the step, pauses its operation when that many calls are settled,
// and has it go on after something was done.
func (st *stage) resumed(key string, calls int, meanwhile func()) app.Step {
	st.t.Helper()
	claim, step := testop.Start(st.t, st.store, st.op, key, st.clock.Now(), st.wall.Now().Add(lease))
	first := *st.runner
	settled := 0
	first.Reached = func(point string) {
		if point != "settled" {
			return
		}
		if settled++; settled == calls {
			st.must(st.store.PauseOperation(st.t.Context(), st.op.Slug, testop.Person, st.clock.Now()))
		}
	}
	_ = first.Run(st.t.Context(), claim, st.op, step)
	st.clock.Advance(time.Minute)
	meanwhile()
	st.clock.Advance(time.Minute)
	st.must(st.store.ResumeOperation(st.t.Context(), st.op.Slug, testop.Person, st.clock.Now()))
	return st.goOn(key)
}

// goOn has another process take the step up.
func (st *stage) goOn(key string) app.Step {
	st.t.Helper()
	st.wall.Advance(2 * lease)
	st.must(st.store.TakeOverExpired(st.t.Context(), st.clock.Now(), st.wall.Now(), st.wall.Now().Add(lease)))
	step := testop.ByKey(st.t, st.store, st.op, key)
	_ = st.runner.Run(st.t.Context(), app.Claim{OperationID: st.op.ID, StepID: step.ID, Fence: step.Fence}, st.op, step)
	return testop.ByKey(st.t, st.store, st.op, key)
}

func is(what string) func(replay.Difference) bool {
	return func(d replay.Difference) bool { return d.What == what }
}

// older are books as programs before kept them.
type older struct {
	*postgres.Store
	// unkept answers are booked, and the process is told that it has lost the run.
	unkept int
	// failures: calls that were cancelled count as the model's failures.
	failures bool
	// anew: nobody knows which model was asked.
	anew bool
}

func (o *older) SettleCall(ctx context.Context, c app.Claim, runID string, turn int, callID int64, out app.CallOutcome, items []json.RawMessage, line app.EventLine, now time.Time) error {
	out.Lost = out.Lost && !o.failures
	if o.unkept == 0 {
		return o.Store.SettleCall(ctx, c, runID, turn, callID, out, items, line, now)
	}
	o.unkept--
	if err := o.Store.SettleCall(ctx, c, runID, turn, callID, out, nil, line, now); err != nil {
		return err
	}
	return postgres.ErrLost
}

func (o *older) OpenRun(ctx context.Context, c app.Claim, fresh app.Run, now time.Time) (app.Run, []app.RunItem, error) {
	run, items, err := o.Store.OpenRun(ctx, c, fresh, now)
	if o.anew {
		run.Asked = app.StoredCall{}
	}
	return run, items, err
}

var _ runner.Books = &older{}

// TestUnkeptAnswersReplay: an answer that came when its process had lost the run
// was paid for, and the turn was asked once more.
func TestUnkeptAnswersReplay(t *testing.T) {
	t.Parallel()
	for name, answers := range map[string][]modelsim.Answer{
		"asked again, as before": {{Text: "Hm, hm."}, finish(reading())},
		"asked again, otherwise": {{Text: "Hm, hm."}, look(), finish(reading())},
		"a fault":                {{Fault: &modelsim.Fault{Status: 400, Body: `{"error":{"message":"no"}}`}}, finish(reading())},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.runner.Store = &older{Store: st.store, unkept: 1}
			asked := 0
			st.sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
				asked++
				return answers[min(asked, len(answers))-1], true
			})
			st.play(metrics)
			if r := st.identical()[0]; r.State != "running" || len(r.Calls) != 1 {
				t.Errorf("before it goes on it says\n%s", text(r))
			}
			st.goOn(metrics)
			r := st.identical()[0]
			if r.State != "succeeded" || r.Unkept != 1 || len(r.Calls) < 2 || !strings.Contains(strings.Join(r.Notes, "\n"), "paid for and not kept") {
				t.Errorf("it says\n%s", text(r))
			}
			st.exports(r)
		})
	}
}

// TestClaimLostMeanwhileReplays: the lease ran out while the model thought.
func TestClaimLostMeanwhileReplays(t *testing.T) {
	t.Parallel()
	st := newStage(t, 20*app.Dollar, scan())
	st.script(modelsim.Answer{Text: "Hm, hm."}, finish(reading()))
	claim, step := testop.Start(t, st.store, st.op, metrics, st.clock.Now(), st.wall.Now().Add(lease))
	first := *st.runner
	first.Reached = func(point string) {
		if point == "answered" {
			late := st.wall.Now().Add(2 * lease)
			st.must(st.store.TakeOverExpired(t.Context(), st.clock.Now(), late, late.Add(lease)))
		}
	}
	_ = first.Run(t.Context(), claim, st.op, step)
	st.goOn(metrics)
	if r := st.identical()[0]; r.State != "succeeded" {
		t.Errorf("it says\n%s", text(r))
	}
}

// TestCancelledCallsReplay: the process stopped while the model thought, and
// another one went on.
func TestCancelledCallsReplay(t *testing.T) {
	t.Parallel()
	for name, failures := range map[string]bool{"lost": false, "failed, as it was before": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.script(look(), finish(reading()))
			now := st.runner
			before := *now
			before.Store, st.runner = &older{Store: st.store, failures: failures}, &before
			st.interrupt(func(_ *stage, cancel context.CancelFunc) { cancel() })
			st.runner = now
			late := time.Now().Add(2 * lease) // interrupted runs go by the real wall clock
			st.wall.Advance(late.Sub(st.wall.Now()))
			st.goOn(metrics)
			r := st.identical()[0]
			if r.State != "succeeded" || len(r.Calls) != 3 || r.Calls[1].Lost == failures || r.Calls[1].State != "unknown" {
				t.Errorf("it says\n%s", text(r))
			}
		})
	}
}

// TestPausedBeforeTheFallbackReplays: whichever model is asked first when the
// run goes on.
func TestPausedBeforeTheFallbackReplays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		anew    bool
		retries string // before the pause
		calls   []string
	}{
		"the fallback is next":         {false, "0", []string{"gpt-5", "gpt-5-nano"}},
		"the first one is asked again": {true, "0", []string{"gpt-5", "gpt-5", "gpt-5-nano"}},
		"fewer retries meanwhile":      {false, "3", []string{"gpt-5", "gpt-5-nano"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.setting("llm.fallback.scanner", `"gpt-5-nano"`)
			st.setting("run.retries", c.retries)
			st.runner.Store = &older{Store: st.store, anew: c.anew}
			st.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
				if req.Model == "gpt-5" {
					return modelsim.Answer{Fault: &modelsim.Fault{Status: 503}}, true
				}
				return finish(reading()), true
			})
			st.resumed(metrics, 1, func() { st.setting("run.retries", "0") })
			r := st.identical()[0]
			var models []string
			for _, call := range r.Calls {
				models = append(models, call.Model)
			}
			if r.State != "succeeded" || !slices.Equal(models, c.calls) {
				t.Errorf("it asks %v and says\n%s", models, text(r))
			}
			st.exports(r)
			st.exec(`UPDATE llm_calls SET model = 'gpt-5' WHERE id = (SELECT max(id) FROM llm_calls)`)
			if r := st.replay(r.Run); r.Identical {
				t.Errorf("another model is not found:\n%s", text(r))
			}
		})
	}
}

// TestPricesBeforePicturesReplay: prices changed while the run was paused, and
// pictures are the first thing it paid for after that.
func TestPricesBeforePicturesReplay(t *testing.T) {
	t.Parallel()
	st := newStage(t, 50*app.Dollar, testop.Step("designer", boards, boards, false))
	st.script(modelsim.Do("image_generate", map[string]any{"prompt": "A bird", "count": 1, "size": "1024x1024"}))
	st.resumed(boards, 1, func() {
		row := app.PriceRow{Kind: app.PriceTokens, Price: app.Price{Input: 2 * app.Dollar, Cached: app.Dollar, Output: 20 * app.Dollar}, EffectiveAt: st.clock.Now(), Source: "a file"}
		for _, model := range []string{"gpt-5", "gpt-5-mini"} {
			row.Model = model
			_, err := st.store.ImportPrices(t.Context(), []app.PriceRow{row}, "ada", st.clock.Now())
			st.must(err)
		}
	})
	if r := st.identical()[0]; len(r.Calls) < 3 || r.Calls[1].RequestSHA256 != "" {
		t.Errorf("it says\n%s", text(r))
	}
}
