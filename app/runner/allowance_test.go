package runner_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// trial is one thing that a model does: an answer, or a fault of its endpoint.
type trial struct {
	modelsim.Answer
	fault *modelsim.Fault
}

func fails(code int) trial { return trial{fault: &modelsim.Fault{Status: code}} }

// trials has the model do one thing after the other, whatever it is asked.
func (st *stage) trials(all ...trial) {
	n := 0
	st.sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		one := all[min(n, len(all)-1)]
		n++
		one.Answer.Fault = one.fault
		return one.Answer, true
	})
}

// TestOneAllowance: a call that is tried again, an empty answer, a refused output
// and a reminder all take from the same few retries of a run.
func TestOneAllowance(t *testing.T) {
	t.Parallel()
	good, bad, talk := trial{Answer: finish(reading())}, trial{Answer: finish(map[string]any{"summary": "done"})}, trial{Answer: modelsim.Answer{Text: "Hm."}}
	down, looks := fails(http.StatusServiceUnavailable), trial{Answer: look()}
	for name, c := range map[string]struct {
		retries string
		does    []trial
		asked   int
		says    string // empty: the step is done
	}{
		"none: a fault":           {"0", []trial{down, good}, 1, "failed (503)"},
		"none: talk":              {"0", []trial{talk, good}, 1, "no retry is left"},
		"none: a bad output":      {"0", []trial{bad, good}, 1, "no retry is left"},
		"none: nothing amiss":     {"0", []trial{looks, good}, 2, ""},
		"one: a fault":            {"1", []trial{down, good}, 2, ""},
		"one: faults":             {"1", []trial{down, down, good}, 2, "failed (503)"},
		"one: fault, bad output":  {"1", []trial{down, bad, good}, 2, "no retry is left"},
		"one: fault, talk":        {"1", []trial{down, talk, good}, 2, "no retry is left"},
		"one: talk, fault":        {"1", []trial{talk, down, good}, 2, "failed (503)"},
		"two: talk, bad output":   {"2", []trial{talk, bad, good}, 3, ""},
		"two: all over the run":   {"2", []trial{down, looks, down, looks, down, good}, 5, "failed (503)"},
		"three: one of each":      {"3", []trial{down, talk, bad, good}, 4, ""},
		"three: and a fault":      {"3", []trial{down, talk, bad, down, good}, 4, "failed (503)"},
		"many: output but once":   {"9", []trial{bad, bad, good}, 2, "does not fit, twice"},
		"many: reminder but once": {"9", []trial{talk, looks, talk, good}, 3, "plain text, twice"},
		"not for a refusal":       {"9", []trial{fails(http.StatusUnauthorized), good}, 1, "did not accept our key"},
		"not for a bad request":   {"9", []trial{fails(http.StatusUnprocessableEntity), good}, 1, "(422)"},
		"408":                     {"1", []trial{fails(http.StatusRequestTimeout), good}, 2, ""},
		"409":                     {"1", []trial{fails(http.StatusConflict), good}, 2, ""},
		"429":                     {"1", []trial{fails(http.StatusTooManyRequests), good}, 2, ""},
		"504":                     {"1", []trial{fails(http.StatusGatewayTimeout), good}, 2, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, setting{set: map[string]string{"run.retries": c.retries}})
			st.trials(c.does...)
			step, err := st.playWaiting(metrics, 20*time.Second)
			if c.says == "" && (err != nil || step.State != app.StepDone) || c.says != "" && !strings.Contains(step.Error, c.says) {
				t.Errorf("%s: %v, want %q", step.State, err, c.says)
			}
			if st.sim.Count() != c.asked || len(st.run(metrics).Calls) != c.asked {
				t.Errorf("the model was asked %d times in %d calls, want %d", st.sim.Count(), len(st.run(metrics).Calls), c.asked)
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// TestAllowanceOutlivesAProcess: what was used of it before a process died is
// not given back.
func TestAllowanceOutlivesAProcess(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{set: map[string]string{"run.retries": "1"}})
	st.trials(fails(500), trial{Answer: finish(reading())})
	claim, step := st.start(metrics)
	st.die(claim, step, 3) // reserved, answered, settled: the first try has failed
	st.trials(fails(500), trial{Answer: finish(reading())})
	st.takeOver(metrics)
	again, err := st.playOn(metrics)
	if err == nil || again.State != app.StepPending || st.sim.Count() != 2 {
		t.Errorf("%s after %d requests: %v", again.State, st.sim.Count(), err)
	}
}

// playOn goes on with a step that was taken over.
func (st *stage) playOn(key string) (app.Step, error) {
	st.t.Helper()
	s := st.step(key)
	err := st.runner.Run(st.t.Context(), app.Claim{OperationID: st.op.ID, StepID: s.ID, Fence: s.Fence}, st.op, s)
	return st.step(key), err
}

// TestCutAnswerIsRemindedOfItsLimit: an answer that thought until its limit has
// not merely talked.
func TestCutAnswerIsRemindedOfItsLimit(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(modelsim.Answer{Text: "Let me think: ", FinishReason: "length"}, finish(reading()))
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	messages := st.lastRequest().Messages
	if last := messages[len(messages)-1]; last.Role != "user" || !strings.Contains(*last.Content, "met its output limit") {
		t.Errorf("the reminder: %s", *last.Content)
	}
}
