package runner_test

import (
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/untrusted"
)

// TestUnsafeWordsAreRefusedLoggedAndAlerted: once per step and rule for the
// team, once for each call in the log, and without the words themselves there.
func TestUnsafeWordsAreRefusedLoggedAndAlerted(t *testing.T) {
	t.Parallel()
	const words = "go to evil.example\u202e now"
	st := newStage(t, setting{})
	outputs := 0
	st.runner.Inspect = func(s agent.Scope, call agent.Call) error {
		if outputs++; s.StepKey != metrics || call.Tool != agent.FinishTool || !strings.Contains(string(call.Args), "holders") {
			t.Errorf("looked at %s of %s: %s", call.Tool, s.StepKey, call.Args)
		}
		if !strings.Contains(string(call.Args), "evil") {
			return nil
		}
		return &agent.UnsafeError{Rules: []agent.Rule{agent.RuleLink, agent.RuleHidden}, Quote: untrusted.Quote(words, 100), Cause: app.Errorf(app.Invalid, "That may not leave.")}
	}
	send := modelsim.NewCall("wallet_send", map[string]any{"to": "me"})
	st.script(modelsim.Answer{Calls: []modelsim.ToolCall{send, send}}, finish(with(reading(), "note", words)), finish(reading()))
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	if outputs != 2 {
		t.Errorf("%d outputs were looked at, want 2", outputs)
	}
	log := strings.Join(st.called(), "\n")
	for row, want := range map[string]int{"Refused: a call to a tool that this agent does not have": 2, "Refused: the output held a link that is not allowed, characters that can't be seen": 1} {
		if got := strings.Count(log, row); got != want {
			t.Errorf("%d rows %q, want %d in:\n%s", got, row, want, log)
		}
	}
	for _, e := range testop.Log(t, st.store, st.op) {
		if strings.Contains(string(e.Line), "evil") || strings.Contains(string(e.Line), "wallet_send") {
			t.Errorf("the log quotes it: %s", e.Line)
		}
	}
	told := map[string]string{}
	for _, a := range testop.Alerts(t, st.store, "unsafe_output") {
		told[a.Subject] = a.Message
	}
	if len(told) != 3 {
		t.Errorf("%d alerts: %v", len(told), told)
	}
	for subject, want := range map[string]string{metrics + ": tool": "“wallet_send”", metrics + ": link": "“go to evil.example now”", metrics + ": hidden": "Scanner was refused finish in " + metrics} {
		if !strings.Contains(told[subject], want) {
			t.Errorf("%s: the team reads %q, want %q in it", subject, told[subject], want)
		}
	}
}

// TestUnsafeOutputTwiceFailsTheStep as any other output that does not fit.
func TestUnsafeOutputTwiceFailsTheStep(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.runner.Inspect = func(agent.Scope, agent.Call) error {
		return &agent.UnsafeError{Rules: []agent.Rule{agent.RuleCommand}, Cause: app.Errorf(app.Invalid, "That may not leave.")}
	}
	st.script(finish(reading()), finish(reading()))
	step, _ := st.play(metrics)
	if step.State != app.StepFailed || !strings.Contains(step.Error, "twice: That may not leave.") || len(step.Output) > 0 {
		t.Errorf("it is %s with %q and %s", step.State, step.Error, step.Output)
	}
}

// TestWhatCodeComputedIsNotInspected: an agent only repeats it.
func TestWhatCodeComputedIsNotInspected(t *testing.T) {
	t.Parallel()
	const key = "scanner.go_nogo"
	st := newStage(t, setting{steps: []app.Step{testop.Step("scanner", key, key, true)}})
	claim, step := st.start(key)
	if err := st.store.SetInput(t.Context(), claim, []byte(`{"blocking":["evil.example"]}`), st.clock.Now()); err != nil {
		t.Fatal(err)
	}
	step.Input = []byte(`{"blocking":["evil.example"]}`)
	var seen string
	st.runner.Inspect = func(_ agent.Scope, call agent.Call) error { seen = string(call.Args); return nil }
	st.script(finish(map[string]any{"decision": "no_go", "reasons": []string{"A check blocks."}, "blocking": []string{"evil.example"}}))
	if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil || seen != `{"decision":"no_go","reasons":["A check blocks."]}` {
		t.Errorf("%v: looked at %s", err, seen)
	}
}

// TestAllowedLinksHoldFromTheNextRunOn: what the team allows needs no restart.
func TestAllowedLinksHoldFromTheNextRunOn(t *testing.T) {
	t.Parallel()
	steps := []app.Step{testop.Step("cm", post+".d03", post, true), testop.Step("cm", post+".d04", post, true)}
	st := newStage(t, setting{steps: steps})
	st.script(modelsim.Do("x_post", map[string]any{"text": "Day 3. See pons.family for more.", "assets": []string{}, "alt": []string{}}))
	for n, want := range []int{0, 1} {
		_, _ = st.play(steps[n].Key) // its output is not what is looked at
		result := ""
		for _, told := range results(st.sim.Requests()[len(st.sim.Requests())-1]) {
			result += told
		}
		if got := strings.Count(result, "validation_id"); got != want {
			t.Errorf("run %d was told %s", n+1, result)
		}
		if err := st.store.SetSetting(t.Context(), "links.allowlist", []byte(`["pons.family"]`), "ada", testop.J0); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUnsafeOutputThatEndsTheRunIsToldOf like one that is sent back: in the log
// and to the team, though nothing more is said to the model.
func TestUnsafeOutputThatEndsTheRunIsToldOf(t *testing.T) {
	t.Parallel()
	for retries, rules := range map[string][]agent.Rule{"3": {agent.RuleLink, agent.RuleCommand}, "0": {agent.RuleCommand}} {
		st := newStage(t, setting{set: map[string]string{"run.retries": retries}})
		n := 0
		st.runner.Inspect = func(agent.Scope, agent.Call) error {
			n++
			return &agent.UnsafeError{Rules: rules[n-1 : n], Quote: "evil", Cause: app.Errorf(app.Invalid, "That may not leave.")}
		}
		st.script(finish(reading()), finish(reading()))
		step, _ := st.play(metrics)
		told := map[string]bool{}
		for _, a := range testop.Alerts(t, st.store, "unsafe_output") {
			told[a.Subject] = true
		}
		refused := 0
		for _, row := range st.called() {
			if strings.HasPrefix(row, "Refused: the output held") {
				refused++
			}
		}
		if step.State != app.StepFailed || refused != len(rules) || len(told) != len(rules) || !told[metrics+": "+string(agent.RuleCommand)] {
			t.Errorf("with %s retries: %s, %d refusals in the log, alerts %v", retries, step.State, refused, told)
		}
	}
}

// TestEarlierRefusalIsNotToldOfAgain when the second output only does not fit.
func TestEarlierRefusalIsNotToldOfAgain(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.runner.Inspect = func(agent.Scope, agent.Call) error {
		return &agent.UnsafeError{Rules: []agent.Rule{agent.RuleCommand}, Cause: app.Errorf(app.Invalid, "That may not leave.")}
	}
	st.script(finish(reading()), finish(with(reading(), "holders", "many")))
	step, _ := st.play(metrics)
	if got := strings.Count(strings.Join(st.called(), "\n"), "Refused: the output held"); step.State != app.StepFailed || got != 1 {
		t.Errorf("%s with %d refusals in the log", step.State, got)
	}
}
