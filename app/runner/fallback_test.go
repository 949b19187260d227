package runner_test

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// withFallback sets a model and the one that takes its place.
func withFallback(model, fallback string) map[string]string {
	return map[string]string{"llm.model.scanner": `"` + model + `"`, "llm.fallback.scanner": `"` + fallback + `"`, "run.retries": "2"}
}

// down has the models of that name fail with a fault; the others answer the
// n-th turn with the n-th answer.
func (st *stage) down(model string, f modelsim.Fault, answers ...modelsim.Answer) {
	st.sim.Script(func(req modelsim.Request) (modelsim.Answer, bool) {
		turn := 0
		for _, m := range req.Messages {
			if m.Role == "assistant" {
				turn++
			}
		}
		a := answers[min(turn, len(answers)-1)]
		a.Calls = append([]modelsim.ToolCall(nil), a.Calls...)
		if req.Model == model {
			a = modelsim.Answer{Fault: &f}
		}
		return a, true
	})
}

// TestFallback: what the model can't do after its retries, the other one is
// asked, at its own price, and goes on to the end. What no model could do it is
// not asked.
func TestFallback(t *testing.T) {
	t.Parallel()
	const page = "<!DOCTYPE html><title>Sign in</title>"
	for name, c := range map[string]struct {
		fault modelsim.Fault
		tries int // of the first model
		done  bool
	}{
		"500":            {modelsim.Fault{Status: 500}, 3, true},
		"429":            {modelsim.Fault{Status: 429}, 3, true},
		"broken":         {modelsim.Fault{Close: true}, 3, true},
		"cut":            {modelsim.Fault{CutAfter: 90}, 3, true},
		"silence":        {modelsim.Fault{Hang: true}, 3, true},
		"asks for hours": {modelsim.Fault{Status: 429, RetryAfter: "7200"}, 1, true},
		"no such model":  {modelsim.Fault{Status: 404, Body: `{"error":{"message":"The model does not exist.","code":"model_not_found"}}`}, 1, true},
		"401":            {modelsim.Fault{Status: 401}, 1, false},
		"422":            {modelsim.Fault{Status: 422}, 1, false},
		"HTML":           {modelsim.Fault{Status: 200, Body: page, ContentType: "text/html"}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := setting{set: withFallback("gpt-5", "gpt-5-mini")}
			if c.fault.Hang {
				set.timeout = 150 * time.Millisecond
			}
			st := newStage(t, set)
			st.down("gpt-5", c.fault, look(), finish(reading()))
			step, err := st.playWaiting(metrics, 20*time.Second)
			if done := err == nil && step.State == app.StepDone; done != c.done {
				t.Fatalf("%s: %v", step.State, err)
			}
			st.assertFellBack(t, c.tries, c.done)
		})
	}
}

func (st *stage) assertFellBack(t *testing.T, tries int, done bool) {
	t.Helper()
	var models []string
	for _, call := range st.run(metrics).Calls {
		models = append(models, call.Model)
	}
	want := strings.Repeat("gpt-5 ", tries)
	if done {
		want += "gpt-5-mini gpt-5-mini "
	}
	if got := strings.Join(models, " ") + " "; got != want {
		t.Errorf("asked: %s, want %s", got, want)
	}
	mini, _ := app.DefaultPrices().At("gpt-5-mini", testop.J0)
	for _, call := range st.run(metrics).Calls[tries:] {
		if most := mini.Bound(200_000, 16_000); call.Reserved > most || call.State != "settled" {
			t.Errorf("a call of the fallback is %s and holds %s", call.State, call.Reserved)
		}
	}
	for _, e := range testop.Log(t, st.store, st.op) {
		if e.Kind == "model_call" && e.Model == "" {
			t.Error("a row of the log names no model")
		}
	}
	testop.Balanced(t, st.store, st.op)
}

