package runner_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"vivra/app"
)

// TestUnfitModelIsNotAsked: what is known to lack tools costs nothing more.
func TestUnfitModelIsNotAsked(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.runner.Fit = func(_ context.Context, model string) error {
		return app.Errorf(app.Invalid, "The model %s can't call tools: set another one for this agent.", model)
	}
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepFailed || !strings.Contains(step.Error, "can't call tools") || st.sim.Count() != 0 {
		t.Errorf("%s: %v: %s; %d requests", step.State, err, step.Error, st.sim.Count())
	}
}

// TestFitnessThatIsNotKnown is no verdict on the model: the step is tried again.
func TestFitnessThatIsNotKnown(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.runner.Fit = func(context.Context, string) error { return errors.New("the database does not answer") }
	if step, err := st.play(metrics); err == nil || step.State != app.StepPending || st.sim.Count() != 0 {
		t.Errorf("%s: %v; %d requests", step.State, err, st.sim.Count())
	}
}

// fit refuses one model, by name, and notes which ones it was asked of.
func (st *stage) fit(model string) (asked *[]string, unfit *atomic.Value) {
	asked, unfit = new([]string), new(atomic.Value)
	unfit.Store(model)
	st.runner.Fit = func(_ context.Context, model string) error {
		*asked = append(*asked, model)
		if model == unfit.Load() {
			return app.Errorf(app.Invalid, "The model %s can't call tools.", model)
		}
		return nil
	}
	return asked, unfit
}

// TestModelsThatMayBeAskedAreJudged: the fallback too, and of a run that goes on
// its own model, whatever the setting says by then.
func TestModelsThatMayBeAskedAreJudged(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{set: withFallback("gpt-5", "gpt-5-mini")})
	st.fit("gpt-5-mini")
	if step, err := st.play(metrics); step.State != app.StepFailed || st.sim.Count() != 0 {
		t.Errorf("an unfit fallback: %s after %d requests: %v", step.State, st.sim.Count(), err)
	}

	st = newStage(t, setting{set: withFallback("gpt-5", "gpt-5-mini")})
	st.script(look(), finish(reading()))
	claim, step := st.start(metrics)
	st.die(claim, step, 3)
	st.takeOver(metrics)
	st.setting("llm.model.scanner", `"fable"`) // has no price
	asked, _ := st.fit("fable")
	if again, err := st.playOn(metrics); err != nil || again.State != app.StepDone || strings.Join(*asked, " ") != "gpt-5 gpt-5-mini" {
		t.Errorf("%s, having judged %v: %v", again.State, *asked, err)
	}
}
