package runner_test

import (
	"context"
	"errors"
	"strings"
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
