package rehearsal_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vivra/app/boot"
	"vivra/app/postgres"
	"vivra/app/rehearsal"
	"vivra/app/replay"
)

// replays plays every run of the rehearsal again, as vivra replay --all does:
// each is what it was.
func (e ending) replays(t *testing.T) {
	t.Helper()
	var sum replay.Total
	e.replayer(t, func(r *replay.Replayer, store *postgres.Store) error {
		ids, err := store.RunIDs(t.Context(), 0)
		for _, id := range ids {
			report, err := r.Play(t.Context(), id)
			if err != nil {
				return err
			}
			if sum.Add(report); !report.Identical {
				t.Errorf("a run does not replay as it was:\n%s", shown(report))
			}
		}
		return err
	})
	if sum.Runs == 0 || sum.Calls < e.ModelCalls {
		t.Errorf("played were %d runs with %d calls of %d", sum.Runs, sum.Calls, e.ModelCalls)
	}
}

func (e ending) replayer(t *testing.T, do func(*replay.Replayer, *postgres.Store) error) {
	t.Helper()
	if err := boot.Replay(t.Context(), boot.Config{DatabaseURL: e.dsn}, slog.New(slog.DiscardHandler), do); err != nil {
		t.Error(err)
	}
}

func shown(r replay.Report) string {
	var b strings.Builder
	r.Write(&b)
	return b.String()
}

// TestChangedRunsAreReported: one byte changed in what a rehearsal left behind is
// found, wherever it stands.
func TestChangedRunsAreReported(t *testing.T) {
	t.Parallel()
	e := rehearse(t, rehearsal.Plan{Seed: 5, Days: 3})
	db := e.behind(t)
	e.replayer(t, func(r *replay.Replayer, _ *postgres.Store) error {
		db.r = r
		db.answers(t)
		db.transcripts(t)
		db.systems(t)
		return nil
	})
}

// behind is the database without its triggers.
type behind struct {
	*pgx.Conn
	r *replay.Replayer
}

func (e ending) behind(t *testing.T) *behind {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), e.dsn)
	if err == nil {
		_, err = conn.Exec(t.Context(), `SET session_replication_role = replica`)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &behind{Conn: conn}
}

// cell is one stored text of a run.
type cell struct {
	run, key string
	text     string
}

func (db *behind) cells(t *testing.T, query string) []cell {
	t.Helper()
	rows, err := db.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c cell, err error) {
		err = row.Scan(&c.run, &c.key, &c.text)
		return c, err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d rows of %s: %v", len(all), query, err)
	}
	return all
}

// changed sets a cell to another text, plays the run, and sets it back.
func (db *behind) changed(t *testing.T, update string, c cell, text string) replay.Report {
	t.Helper()
	db.set(t, update, c, text)
	defer db.set(t, update, c, c.text)
	report, err := db.r.Play(t.Context(), c.run)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func (db *behind) set(t *testing.T, update string, c cell, text string) {
	t.Helper()
	tag, err := db.Exec(t.Context(), update, c.run, c.key, text)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%s changes %d rows: %v", update, tag.RowsAffected(), err)
	}
}

// answers: any byte of any answer; then a letter of each part of it, with a hash
// that fits, so that only the loop can find it.
func (db *behind) answers(t *testing.T) {
	t.Helper()
	const update = `UPDATE llm_calls SET answer = $3 WHERE run_id = $1 AND id = $2::bigint`
	const sealed = `UPDATE llm_calls SET answer = $3, answer_sha256 = encode(sha256(convert_to($3, 'UTF8')), 'hex') WHERE run_id = $1 AND id = $2::bigint`
	random := rand.New(rand.NewPCG(1, 2))
	found := map[string]int{}
	for _, c := range db.cells(t, `SELECT run_id::text, id::text, answer FROM llm_calls WHERE answer IS NOT NULL ORDER BY id`) {
		any := flipped(c.text, random.IntN(len(c.text)))
		if r := db.changed(t, update, c, any); !differs(r, "answer") {
			t.Errorf("a changed answer is not found:\n%s\n%s", any, shown(r))
		}
		for _, part := range []string{`"text":"`, `"args":{`, `"args":{"output":{`, `"usage":{"prompt_tokens":`} {
			at := strings.LastIndex(c.text, part)
			if at < 0 {
				continue
			}
			found[part]++
			changed := flipped(c.text, at+len(part))
			if r := db.changed(t, sealed, c, changed); r.Identical {
				t.Errorf("an answer changed after %s is not found by the loop:\n%s\n%s", part, changed, shown(r))
			}
		}
	}
	t.Logf("changed answers by part: %v", found)
	if len(found) < 3 {
		t.Errorf("only %v were changed", found)
	}
}

// flipped changes one letter or digit, the first one from a place on, or the
// last one before it.
func flipped(text string, at int) string {
	b := []byte(text)
	plain := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
	i := at
	for i < len(b) && !plain(b[i]) {
		i++
	}
	if i == len(b) {
		for i--; !plain(b[i]); i-- {
		}
	}
	switch b[i] {
	case '9', 'z', 'Z':
		b[i]--
	default:
		b[i]++
	}
	return string(b)
}

func differs(r replay.Report, what string) bool {
	return slices.ContainsFunc(r.Differences, func(d replay.Difference) bool { return d.What == what })
}

// transcripts: a letter of each result of a tool, and of each first message.
func (db *behind) transcripts(t *testing.T) {
	t.Helper()
	const update = `UPDATE run_items SET item = jsonb_set(item, '{text}', to_jsonb($3::text)) WHERE run_id = $1 AND seq = $2::int`
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range db.cells(t, `SELECT run_id::text, seq::text, item ->> 'text' FROM run_items WHERE item ->> 'role' <> 'assistant' ORDER BY run_id, seq`) {
		changed := flipped(c.text, random.IntN(len(c.text)))
		if r := db.changed(t, update, c, changed); r.Identical {
			t.Errorf("a changed entry %s is not found:\n%s\n%s", c.key, changed, shown(r))
		}
	}
}

// systems: a letter of each system prompt.
func (db *behind) systems(t *testing.T) {
	t.Helper()
	const update = `UPDATE agent_runs SET system = $3 WHERE id = $1 AND agent = $2`
	random := rand.New(rand.NewPCG(5, 6))
	for _, c := range db.cells(t, `SELECT id::text, agent, system FROM agent_runs ORDER BY id`) {
		changed := flipped(c.text, random.IntN(len(c.text)))
		r := db.changed(t, update, c, changed)
		if r.Identical || !differs(r, "request") || !strings.Contains(shown(r), "system prompt") {
			t.Errorf("a changed system prompt is not found:\n%s", shown(r))
		}
	}
}
