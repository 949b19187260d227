package postgres_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/postgres"
)

func TestGauges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10*app.Dollar, step("scanner.go_nogo", "scanner", validates), step("cm.later", "cm", dueAt(j0.Add(time.Hour))), step("cm.last", "cm", dueAt(j0.Add(2*time.Hour))))
	c := w.start("scanner.go_nogo")
	_, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: app.KindGoNoGo, Payload: json.RawMessage(`{"go":true}`)}, j0.Add(time.Minute))
	w.must(err)
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "x_account", "a", "one", j0))
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "agent_no_data", "b", "two", j0))
	w.must(w.store.RaiseAlert(w.ctx, w.op.ID, "agent_whatever_a_model_says", "c", "three", j0))
	alerts, err := w.store.Alerts(w.ctx)
	w.must(err)
	w.must(w.store.AcknowledgeAlert(w.ctx, alerts[0].ID, ada, j0))
	over := w.operation(2, app.Dollar, step("cm.never", "cm"))
	w.must(w.store.StopOperation(w.ctx, over.Slug, "enough", ada, j0))

	got, err := w.store.Gauges(w.ctx, j0.Add(90*time.Minute))
	w.must(err)
	late, waits := j0.Add(time.Hour), j0.Add(time.Minute)
	want := app.Gauges{
		Operations: map[string]int{"running": 1, "stopped": 1},
		Steps:      map[string]int{"running": 1, "pending": 2},
		Effects:    map[string]int{},
		Alerts:     map[string]int{"x_account": 1, "agent": 2},
		OpenAlerts: map[string]int{"x_account": 1, "agent": 1},
		Waiting:    1, OldestWaiting: &waits, OldestStep: &late, Cap: 10 * app.Dollar,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGaugesOfNothing: a new installation has something to tell, too.
func TestGaugesOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	got, err := w.store.Gauges(w.ctx, j0)
	w.must(err)
	if got.Waiting != 0 || got.OldestStep != nil || got.OldestWaiting != nil || got.OldestEffect != nil || len(got.Steps) != 0 {
		t.Errorf("got %+v", got)
	}
}

func BenchmarkGauges(b *testing.B) {
	w := newWorld(b, app.Dollar, step("cm.a", "cm"))
	_, err := w.db.Exec(w.ctx, `INSERT INTO operation_steps (operation_id, key, task, agent, due_at, depends_on, after, validates, recurring)
		SELECT $1, 'cm.s' || n, 'cm.s', 'cm', $2, '{}', '{}', false, false FROM generate_series(1, 8200) n`, w.op.ID, j0)
	w.must(err)
	for b.Loop() {
		if _, err := w.store.Gauges(w.ctx, j0); err != nil {
			b.Fatal(err)
		}
	}
}
