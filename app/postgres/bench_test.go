package postgres_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/calendar"
	"vivra/specs"
)

// manyOperations is a database with n takeovers under way, each with its whole
// calendar and some publications behind it.
func manyOperations(b *testing.B, n int) *world {
	b.Helper()
	source, err := specs.FS.ReadFile("calendar.yaml")
	if err != nil {
		b.Fatal(err)
	}
	plan, err := calendar.Parse("specs/calendar.yaml", source, []string{"scanner", "designer", "webdev", "cm", "tg_bot", "builder"})
	if err != nil {
		b.Fatal(err)
	}
	w := newWorld(b, app.Dollar)
	w.exec(`INSERT INTO tokens (chain_id, address, name, symbol, decimals, created_at)
SELECT 8453, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'Many', 'EMBER', 18, $2::timestamptz FROM generate_series(1, $1) n`, n, j0)
	w.exec(`INSERT INTO operations (token_id, slug, j0, state, cap_nusd, envelope_nusd, x_handle, telegram_chat, site_host, created_at)
SELECT id, 'op-' || id, $1::timestamptz, 'running', 1000000000, 0, 'ember', 0, '', $1 FROM tokens WHERE name = 'Many'`, j0)
	for _, s := range plan.Expand(j0) {
		w.exec(`INSERT INTO operation_steps (operation_id, key, task, agent, due_at, depends_on, after, validates, recurring, state)
SELECT id, $1, $2, $3, $4, $5, $6, $7, $8, $9 FROM operations WHERE slug LIKE 'op-%'`, s.Key, s.Task, s.Agent, s.DueAt, append([]string{}, s.DependsOn...), append([]string{}, s.After...), s.Validates, s.Recurring, halfway(s))
	}
	w.exec(`INSERT INTO validations (operation_id, step_id, call_id, kind, payload, payload_sha256, draft_no, risk, state, decided_by, decided_at, created_at)
SELECT operation_id, id, '', 'post', '{}', sha256('{}'), 1, '{}', 'approved', 'ada', due_at, due_at FROM operation_steps WHERE state = 'done' AND validates`)
	w.exec(`INSERT INTO effects (effect_key, validation_id, operation_id, step_id, position, kind, account, request, request_sha256, state, not_before, price_nusd, done_at)
SELECT v.id || '/' || p, v.id, v.operation_id, v.step_id, p, 'x.post', 'ember' || v.operation_id, '{}', sha256('{}'), 'done', v.created_at, 0, v.created_at
FROM validations v, generate_series(0, 1) p`)
	w.exec(`ANALYZE`)
	if rows := w.count("operation_steps"); rows != 82*n {
		b.Fatalf("%d rows of %d operations", rows, n)
	}
	return w
}

// halfway is where a step stands on the evening of the 15th day.
var evening = j0.Add(15*24*time.Hour + 10*time.Hour)

func halfway(s app.Step) app.StepState {
	if s.DueAt.After(evening) {
		return app.StepPending
	}
	return app.StepDone
}

