package replay_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app"
)

// TestLastResultsAreSealed: no request holds the results of a run's last turn.
// What was taken of them at its end does.
func TestLastResultsAreSealed(t *testing.T) {
	t.Parallel()
	const change = `UPDATE run_items SET item = jsonb_set(item, '{text}', to_jsonb(replace(item ->> 'text', '420', '421'))) WHERE item ->> 'text' LIKE '<untrusted %mcap_usd%'`
	both := look()
	both.Calls = append(both.Calls, finish(reading()).Calls...)
	for name, play := range map[string]func(*stage){
		"with its output": answers(both),
		"before it failed": func(st *stage) {
			st.setting("run.max_turns", "1")
			answers(look())(st)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t, 20*app.Dollar, scan())
			play(st)
			whole := st.identical()[0]
			if len(whole.Notes) != 0 {
				t.Errorf("it says\n%s", text(whole))
			}
			st.exec(change)
			if r := st.replay(whole.Run); !slices.ContainsFunc(r.Differences, is("seal")) {
				t.Errorf("changed and not found:\n%s", text(r))
			}
			st.exec(`UPDATE agent_runs SET seal = NULL`) // as runs of older programs have none
			if r := st.replay(whole.Run); !r.Identical || !strings.Contains(strings.Join(r.Notes, "\n"), "Nothing vouches for entries 3 of") {
				t.Errorf("without a seal it says\n%s", text(r))
			}
		})
	}
}
