package postgres_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"vivra/app"
)

// crowd has n outputs wait, a minute apart, and a few that don't: drafts of runs
// that go on, decided ones. It returns the ids of those that wait, oldest first.
func (w *world) crowd(n int) []string {
	w.t.Helper()
	w.exec(`INSERT INTO operation_steps (operation_id, key, task, agent, due_at, depends_on, after, validates, recurring, state, lease_until, output)
SELECT $1, 'cm.crowd_' || i, 'cm.crowd', 'cm', $2, '{}', '{}', true, false, CASE i % 10 WHEN 0 THEN 'running' ELSE 'waiting_validation' END, CASE i % 10 WHEN 0 THEN $2::timestamptz END, '{}'
FROM generate_series(1, $3::int) i`, w.op.ID, j0, n+n/9+1)
	w.exec(`INSERT INTO validations (operation_id, step_id, call_id, kind, payload, payload_sha256, frozen, frozen_sha256, draft_no, risk, marks, created_at, state, decided_at, applied_at)
SELECT s.operation_id, s.id, 'c', 'post', p.text, sha256(convert_to(p.text, 'UTF8')), p.text, sha256(convert_to(p.text, 'UTF8')), d.no, '{"publish_price_nusd": 15000000}', i % 4 / 3,
    $1::timestamptz + i * interval '1 minute' - d.no * interval '1 second', CASE d.no WHEN 1 THEN 'rejected' ELSE 'pending' END, CASE d.no WHEN 1 THEN $1::timestamptz END, CASE d.no WHEN 1 THEN $1::timestamptz END
FROM operation_steps s, LATERAL (SELECT substr(s.key, 10)::int AS i) n, LATERAL (SELECT '{"account":"ember","text":"' || repeat(s.key, 400) || '"}' AS text) p, (VALUES (1), (2)) d(no)
WHERE s.operation_id = $2 AND s.task = 'cm.crowd' AND NOT (d.no = 1 AND i % 3 > 0) ORDER BY d.no`, j0, w.op.ID)
	w.exec(`ANALYZE validations`)
	w.exec(`ANALYZE operation_steps`)
	rows, err := w.db.Query(w.ctx, `SELECT v.id::text FROM validations v JOIN operation_steps s ON s.id = v.step_id
WHERE v.state = 'pending' AND s.state = 'waiting_validation' ORDER BY v.created_at`)
	w.must(err)
	var ids []string
	for rows.Next() {
		var id string
		w.must(rows.Scan(&id))
		ids = append(ids, id)
	}
	w.must(rows.Err())
	return ids
}

func TestQueueWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	if got, err := w.store.QueueWindow(w.ctx, "", 10); err != nil || got.Total() != 0 {
		t.Errorf("an empty queue is %+v, %v", got, err)
	}
	ids := w.crowd(60)
	if len(ids) < 50 || len(ids) > 62 {
		t.Fatalf("%d wait", len(ids))
	}
	if n, err := w.store.QueueCount(w.ctx); err != nil || n != len(ids) {
		t.Errorf("%d are counted, %d wait: %v", n, len(ids), err)
	}
	end := len(ids)
	at := func(i int) string { return ids[i] }
	for _, tt := range []struct {
		around      string
		size        int
		first, last int // places, the last excluded
	}{
		{"", 10, 0, 10},
		{at(0), 10, 0, 10},
		{at(4), 10, 0, 10},
		{at(20), 10, 15, 25},
		{at(21), 11, 16, 27},
		{at(end - 1), 10, end - 10, end},
		{at(end - 5), 10, end - 10, end},
		{at(end - 6), 10, end - 11, end - 1},
		{at(7), 1000, 0, end},
		{"00000000-0000-4000-8000-000000000000", 10, 0, 10},
	} {
		got, err := w.store.QueueWindow(w.ctx, tt.around, tt.size)
		w.must(err)
		var found []string
		for _, item := range got.Items {
			found = append(found, item.ID)
		}
		if got.Before != tt.first || got.After != end-tt.last || !slices.Equal(found, ids[tt.first:tt.last]) {
			t.Errorf("around %d of size %d: %d before, %d after, %d from place %d", slices.Index(ids, tt.around), tt.size, got.Before, got.After, len(found), slices.Index(ids, found[0]))
		}
	}
	item, err := w.store.QueueWindow(w.ctx, "", 1)
	w.must(err)
	if i := item.Items[0]; i.OperationSlug != "ember-1" || i.TokenSymbol != "EMBER" || i.StepKey != "cm.crowd_1" || i.Agent != "cm" || i.Kind != app.KindPost ||
		i.PublishPrice != 15_000_000 || i.DraftNo != 2 || !i.CreatedAt.Equal(j0.Add(58*time.Second)) {
		t.Errorf("an item is %+v", i)
	}
	if _, err := w.store.QueueWindow(w.ctx, "'; drop table users", 10); !isKind(err, app.NotFound) {
		t.Errorf("around nothing: %v", err)
	}

	w.exec(`UPDATE validations SET state = 'void' WHERE id = $1`, at(20))
	got, err := w.store.QueueWindow(w.ctx, at(20), 10)
	w.must(err)
	if got.Before != 15 || got.Total() != end-1 || got.Items[4].ID != at(19) || got.Items[5].ID != at(21) {
		t.Errorf("around one that waits no more there are %d before, %d in all", got.Before, got.Total())
	}
}