// BenchmarkTick asks the database all that a tick asks, with nothing due.
func BenchmarkTick(b *testing.B) {
	w := manyOperations(b, 1000)
	ctx := b.Context()
	asks := []struct {
		name string
		ask  func() error
	}{
		{"due steps", func() error {
			ids, err := w.store.OperationsWithDueSteps(ctx, evening)
			return nothing(len(ids), err)
		}},
		{"effects", func() error {
			jobs, err := w.store.WakeEffects(ctx, evening, wall, wall.Add(lease))
			return nothing(len(jobs), err)
		}},
		{"expired steps", func() error { return w.store.TakeOverExpired(ctx, evening, wall, wall.Add(lease)) }},
		{"expired effects", func() error { return w.store.LoseExpiredEffects(ctx, evening, wall) }},
		{"scheduled", func() error {
			ids, err := w.store.ScheduledDue(ctx, evening)
			return nothing(len(ids), err)
		}},
		{"overdue", func() error {
			if _, err := w.store.Settings(ctx); err != nil {
				return err
			}
			return w.store.RaiseOverdue(ctx, evening.Add(-2*time.Hour), evening)
		}},
	}
	for _, a := range asks {
		b.Run(a.name, func(b *testing.B) {
			for b.Loop() {
				if err := a.ask(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			for _, a := range asks {
				if err := a.ask(); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("one operation that waits", func(b *testing.B) { // due, and waiting for a person
		op := w.operation(9, app.Dollar, step("a.a", "cm", validates), step("a.b", "cm", dependsOn("a.a")))
		w.waitingIn(op.ID, "a.a", app.KindPost, post("x"), j0)
		for b.Loop() {
			if n, err := w.store.AdvanceSteps(ctx, op.ID, j0, wall); nothing(n, err) != nil {
				b.Fatal(n, err)
			}
		}
	})
}

func nothing(n int, err error) error {
	if err == nil && n > 0 {
		err = fmt.Errorf("%d are due, want none", n)
	}
	return err
}

// payers are operations with a run each, for which any number of calls can be paid.
func payers(b *testing.B, operations int) (w *world, claims []app.Claim, runs []app.Run) {
	b.Helper()
	w = newWorld(b, 0)
	w.share("cm", 100)
	for i := range operations {
		op := w.operation(byte(i+2), 1<<50, step("a.a", "cm"))
		claims = append(claims, w.startAt(op.ID, "a.a", j0))
		runs = append(runs, w.run(claims[i], 1<<50))
	}
	w.ctx = b.Context()
	return w, claims, runs
}

// perSecond runs fn from sixteen goroutines and returns how often a second.
func perSecond(b *testing.B, fn func(n int) error) float64 {
	b.Helper()
	var next atomic.Int64
	b.SetParallelism(8)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := fn(int(next.Add(1)) - 1); err != nil {
				b.Error(err)
				return
			}
		}
	})
	return float64(b.N) / b.Elapsed().Seconds()
}

// BenchmarkLedger measures a paid call's way through the books of one
// operation: reserved, settled with its log line, and both; beside it, in the
// same run and on as many connections, the least that could be done: an UPDATE
// of one row, committed.
func BenchmarkLedger(b *testing.B) {
	var bare, reserved float64
	b.Run("bare update", func(b *testing.B) {
		w, claims, _ := payers(b, 1)
		bare = perSecond(b, func(int) error {
			_, err := w.db.Exec(w.ctx, `UPDATE operations SET reserved_nusd = reserved_nusd + 1 WHERE id = $1`, claims[0].OperationID)
			return err
		})
		b.ReportMetric(bare, "updates/s")
	})
	b.Run("reserve", func(b *testing.B) {
		w, claims, runs := payers(b, 1)
		reserved = perSecond(b, func(int) error { _, err := w.reserve(claims[0], runs[0], 100); return err })
		b.ReportMetric(reserved, "reservations/s")
		if bare > 0 {
			b.ReportMetric(bare/reserved, "bare/reserve")
		}
	})
	b.Run("settle", func(b *testing.B) {
		w, claims, runs := payers(b, 1)
		grants := make([]app.CallGrant, b.N)
		for i := range grants {
			var err error
			if grants[i], err = w.reserve(claims[0], runs[0], 100); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(perSecond(b, func(n int) error { return w.settle(claims[0], runs[0], grants[n], 60) }), "settlements/s")
	})
	for _, operations := range []int{1, 8} {
		b.Run(fmt.Sprintf("both/operations=%d", operations), func(b *testing.B) {
			w, claims, runs := payers(b, operations)
			b.ReportMetric(perSecond(b, func(n int) error {
				i := n % operations
				grant, err := w.reserve(claims[i], runs[i], 100)
				if err != nil {
					return err
				}
				return w.settle(claims[i], runs[i], grant, 60)
			}), "calls/s")
		})
	}
}
