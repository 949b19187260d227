package runner_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

const (
	askedOne = "The model asked for 1 tool call"
	handedIn = "The model handed in its output"
	inText   = "The model answered in text"
)

// TestLoopEndsOnFinish: each call of the model and of a tool is one row of the
// log, and the rows' costs are what the run and the operation have spent.
func TestLoopEndsOnFinish(t *testing.T) {
	t.Parallel()
	several := modelsim.Answer{Text: "Two at once.", Calls: []modelsim.ToolCall{
		modelsim.NewCall("market_snapshot", struct{}{}), modelsim.NewCall("read_file", map[string]string{"section": "scan"})}}
	for name, c := range map[string]struct {
		answers []modelsim.Answer
		rows    []string
	}{
		"finish at once":  {[]modelsim.Answer{finish(reading())}, []string{handedIn}},
		"text between":    {[]modelsim.Answer{look(), {Text: "It looks quiet."}, finish(reading())}, []string{askedOne, "Read the market", inText, handedIn}},
		"two tools":       {[]modelsim.Answer{look(), modelsim.Do("read_file", map[string]string{"section": "scan"}), finish(reading())}, []string{askedOne, "Read the market", askedOne, "Read the token file", handedIn}},
		"two in one turn": {[]modelsim.Answer{several, finish(reading())}, []string{"The model asked for 2 tool calls", "Read the market", "Read the token file", handedIn}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{})
			st.script(c.answers...)
			step, err := st.play(metrics)
			if err != nil || step.State != app.StepDone {
				t.Fatalf("%s: %v", step.State, err)
			}
			if got := st.called(); !slices.Equal(got, c.rows) {
				t.Errorf("log:\n%q\nwant:\n%q", got, c.rows)
			}
			run := st.run(metrics)
			if spent := testop.Balanced(t, st.store, st.op); run.Spent != spent || spent <= 0 || run.Reserved != 0 || run.State != "succeeded" || run.Turns != len(c.answers) {
				t.Errorf("the run is %s after %d turns, has spent %s and reserved %s; the operation has spent %s", run.State, run.Turns, run.Spent, run.Reserved, spent)
			}
			if !strings.Contains(string(step.Output), `"Quiet."`) {
				t.Errorf("output: %s", step.Output)
			}
		})
	}
}

// TestRefusedCallsDoNotEndTheRun: what an agent may not do is answered with the
// reason, logged without the model's words, and the loop goes on.
func TestRefusedCallsDoNotEndTheRun(t *testing.T) {
	t.Parallel()
	const notOurs = "Refused: a call to a tool that this agent does not have"
	for name, c := range map[string]struct {
		call      modelsim.ToolCall
		told, row string
	}{
		"invented tool":     {modelsim.NewCall("wallet_send", map[string]any{"to": "me"}), `there is no tool \"wallet_send\" for scanner`, notOurs},
		"tool of another":   {modelsim.NewCall("x_post", map[string]any{"text": "gm", "assets": []string{}, "alt": []string{}}), `there is no tool \"x_post\" for scanner`, notOurs},
		"no name we know":   {modelsim.NewCall("Finish", map[string]any{"output": reading()}), `there is no tool \"Finish\"`, notOurs},
		"unknown field":     {modelsim.NewCall("read_file", map[string]string{"section": "scan", "mood": "bold"}), "do not fit the schema", "Refused: the arguments of read_file do not fit"},
		"missing field":     {modelsim.NewCall("read_file", struct{}{}), "do not fit the schema", "Refused: the arguments of read_file do not fit"},
		"wrong type":        {modelsim.NewCall("read_file", map[string]any{"section": 7}), "do not fit the schema", "Refused: the arguments of read_file do not fit"},
		"no JSON":           {modelsim.NewCall("read_file", `{"section":`), "do not fit the schema", "Refused: the arguments of read_file do not fit"},
		"against the rule":  {modelsim.NewCall("alert", map[string]string{"kind": "No Data!", "message": "x"}), "kind must be a-z", "Refused: the arguments of alert do not fit"},
		"a tool that fails": {modelsim.NewCall("market_chart", map[string]any{"days": 7}), "error", "market_chart failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{})
			st.script(modelsim.Answer{Calls: []modelsim.ToolCall{c.call}}, finish(reading()))
			if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
				t.Fatalf("%s: %v", step.State, err)
			}
			told := strings.Join(slices.Collect(maps.Values(results(st.lastRequest()))), "\n")
			if !strings.Contains(told, c.told) || !strings.Contains(told, `"error"`) {
				t.Errorf("the model was told %s", told)
			}
			if got, want := st.called(), []string{askedOne, c.row, handedIn}; !slices.Equal(got, want) {
				t.Errorf("log %q, want %q", got, want)
			}
			for _, e := range testop.Log(t, st.store, st.op) {
				if strings.Contains(string(e.Line), "wallet_send") || strings.Contains(string(e.Line), "Finish") || e.Tool == "x_post" {
					t.Errorf("the log holds the model's words: %s", e.Line)
				}
			}
		})
	}
}