// TestQueueOfAThousand: the list, its count and its batches stay a matter of
// milliseconds, and nothing of a draft's text is read for them.
func TestQueueOfAThousand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	ids := w.crowd(1000)
	const most = 60 * time.Millisecond // a few, on an idle machine
	for what, read := range map[string]func() error{
		"window":   func() error { _, err := w.store.QueueWindow(w.ctx, ids[len(ids)/2], 50); return err },
		"count":    func() error { _, err := w.store.QueueCount(w.ctx); return err },
		"batches":  func() error { _, err := w.store.Batches(w.ctx); return err },
		"batch":    func() error { _, err := w.store.Batch(w.ctx, app.KindPost, 50); return err },
		"undoable": func() error { _, err := w.store.Undoable(w.ctx, j0); return err },
		"next":     func() error { _, err := w.store.NextDecision(w.ctx, j0); return err },
		"apply":    func() error { return w.store.ApplyDecisions(w.ctx, j0) },
		"waiting":  func() error { _, err := w.store.WaitingFor(w.ctx, w.op.ID); return err },
	} {
		fastest := time.Hour
		for range 10 {
			start := time.Now()
			w.must(read())
			fastest = min(fastest, time.Since(start))
		}
		t.Logf("%s: %v", what, fastest)
		if fastest > most {
			t.Errorf("%s takes %v", what, fastest)
		}
	}
}

// TestDecidedOutputsDoNotWait: between a decision and what follows from it.
func TestDecidedOutputsDoNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("designer.kit", "designer", validates), step("designer.directions", "designer", validates))
	v := w.waiting("designer.kit", app.KindKit, app.OutputPayload{Step: "designer.kit", Output: json.RawMessage(`{}`)})
	other := w.waiting("designer.directions", app.KindDirection, app.OutputPayload{Step: "designer.directions", Output: json.RawMessage(`{}`)})
	// Another takeover is not in an operation's list.
	op := w.operation(2, app.Dollar, step("cm.post_0", "cm", validates))
	w.waitingIn(op.ID, "cm.post_0", app.KindPost, post("gm"), j0)
	for _, each := range []app.Validation{v, other} {
		_, err := w.store.ApproveValidation(w.ctx, each.Choice(), ada, nil, j0)
		w.must(err)
	}
	_, err := w.store.WithdrawDecision(w.ctx, w.now(other).Choice(), ada, j0)
	w.must(err)

	waiting, err := w.store.WaitingFor(w.ctx, w.op.ID)
	if err != nil || waiting.Count != 1 || !waiting.Oldest.Equal(other.CreatedAt) {
		t.Errorf("waiting: %+v, %v", waiting, err)
	}
	all, err := w.store.Operations(w.ctx)
	if err != nil || len(all) != 2 || all[0].Waiting != 1 || all[1].Waiting != 1 {
		t.Errorf("waiting by takeover: %+v, %v", all, err)
	}
	list, err := w.store.WaitingOf(w.ctx, w.op.ID)
	if err != nil || len(list) != 1 || list[0].ID != other.ID || list[0].StepKey != "designer.directions" {
		t.Errorf("waiting of it: %+v, %v", list, err)
	}
	gauges, err := w.store.Gauges(w.ctx, j0)
	if err != nil || gauges.Waiting != 2 {
		t.Errorf("%d are waiting by the gauges, %v", gauges.Waiting, err)
	}
	overdue := j0.Add(3 * time.Hour)
	w.must(w.store.RaiseOverdue(w.ctx, j0.Add(time.Hour), overdue))
	if got := w.alerts("validation_overdue"); len(got) != 2 || slices.Contains(got, v.ID) {
		t.Errorf("overdue are %v", got)
	}
	if all, err := w.store.Publications(w.ctx, w.op.ID); err != nil || len(all) != 0 {
		t.Errorf("published is %+v, %v", all, err)
	}
	if counts, err := w.store.Counts(w.ctx, w.op.ID); err != nil || counts.Validations[app.ValidationApproved] != 1 {
		t.Errorf("counted are %v, %v", counts.Validations, err)
	}
	w.apply(j0)
	if all, err := w.store.Publications(w.ctx, w.op.ID); err != nil || len(all) != 1 || all[0].StepKey != "designer.kit" {
		t.Errorf("published is %+v, %v", all, err)
	}
}

