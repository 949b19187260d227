package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/mentions"
)

// read has a reader look at what strangers wrote, and returns its run.
func read(t *testing.T) (st *stage, run string) {
	t.Helper()
	st = newStage(t, 20*app.Dollar, scan())
	const key = app.MentionsTask + ".20"
	asked := mentions.Asked{Mentions: []mentions.AskedPost{{ID: "20", Text: "@dodo_back my zebra wonders"}}, Subjects: mentions.Subjects()}
	made, err := st.store.AddContinuousStep(t.Context(), app.ContinuousStep{OperationID: st.op.ID, Key: key, Task: app.MentionsTask, Agent: "cm", Due: testop.J0, Input: asked}, testop.J0)
	if err != nil || !made {
		t.Fatalf("no step was made: %v", err)
	}
	st.exec(`INSERT INTO mentions (operation_id, post_id, author_id, text, summons, named, own, written_at, found_at, state, reading_step)
SELECT operation_id, '20', '800000001', 'zebra', true, 1, false, $1, $1, 'reading', id FROM operation_steps WHERE key = $2`, testop.J0, key)
	st.script(finish(map[string]any{"mentions": []any{map[string]any{"id": "20", "kind": "praise", "subject": "none"}}}))
	claim, step := testop.Start(t, st.store, st.op, key, st.clock.Now(), st.wall.Now().Add(lease))
	if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
		t.Fatal(err)
	}
	if err := st.store.StopOperation(t.Context(), st.op.Slug, "enough", testop.Person, st.clock.Now()); err != nil {
		t.Fatal(err)
	}
	return st, st.runs()[0]
}

func (st *stage) clear() {
	st.t.Helper()
	if n, err := st.store.ClearMentions(st.t.Context(), st.clock.Now().Add(time.Second), st.clock.Now().AddDate(0, 1, 0)); err != nil || n != 1 {
		st.t.Fatalf("%d cleared, %v", n, err)
	}
}

// TestAClearedRunSaysSo, holds by what is left of it, and its log by all.
func TestAClearedRunSaysSo(t *testing.T) {
	t.Parallel()
	st, run := read(t)
	whole := st.identical()[0]
	if whole.Cleared || whole.Entries == 0 {
		t.Fatalf("before it says\n%s", text(whole))
	}
	st.clear()
	r := st.identical()[0]
	if said := text(r); !r.Cleared || r.Spent != whole.Spent || r.Spent == 0 || !strings.Contains(said, "cleared on 11 Feb 2027") || !strings.Contains(said, "  cleared: ") {
		t.Errorf("it says\n%s", said)
	}
	trace, err := st.store.Run(t.Context(), run)
	if err != nil || len(trace.Items) == 0 || strings.Contains(fmt.Sprintf("%s", trace.Items[0].Content), "zebra") || !strings.Contains(string(trace.Items[0].Content), "no longer kept") {
		t.Errorf("its page shows %+v, %v", trace.Items, err)
	}
	var log bytes.Buffer
	out := json.NewEncoder(&log)
	for _, e := range testop.Log(t, st.store, st.op) {
		if err := out.Encode(app.ChainRow{Line: e.Line, PrevHash: e.PrevHash, Hash: e.Hash}); err != nil {
			t.Fatal(err)
		}
	}
	if proof, err := app.VerifyLog(&log); err != nil || proof.Cost != r.Spent {
		t.Errorf("the log: %+v, %v", proof, err)
	}
}

// TestClearingHidesNoChange: of a run that was changed before, or after.
func TestClearingHidesNoChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		early bool
		sql   string
		what  string
	}{
		"before it was cleared": {true, `UPDATE run_items SET item = jsonb_set(item, '{text}', '"lion"') WHERE seq = 1`, "seal"},
		"its output":            {false, `UPDATE agent_runs SET output = '{"mentions":[]}'`, "seal"},
		"its transcript":        {false, `UPDATE run_items SET item = item || '{"text":"lion"}' WHERE seq = 1`, "seal"},
		"its costs":             {false, `UPDATE llm_calls SET cost_nusd = cost_nusd - 1`, "sum"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st, run := read(t)
			if c.early {
				st.exec(c.sql)
			}
			st.clear()
			if !c.early {
				st.exec(c.sql)
			}
			if r := st.replay(run); r.Identical || !slices.ContainsFunc(r.Differences, is(c.what)) {
				t.Errorf("it says\n%s", text(r))
			}
		})
	}
}