// TestOutputIsRetriedOnce: the second miss fails the step with what was wrong,
// and the model is not asked a third time.
func TestOutputIsRetriedOnce(t *testing.T) {
	t.Parallel()
	long := with(reading(), "note", strings.Repeat("x", 281))
	empty := map[string]any{"summary": "done"}
	for name, c := range map[string]struct {
		answers  []modelsim.Answer
		requests int
		state    app.StepState
		why      []string
	}{
		"second fits":       {[]modelsim.Answer{finish(long), finish(reading())}, 2, app.StepDone, nil},
		"looks again first": {[]modelsim.Answer{finish(empty), look(), finish(reading())}, 3, app.StepDone, nil},
		"twice wrong":       {[]modelsim.Answer{finish(empty), finish(long), finish(reading())}, 2, app.StepFailed, []string{"does not fit, twice", "note", "280"}},
		"no output at all":  {[]modelsim.Answer{modelsim.Do("finish", struct{}{}), modelsim.Do("finish", "{"), finish(reading())}, 2, app.StepFailed, []string{"finish"}},
		"wrong in one turn": {[]modelsim.Answer{{Calls: append(finish(empty).Calls, finish(long).Calls...)}, finish(reading())}, 2, app.StepDone, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{})
			st.script(c.answers...)
			step, err := st.play(metrics)
			if step.State != c.state || (err == nil) != (c.state == app.StepDone) {
				t.Fatalf("%s: %v", step.State, err)
			}
			if got := st.sim.Count(); got != c.requests {
				t.Errorf("the model was asked %d times, want %d", got, c.requests)
			}
			for _, why := range c.why {
				if !strings.Contains(step.Error, why) {
					t.Errorf("the step's error does not say %q: %s", why, step.Error)
				}
			}
			if alerts := testop.Alerts(t, st.store, "step_failed"); len(alerts) != min(len(c.why), 1) {
				t.Errorf("%d alerts", len(alerts))
			}
			second := st.sim.Requests()[1]
			if last := second.Messages[len(second.Messages)-1]; last.Role != "user" || !strings.Contains(*last.Content, "Your output was refused") {
				t.Errorf("the retry's last message: %s: %s", last.Role, *last.Content)
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// TestFiguresOfCodeComeBackUnchanged: a model can't talk a block away.
func TestFiguresOfCodeComeBackUnchanged(t *testing.T) {
	t.Parallel()
	step := testop.Step("scanner", "scanner.go_nogo", "scanner.go_nogo", true)
	st := newStage(t, setting{steps: []app.Step{step}})
	claim, begun := st.start(step.Key)
	if err := st.store.SetInput(t.Context(), claim, []byte(`{"blocking":["deployer_share"]}`), st.clock.Now()); err != nil {
		t.Fatal(err)
	}
	answer := map[string]any{"decision": "go", "reasons": []string{"Everybody loves this token."}, "blocking": []string{}}
	st.script(finish(answer), finish(answer))
	begun = st.step(step.Key)
	if err := st.runner.Run(t.Context(), claim, st.op, begun); err == nil {
		t.Error("the run has succeeded")
	}
	if got := st.step(step.Key); got.State != app.StepFailed || !strings.Contains(got.Error, "blocking was computed by code") {
		t.Errorf("%s: %s", got.State, got.Error)
	}
}

// TestTalkIsRemindedOnce: the second plain text is a failed turn, and the run
// is tried again later like any that may do better.
func TestTalkIsRemindedOnce(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(modelsim.Answer{Text: "Hm."}, modelsim.Answer{Text: "Still hm."}, finish(reading()))
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepPending || !strings.Contains(step.Error, "plain text, twice") {
		t.Fatalf("%s: %v: %s", step.State, err, step.Error)
	}
	if st.sim.Count() != 2 || testop.Balanced(t, st.store, st.op) <= 0 {
		t.Errorf("%d requests", st.sim.Count())
	}
	messages := st.lastRequest().Messages
	if last := messages[len(messages)-1]; last.Role != "user" || !strings.Contains(*last.Content, "Nobody reads it") {
		t.Errorf("the reminder: %s", *last.Content)
	}
}

// TestTurnsAreLimited: an agent that never comes to an end is stopped after 25.
func TestTurnsAreLimited(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		return modelsim.Do("read_file", map[string]string{"section": "scan"}), true
	})
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepPending || !strings.Contains(step.Error, "no output after 25 turns") || st.sim.Count() != 25 {
		t.Errorf("%s after %d requests: %s", step.State, st.sim.Count(), step.Error)
	}
	if run := st.run(metrics); run.State != "failed" || run.Turns != 25 || testop.Balanced(t, st.store, st.op) != run.Spent {
		t.Errorf("the run is %s after %d turns", run.State, run.Turns)
	}
}