// TestFallbackStaysWhenARunIsTakenUp: another process asks the model that
// answered last.
func TestFallbackStaysWhenARunIsTakenUp(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{set: withFallback("gpt-5", "gpt-5-mini")})
	st.down("gpt-5", modelsim.Fault{Status: 404}, look(), look(), finish(reading()))
	claim, step := st.start(metrics)
	st.die(claim, step, 6) // after the fallback's first answer
	st.takeOver(metrics)
	if again, err := st.playOn(metrics); err != nil || again.State != app.StepDone {
		t.Fatalf("%s: %v", again.State, err)
	}
	st.assertModels(t, "gpt-5 gpt-5-mini gpt-5-mini gpt-5-mini")
}

func (st *stage) assertModels(t *testing.T, want string) {
	t.Helper()
	var models []string
	for _, call := range st.run(metrics).Calls {
		models = append(models, call.Model)
	}
	if got := strings.Join(models, " "); got != want {
		t.Errorf("asked: %s, want %s", got, want)
	}
}

// TestARunKeepsItsModel although the setting changes while it is put aside.
func TestARunKeepsItsModel(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{set: map[string]string{"llm.model.scanner": `"gpt-5-nano"`}})
	st.script(look(), finish(reading()))
	claim, step := st.start(metrics)
	st.die(claim, step, 3)
	st.setting("llm.model.scanner", `"gpt-5"`)
	st.takeOver(metrics)
	if again, err := st.playOn(metrics); err != nil || again.State != app.StepDone {
		t.Fatalf("%s: %v", again.State, err)
	}
	st.assertModels(t, "gpt-5-nano gpt-5-nano")
}

// TestUnpricedFallback: a run whose fallback has no price asks nobody at all.
func TestUnpricedFallback(t *testing.T) {
	t.Parallel()
	for _, set := range []map[string]string{withFallback("gpt-5", "fable"), withFallback("fable", "gpt-5")} {
		st := newStage(t, setting{set: set})
		st.script(finish(reading()))
		step, err := st.play(metrics)
		if err == nil || step.State != app.StepFailed || !strings.Contains(step.Error, "fable has no price") || st.sim.Count() != 0 {
			t.Errorf("%s after %d requests: %v", step.State, st.sim.Count(), err)
		}
	}
}

// TestSpecsAndSettingsReachTheRequest: model, temperature and output limit.
func TestSpecsAndSettingsReachTheRequest(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{spec: [2]string{"model: gpt-5\n", "model: gpt-5\ntemperature: 0.4\nmax_output_tokens: 6000\n"},
		set: map[string]string{"llm.model.scanner": `"sage"`}}) // gpt-5 takes no temperature
	st.price("sage", app.Price{Input: app.Dollar, Output: app.Dollar})
	st.script(finish(reading()))
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	req := st.lastRequest()
	if req.Model != "sage" || req.MaxTokens != 6000 || !strings.Contains(string(req.Raw), `"temperature":0.4`) {
		t.Errorf("asked %s for at most %d: %s", req.Model, req.MaxTokens, req.Raw[:200])
	}
	if run := st.run(metrics); run.Model != "sage" {
		t.Errorf("the run names %s", run.Model)
	}
}

// TestFallbackIsNotForgotten: a run that was put aside between the last answer
// of its model and the first of the fallback goes on with the fallback.
func TestFallbackIsNotForgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		retries string
		points  int // after which its process dies
		want    string
	}{
		"before it was asked":     {"0", 3, "gpt-5 gpt-5-mini"},
		"before it had answered":  {"0", 4, "gpt-5 gpt-5-mini gpt-5-mini"},
		"with a retry still left": {"1", 3, "gpt-5 gpt-5 gpt-5-mini"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{set: withFallback("gpt-5", "gpt-5-mini")})
			st.setting("run.retries", c.retries)
			st.down("gpt-5", modelsim.Fault{Status: 503}, finish(reading()))
			claim, step := st.start(metrics)
			st.die(claim, step, c.points)
			claim, step = st.takeOver(metrics)
			if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
				t.Fatal(err)
			}
			st.assertModels(t, c.want)
		})
	}
}
