package replay_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/rehearsal/modelsim"
)

// TestLimitsChangedWhilePausedReplay: a run goes by the limits of each of its
// processes. An end that no limit of its time explains is still found.
func TestLimitsChangedWhilePausedReplay(t *testing.T) {
	t.Parallel()
	words, fault := modelsim.Answer{Text: "Well."}, modelsim.Answer{Fault: &modelsim.Fault{Status: 503}}
	for name, c := range map[string]struct {
		key, before, after string
		answers            []modelsim.Answer
		state, says        string
	}{
		"more turns":              {"run.max_turns", "2", "25", []modelsim.Answer{look(), look(), finish(reading())}, "succeeded", ""},
		"fewer turns":             {"run.max_turns", "25", "1", []modelsim.Answer{look(), finish(reading())}, "failed", "no output after 1 turn"},
		"a reminder more":         {"run.retries", "0", "3", []modelsim.Answer{words, finish(reading())}, "failed", "no retry is left"},
		"a retry more":            {"run.retries", "1", "3", []modelsim.Answer{fault, finish(reading())}, "failed", "503"},
		"no retry any more":       {"run.retries", "3", "0", []modelsim.Answer{fault}, "failed", "503"},
		"as many as there were":   {"run.retries", "3", "2", []modelsim.Answer{look(), words, finish(reading())}, "succeeded", ""},
		"fewer turns than so far": {"run.max_turns", "25", "0", []modelsim.Answer{look(), finish(reading())}, "failed", "no output after 1 turn"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			st.setting(c.key, c.before)
			st.script(c.answers...)
			st.resumed(metrics, 1, func() { st.setting(c.key, c.after) })
			st.setting(c.key, "7")
			r := st.identical()[0]
			if r.State != c.state || !strings.Contains(r.Error, c.says) {
				t.Errorf("it says\n%s", text(r))
			}
			if c.state == "succeeded" {
				return
			}
			st.exec(`UPDATE agent_runs SET seal = NULL`)
			st.identical()
			for _, value := range []string{c.before, c.after} {
				st.exec(`UPDATE settings SET value = '99' WHERE key = $1 AND value::text = $2`, c.key, value)
			}
			if r := st.replay(r.Run); !slices.ContainsFunc(r.Differences, is("end")) {
				t.Errorf("an end that no limit explains is not found:\n%s", text(r))
			}
		})
	}
}
