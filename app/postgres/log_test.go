package postgres_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// chainProblem recomputes an operation's log from what anyone can read.
func chainProblem(t testing.TB, w *world) string {
	t.Helper()
	events, err := w.store.Events(w.ctx, w.op.ID, 0, 100_000)
	w.must(err)
	op, err := w.store.Operation(w.ctx, w.op.ID)
	w.must(err)
	prev := make([]byte, sha256.Size)
	for i, e := range events {
		sum := sha256.Sum256(append(bytes.Clone(prev), e.Line...))
		switch {
		case e.Seq != int64(i+1):
			return fmt.Sprintf("line %d has the number %d", i+1, e.Seq)
		case e.PrevHash != hex.EncodeToString(prev):
			return fmt.Sprintf("line %d does not follow the one before", e.Seq)
		case e.Hash != hex.EncodeToString(sum[:]):
			return fmt.Sprintf("line %d has another hash", e.Seq)
		}
		if again, err := app.CanonicalJSON(json.RawMessage(e.Line)); err != nil || !bytes.Equal(again, e.Line) {
			return fmt.Sprintf("line %d is not canonical: %s", e.Seq, e.Line)
		}
		prev = sum[:]
	}
	if op.Seq != int64(len(events)) || op.HeadHash != hex.EncodeToString(prev) {
		return fmt.Sprintf("the operation's head is %d %s, its log has %d lines", op.Seq, op.HeadHash, len(events))
	}
	return ""
}

func TestLogIsGaplessAndChained(t *testing.T) {
	t.Parallel()
	const writers, lines = 16, 12
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, app.Dollar)
	before := w.count("events")
	for _, err := range together(writers, func(i int) error {
		for n := range lines {
			id := fmt.Sprintf("call-%d-%d", i, n)
			line := app.EventLine{Kind: "tool_call", Agent: "cm", Step: "a.a", Summary: `<b>"` + id + `" & 🔥` + "\u2028\x00"}
			if n%3 == 2 { // one that fails leaves no hole
				if err := w.store.AnswerCall(w.ctx, app.Claim{OperationID: c.OperationID, StepID: c.StepID, Fence: 99}, postgres.Answer{RunID: run.ID, Line: line}, j0); err != postgres.ErrLost {
					return fmt.Errorf("a stranger's line: %w", err)
				}
				continue
			}
			err := w.store.AnswerCall(w.ctx, c, postgres.Answer{RunID: run.ID, Turn: 1, CallID: id, Item: json.RawMessage(`{"role":"tool"}`), Line: line}, j0.Add(time.Duration(n)*time.Second))
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		w.must(err)
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
	if list, err := w.store.Operations(w.ctx); err != nil || !strings.Contains(list[0].LastSummary, `<b>"call-`) {
		t.Errorf("the list of operations can't show the line: %v", err)
	}
	if got, want := w.count("events")-before, writers*lines*2/3; got != want {
		t.Errorf("%d lines were added, want %d", got, want)
	}
}

func TestLogCanOnlyGrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	_, err := w.store.WriteFile(w.ctx, c, "", "x", json.RawMessage(`{"a":1}`), j0)
	w.must(err)
	w.must(w.store.AddItem(w.ctx, c, w.run(c, 1).ID, 0, json.RawMessage(`{}`), j0))
	w.refused("a line rewritten", `UPDATE events SET line = line || ' ' WHERE seq = 1`)
	w.refused("a line rewritten with its hash", `UPDATE events SET line = '{}', hash = sha256(prev_hash || convert_to('{}', 'UTF8')) WHERE seq = 1`)
	w.refused("a cost changed", `UPDATE events SET cost_nusd = 1`)
	w.refused("a line deleted", `DELETE FROM events WHERE seq = 1`)
	w.refused("a token file rewritten", `UPDATE token_files SET content = '{}'`)
	w.refused("a token file deleted", `DELETE FROM token_files`)
	w.refused("an item of a run deleted", `DELETE FROM run_items`)
	w.refused("an item of a run rewritten", `UPDATE run_items SET item = '{"role":"user","text":"other"}'`)
	w.refused("an item of a run moved as it is cleared", `UPDATE run_items SET item = cleared_item(item), turn = turn + 1`)
	w.refused("an audit row deleted", `DELETE FROM admin_audit`)
	w.refused("an audit row rewritten", `UPDATE admin_audit SET user_name = 'nobody'`)
	insert := `INSERT INTO events (operation_id, seq, at, step_key, kind, agent, cost_nusd, line, prev_hash, hash)
SELECT operation_id, seq + $1, at, step_key, kind, agent, cost_nusd, line, prev_hash, %s FROM events WHERE seq = 1`
	w.refused("a line with a wrong hash", fmt.Sprintf(insert, `sha256(hash || convert_to(line, 'UTF8'))`), 100)
	w.refused("a number twice", fmt.Sprintf(insert, `hash`), 0)
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

func TestLogPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1)
	for i := range 10 {
		w.must(w.store.AnswerCall(w.ctx, c, postgres.Answer{RunID: run.ID, Turn: 1, CallID: fmt.Sprint(i), Item: json.RawMessage(`{}`), Line: app.EventLine{Summary: "x"}}, j0))
	}
	seqs := func(events []app.Event, err error) string {
		w.must(err)
		var out []string
		for _, e := range events {
			out = append(out, fmt.Sprint(e.Seq))
		}
		return strings.Join(out, " ")
	}
	head := w.count("events")
	if head != 13 {
		t.Fatalf("%d lines", head)
	}
	for name, tt := range map[string]struct{ got, want string }{
		"newest":     {seqs(w.store.Events(w.ctx, w.op.ID, 0, 3)), "11 12 13"},
		"before":     {seqs(w.store.Events(w.ctx, w.op.ID, 11, 3)), "8 9 10"},
		"first":      {seqs(w.store.Events(w.ctx, w.op.ID, 3, 3)), "1 2"},
		"after":      {seqs(w.store.EventsAfter(w.ctx, w.op.ID, 10, 2)), "11 12"},
		"after last": {seqs(w.store.EventsAfter(w.ctx, w.op.ID, 13, 2)), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: lines %s, want %s", name, tt.got, tt.want)
		}
	}
}
