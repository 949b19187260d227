package runner_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

var gpt5, _ = app.DefaultPrices().At("gpt-5", testop.J0)

// wholeCap lets the scanner alone spend all that an operation may.
var wholeCap = map[string]string{"budget.share_percent.scanner": "100"}

// firstRequest is the size of the first request of a run, which is the same in every stage.
func firstRequest(t *testing.T) int64 {
	t.Helper()
	st := newStage(t, setting{})
	st.script(finish(reading()))
	if _, err := st.play(metrics); err != nil {
		t.Fatal(err)
	}
	return int64(len(st.lastRequest().Raw))
}

// TestBudgetIsAWall: when not even a minimal answer fits, nothing is sent, the
// step has failed for good, and the team hears of it once.
func TestBudgetIsAWall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setting
		input  app.Nano // another price
		wall   string
		alerts int // that are about more than one run
	}{
		"operation": {setting: setting{budget: app.Dollar / 100, set: wholeCap}, wall: "operation", alerts: 1},
		"agent":     {setting: setting{budget: app.Dollar / 20, set: map[string]string{"budget.share_percent.scanner": "10"}}, wall: "agent", alerts: 1},
		"run":       {setting: setting{budget: 1000 * app.Dollar}, input: 400 * app.Dollar, wall: "run"},
		"a hair":    {setting: setting{budget: 1, set: wholeCap}, wall: "operation", alerts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.steps = []app.Step{testop.Step("scanner", metrics, metrics, false), testop.Step("scanner", metrics+".d02", metrics, false)}
			st := newStage(t, c.setting)
			if c.input > 0 {
				st.price("gpt-5", app.Price{Input: c.input})
			}
			for _, key := range []string{metrics, metrics + ".d02"} {
				s := st.step(key)
				if s.State == app.StepPending {
					_, s = st.start(key)
				}
				claim := app.Claim{OperationID: st.op.ID, StepID: s.ID, Fence: s.Fence}
				err := st.runner.Run(t.Context(), claim, st.op, s)
				if s = st.step(key); err == nil || s.State != app.StepFailed || !strings.Contains(s.Error, "budget_exceeded") || !strings.Contains(s.Error, c.wall) {
					t.Errorf("%s is %s: %v: %s", key, s.State, err, s.Error)
				}
			}
			if st.sim.Count() != 0 || len(st.called()) != 0 {
				t.Errorf("%d requests, log %q", st.sim.Count(), st.called())
			}
			exceeded, failed := len(testop.Alerts(t, st.store, "budget_exceeded")), len(testop.Alerts(t, st.store, "step_failed"))
			if exceeded != c.alerts || failed != 2*(1-c.alerts) {
				t.Errorf("%d alerts of the budget, %d of failed steps", exceeded, failed)
			}
			if testop.Balanced(t, st.store, st.op) != 0 {
				t.Error("something was spent")
			}
		})
	}
}

// price imports what a model costs.
func (st *stage) price(model string, p app.Price) {
	st.t.Helper()
	row := app.PriceRow{Model: model, Kind: app.PriceTokens, Price: p, EffectiveAt: testop.J0}
	if _, err := st.store.ImportPrices(st.t.Context(), []app.PriceRow{row}, "ada", testop.J0); err != nil {
		st.t.Fatal(err)
	}
}

// TestOutputLimitIsLowered to what is left of the budget, down to the least
// that can hold an answer.
func TestOutputLimitIsLowered(t *testing.T) {
	t.Parallel()
	size := firstRequest(t)
	for name, c := range map[string]struct {
		room, want int64 // output tokens
		err        bool
	}{
		"plenty": {200_000, 16_000, false}, "some": {1000, 1000, false}, "the least": {300, 300, false}, "too little": {200, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{budget: gpt5.Bound(size, c.room), set: wholeCap})
			st.script(finish(reading()))
			step, err := st.play(metrics)
			if c.err {
				if err == nil || st.sim.Count() != 0 {
					t.Errorf("%s after %d requests: %v", step.State, st.sim.Count(), err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			// The limit is the only number of the request that may differ in length.
			if got := st.lastRequest().MaxTokens; got > c.want || got < c.want-20 {
				t.Errorf("the output limit is %d, want about %d", got, c.want)
			}
			op, err := st.store.Operation(t.Context(), st.op.ID)
			if err != nil || op.Spent > op.Cap {
				t.Errorf("spent %s of %s: %v", op.Spent, op.Cap, err)
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// TestBudgetStopsInMidRun: what was spent before stays, and a later turn that
// does not fit is not sent.
func TestBudgetStopsInMidRun(t *testing.T) {
	t.Parallel()
	size := firstRequest(t)
	st := newStage(t, setting{budget: gpt5.Bound(size, 2000), set: wholeCap})
	dear := look()
	dear.Usage = fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":1500,"total_tokens":%d}`, size/2, size/2+1500)
	st.script(dear, finish(reading()))
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepFailed || !strings.Contains(step.Error, "budget_exceeded") || st.sim.Count() != 1 {
		t.Fatalf("%s after %d requests: %v", step.State, st.sim.Count(), err)
	}
	want := gpt5.Bound(size/2, 1500)
	if got := testop.Balanced(t, st.store, st.op); got != want {
		t.Errorf("spent %s, want %s", got, want)
	}
}

// TestBudgetWarning: one alert at 80 %, once per operation.
func TestBudgetWarning(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{budget: app.Dollar, set: wholeCap})
	costs := func(a modelsim.Answer, dollars string) modelsim.Answer {
		a.Header = http.Header{"X-Litellm-Response-Cost": {dollars}}
		return a
	}
	st.script(costs(look(), "0.1"), costs(look(), "0.1"), costs(finish(reading()), "0.05"))
	if err := st.store.SetSetting(t.Context(), "budget.warning_percent", []byte("20"), "ada", testop.J0); err != nil {
		t.Fatal(err)
	}
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	var alerts []app.Alert
	for _, a := range testop.Alerts(t, st.store, "budget_warning") {
		if a.Subject == "operation" {
			alerts = append(alerts, a)
		}
	}
	if len(alerts) != 1 || !strings.Contains(alerts[0].Message, "20 %") {
		t.Errorf("alerts: %v", alerts)
	}
	if got := testop.Balanced(t, st.store, st.op); got != app.Dollar/4 {
		t.Errorf("spent %s, want what the gateway said", got)
	}
}

// TestOverchargeIsCounted: what a gateway charges beyond the most it should
// have is spent all the same, and the team hears of it.
func TestOverchargeIsCounted(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{budget: app.Dollar, set: wholeCap})
	dear := look()
	dear.Header = http.Header{"X-Litellm-Response-Cost": {"1.25"}}
	st.script(dear, finish(reading()))
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepFailed || !strings.Contains(step.Error, "budget_exceeded") {
		t.Errorf("%s: %v", step.State, err)
	}
	if got := testop.Balanced(t, st.store, st.op); got != 1_250_000_000 || len(testop.Alerts(t, st.store, "overrun")) != 1 {
		t.Errorf("spent %s", got)
	}
}