// TestAgenda: the clock of a rehearsal comes to each instant at which something
// falls due, and the orchestrator is woken at each.
func TestAgenda(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, app.Dollar)
	next := func(now time.Time, want time.Duration) {
		t.Helper()
		if at, err := w.store.NextInstant(w.ctx, now); err != nil || at == nil || !at.Equal(j0.Add(want)) {
			t.Errorf("after %s comes %v, want %s: %v", now, at, j0.Add(want), err)
		}
	}
	busy := func(now time.Time, want bool) {
		t.Helper()
		if got, err := w.store.Busy(w.ctx, now); err != nil || got != want {
			t.Errorf("at %s busy is %t, %v", now, got, err)
		}
	}
	const day = 24 * time.Hour
	next(j0, 2*time.Hour) // both are overdue then
	if at, err := w.store.NextDecision(w.ctx, time.Time{}); err != nil || at != nil {
		t.Errorf("the next decision is at %v, %v", at, err)
	}
	for i, each := range v {
		_, err := w.store.ApproveValidation(w.ctx, each.Choice(), ada, nil, j0.Add(time.Duration(i)*3*time.Second))
		w.must(err)
	}
	next(j0, undo)
	next(j0.Add(undo), undo+3*time.Second)
	busy(j0.Add(undo-1), false)
	busy(j0.Add(undo), true)
	for from, want := range map[time.Duration]time.Duration{0: undo, undo - 1: undo, undo: undo + 3*time.Second} {
		if at, err := w.store.NextDecision(w.ctx, j0.Add(from)); err != nil || at == nil || !at.Equal(j0.Add(want)) {
			t.Errorf("after %s the next decision is at %v, %v", from, at, err)
		}
	}
	w.must(w.store.ApplyDecisions(w.ctx, j0.Add(undo)))
	next(j0.Add(undo), undo+3*time.Second)
	w.must(w.store.ApplyDecisions(w.ctx, j0.Add(time.Minute)))
	busy(j0.Add(time.Minute), true)         // one post to be sent
	next(j0.Add(time.Minute), undo+spacing) // the turn of the other one
	next(j0.Add(undo+spacing), 3*day)

	for i, each := range v {
		w.exec(`UPDATE effects SET not_before = $1 WHERE validation_id = $2`, j0.Add(time.Duration(i)*time.Hour), each.ID)
	}
	e, ok := w.attempt(w.effects(v[0])[0], j0.Add(time.Minute))
	if !ok {
		t.Fatal("not attempted")
	}
	next(j0.Add(time.Minute), time.Hour)
	next(j0.Add(time.Hour), 3*day+3*time.Second) // the first is perhaps out
	w.must(w.store.EffectDone(w.ctx, e, sent("1"), j0.Add(time.Minute)))
	next(j0.Add(time.Hour), 3*day+3*time.Second)
}
