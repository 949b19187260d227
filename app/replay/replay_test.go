package replay_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/cassette"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/replay"
)

func TestRunsReplayAsTheyWere(t *testing.T) {
	t.Parallel()
	bad := reading()
	bad["price_usd"], bad["holders"], bad["note"] = "much", "many", 7
	many := modelsim.Answer{}
	for range 22 {
		many.Calls = append(many.Calls, modelsim.NewCall("market_snapshot", struct{}{}))
	}
	refused := modelsim.Answer{Text: "Let me see: \x00 é", Calls: []modelsim.ToolCall{
		modelsim.NewCall("launch_rocket", struct{}{}), modelsim.NewCall("read_file", `{"section":`), modelsim.NewCall("read_file", map[string]any{"section": 7, "mood": 1, "a": 2}),
		modelsim.NewCall("market_snapshot", `{ }`)}}
	for name, c := range map[string]struct {
		play func(*stage)
		cap  app.Nano
		step app.StepState
		// calls, notes: how many of the last run's calls are played, and what is noted.
		calls int
		note  string
		says  string // its error
	}{
		"ok":                   {play: answers(look(), finish(reading())), step: app.StepDone, calls: 2},
		"schema retry":         {play: answers(finish(bad), finish(reading())), step: app.StepDone, calls: 2},
		"does not fit, twice":  {play: answers(finish(bad), finish(bad)), step: app.StepFailed, calls: 2, says: "twice"},
		"refused calls":        {play: answers(refused, finish(reading())), step: app.StepDone, calls: 2},
		"too many calls":       {play: answers(many, finish(reading())), step: app.StepDone, calls: 2},
		"text reminder":        {play: answers(modelsim.Answer{Text: "Well."}, finish(reading())), step: app.StepDone, calls: 2},
		"nothing but text":     {play: answers(modelsim.Answer{Text: "Well."}, modelsim.Answer{Text: "Well?"}), step: app.StepPending, calls: 2, says: "plain text, twice"},
		"tries":                {play: faults(modelsim.Fault{Status: 429, RetryAfter: "1"}, modelsim.Fault{Status: 500}, modelsim.Fault{Close: true}), step: app.StepDone, calls: 5},
		"tries without end":    {play: faults(modelsim.Fault{Status: 500, Times: 9}), step: app.StepPending, says: "500"},
		"not to be tried":      {play: faults(modelsim.Fault{Status: 400, Body: `{"error":{"message":"no"}}`}), step: app.StepPending, calls: 1},
		"key repeated":         {play: faults(modelsim.Fault{Status: 400, Body: `{"error":{"message":"Your key ` + modelKey + ` is not welcome."}}`}), step: app.StepPending, says: "[key]", calls: 1},
		"killed and taken up":  {play: dies("reserved"), step: app.StepDone, calls: 3},
		"killed all the time":  {play: dies("answered", "settled", "tool_done", "reserved", "finishing"), step: app.StepDone, calls: 4},
		"turns without end":    {play: turns, step: app.StepPending, says: "no output after 2 turns", calls: 2},
		"the run's own budget": {play: budget, step: app.StepFailed, says: "budget_exceeded", calls: 1},
		"the operation's cap":  {play: answers(look(), finish(reading())), cap: 30_000_000, step: app.StepFailed, says: "budget_exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.cap == 0 {
				c.cap = 20 * app.Dollar
			}
			st := newStage(t, c.cap, scan())
			c.play(st)
			if step := testop.ByKey(t, st.store, st.op, metrics); step.State != c.step {
				t.Fatalf("the step is %s: %s", step.State, step.Error)
			}
			reports := st.identical()
			last := reports[len(reports)-1]
			if c.calls > 0 && len(last.Calls) != c.calls || !strings.Contains(last.Error, c.says) || (c.says == "") != (last.Error == "") && c.calls != 1 {
				t.Errorf("%d calls, %q", len(last.Calls), last.Error)
			}
			st.exports(last)
		})
	}
}

func answers(all ...modelsim.Answer) func(*stage) {
	return func(st *stage) {
		st.script(all...)
		st.play(metrics)
	}
}

func faults(all ...modelsim.Fault) func(*stage) {
	return func(st *stage) {
		for _, f := range all {
			st.sim.Fail(f)
		}
		answers(look(), finish(reading()))(st)
	}
}

func dies(points ...string) func(*stage) {
	return func(st *stage) {
		st.script(look(), finish(reading()))
		st.dieAt(metrics, points...)
	}
}

func turns(st *stage) {
	st.setting("run.max_turns", "2")
	answers(look(), look(), look())(st)
	st.setting("run.max_turns", "25") // what holds later is not what held then
}

func budget(st *stage) {
	usage := modelsim.Answer{Calls: look().Calls, Usage: []byte(`{"prompt_tokens":1000,"completion_tokens":1000,"total_tokens":2000,"cost":1.9999}`)}
	answers(usage, finish(reading()))(st)
}

func (st *stage) setting(key, value string) {
	st.t.Helper()
	st.clock.Advance(time.Second)
	if err := st.store.SetSetting(st.t.Context(), key, []byte(value), "ada", st.clock.Now()); err != nil {
		st.t.Fatal(err)
	}
	st.clock.Advance(time.Second)
}

// exports makes a cassette of a run, and has it played: it holds every answer
// that was not lost, and no secret.
func (st *stage) exports(report replay.Report) {
	st.t.Helper()
	var tape bytes.Buffer
	again, err := st.replayer().Export(st.t.Context(), report.Run, &tape)
	if err != nil || !again.Identical {
		st.t.Fatalf("export: %v\n%s", err, text(again))
	}
	if bytes.Contains(tape.Bytes(), []byte(modelKey)) {
		st.t.Error("the key of the model is in the cassette")
	}
	exchanges, err := cassette.Read(&tape)
	if err != nil {
		st.t.Fatal(err)
	}
	kept := slices.DeleteFunc(slices.Clone(report.Calls), func(c replay.Call) bool { return c.Lost || c.RequestSHA256 == "" })
	player, err := cassette.NewPlayer(st.client, exchanges)
	if err != nil || len(exchanges) != len(kept) {
		st.t.Fatalf("%d exchanges of %d calls: %v", len(exchanges), len(kept), err)
	}
	for i, x := range exchanges {
		var fault *agent.ModelError
		if _, err := player.Respond(st.t.Context(), x.Request, nil); err != nil && !errors.As(err, &fault) {
			st.t.Errorf("exchange %d: %v", i+1, err)
		}
	}
	if rest := player.Unused(); len(rest) != 0 {
		st.t.Errorf("%d exchanges are left", len(rest))
	}
}
