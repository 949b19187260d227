package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vivra/app"
)

// TestAHeldOperationHoldsUpNoOther: a transaction that hangs with an operation,
// whoever's it is, does not keep what others decided from being applied.
func TestAHeldOperationHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	w, vs := posts(t, 2, app.Dollar)
	other := w.operation(2, app.Dollar, step("cm.other", "cm", validates))
	v := w.waitingIn(other.ID, "cm.other", app.KindPost, post("elsewhere"), j0)
	w.decided(vs[0], vs[1], v)
	w.exec(`UPDATE validations SET applies_at = applies_at - interval '1 second' WHERE operation_id = $1`, w.op.ID)
	tx, err := w.db.Begin(w.ctx)
	w.must(err)
	defer tx.Rollback(context.WithoutCancel(w.ctx))
	_, err = tx.Exec(w.ctx, `SELECT FROM operations WHERE id = $1 FOR UPDATE`, w.op.ID)
	w.must(err)

	ended := make(chan error, 1)
	go func() { ended <- w.store.ApplyDecisions(w.ctx, j0.Add(undo)) }()
	for w.now(v).AppliedAt == nil && w.ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	w.must(tx.Rollback(w.ctx))
	w.must(<-ended)
	if n := w.count("effects"); n != 3 {
		t.Errorf("%d effects", n)
	}
}

// TestDeadlocksEndWell: stopping an operation and connecting an account touch
// the same publications as another operation's that delays them.
func TestDeadlocksEndWell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 100*app.Dollar)
	w.exec(`INSERT INTO x_accounts (handle, user_id, access_sealed, refresh_sealed, key_id, scopes, expires_at, updated_at) VALUES ('ember', '77', 'c', 'd', 'k', '{}', $1, $1)`, j0)
	account, err := w.store.XAccount(w.ctx, "ember")
	w.must(err)
	for round := range 16 {
		a, b := w.queued(byte(10+2*round)), w.queued(byte(11+2*round))
		w.exec(`UPDATE effects SET state = 'done', done_at = $1 WHERE operation_id = $2 AND position = 0`, j0, b.op.ID)
		for _, err := range together(2, func(i int) error {
			time.Sleep(time.Duration(round*i%6) * time.Millisecond)
			switch {
			case i == 0:
				_, _, err := w.store.AttemptEffect(w.ctx, a.first, spacing, j0.Add(time.Minute), wall.Add(lease))
				return err
			case round%2 == 0:
				return w.store.StopOperation(w.ctx, b.op.Slug, "enough", ada, j0.Add(time.Minute))
			}
			return w.store.ConnectXAccount(w.ctx, "00000000-0000-4000-8000-000000000000", account, "", ada, j0)
		}) {
			w.must(err)
		}
		w.exec(`UPDATE effects SET state = 'void' WHERE state = 'intent'`)
	}
}

type queued struct {
	op    app.Operation
	first int64
}

// queued is an operation with many posts that wait for their account, in an
// order that is not that of their rows.
func (w *world) queued(n byte) queued {
	w.t.Helper()
	op := w.operation(n, 100*app.Dollar, step("cm.a", "cm", validates))
	v := w.waitingIn(op.ID, "cm.a", app.KindPost, post(fmt.Sprint("post ", n)), j0)
	w.approve(v, j0)
	w.exec(`INSERT INTO effects (effect_key, validation_id, operation_id, step_id, position, kind, account, request, request_sha256, not_before, price_nusd, error)
SELECT effect_key || '-' || g, validation_id, operation_id, step_id, g, kind, account, request, request_sha256, not_before + random() * interval '20 minutes', price_nusd, 'It waits for its account: x'
FROM effects, generate_series(1, 200) g WHERE validation_id = $1 ORDER BY random()`, v.ID)
	w.exec(`UPDATE effects SET not_before = $1 WHERE validation_id = $2 AND position = 0`, j0, v.ID)
	w.exec(`ANALYZE effects`)
	return queued{op, w.effects(v)[0].ID}
}

// TestAClockAheadWakesNobodyInVain: an effect that was woken too early is looked
// at again in its time, not at once and over and over.
func TestAClockAheadWakesNobodyInVain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("cm.post", "cm", validates))
	v := w.waiting("cm.post", app.KindPost, post("gm"))
	at := w.approve(v, j0)
	w.exec(`UPDATE effects SET not_before = $1`, at.Add(time.Second))
	told := w.told()
	if jobs, err := w.store.WakeEffects(w.ctx, at.Add(time.Second), wall, wall.Add(lease)); err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	told()
	if _, ok := w.attempt(w.effects(v)[0], at); ok {
		t.Fatal("it is attempted early")
	}
	if n := told(); n != 0 {
		t.Errorf("putting it back is announced %d times", n)
	}
	if jobs, err := w.store.WakeEffects(w.ctx, at.Add(time.Second), wall, wall.Add(lease)); err != nil || len(jobs) != 1 {
		t.Errorf("in its time %d jobs, %v", len(jobs), err)
	}
}

// told counts what was announced since it was asked last.
func (w *world) told() func() int {
	w.t.Helper()
	conn, err := w.db.Acquire(w.ctx)
	w.must(err)
	w.t.Cleanup(conn.Release)
	_, err = conn.Exec(w.ctx, "LISTEN vivra")
	w.must(err)
	return func() (n int) {
		ctx, cancel := context.WithTimeout(w.ctx, 100*time.Millisecond)
		defer cancel()
		for {
			if _, err := conn.Conn().WaitForNotification(ctx); err != nil {
				return n
			}
			n++
		}
	}
}
