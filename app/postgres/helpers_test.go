package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
)

func TestMain(m *testing.M) { testdb.Main(m) }

var (
	// j0 is the product's time in these tests, wall the time of leases.
	j0   = time.Date(2027, 3, 10, 9, 17, 0, 0, time.UTC)
	wall = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

	ada = app.User{ID: 1, Name: "ada", Role: "admin"}
	bob = app.User{ID: 2, Name: "bob", Role: "approver"}
)

const (
	lease   = time.Minute
	spacing = 30 * time.Minute
)

// patience bounds what must never wait for long: a deadlock is a failure, not a
// test that hangs.
const patience = 30 * time.Second

// world is a database with one running operation, and a way past the store.
type world struct {
	t     testing.TB
	ctx   context.Context
	store *postgres.Store
	db    *pgxpool.Pool
	op    app.Operation

	mu   sync.Mutex
	jobs []app.Job // that the store enqueued
}

// newWorld starts an operation at j0 whose steps are all due then.
func newWorld(t testing.TB, budget app.Nano, steps ...app.Step) *world {
	t.Helper()
	url := testdb.URL(t)
	w := &world{t: t, store: openStore(t, url)}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	w.ctx = ctx
	db, err := pgxpool.New(ctx, url)
	w.must(err)
	t.Cleanup(db.Close)
	w.db = db
	w.store.Enqueue = func(_ context.Context, _ pgx.Tx, job app.Job) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.jobs = append(w.jobs, job)
		return nil
	}
	w.op = w.operation(1, budget, steps...)
	return w
}

func openStore(t testing.TB, url string) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// operation starts another takeover, of a token of its own.
func (w *world) operation(n byte, budget app.Nano, steps ...app.Step) app.Operation {
	w.t.Helper()
	in := app.NewOperation{Token: app.Token{Ref: app.TokenRef{ChainID: 8453, Address: app.Address{n}}, Name: "Ember", Symbol: "EMBER", Decimals: 18},
		Slug: fmt.Sprintf("ember-%d", n), J0: j0, Cap: budget, Envelope: 500 * app.Dollar, XHandle: "ember", TelegramChat: -100}
	op, err := w.store.CreateOperation(w.ctx, in, fmt.Sprintf("ember-%d.example", n), steps, ada, j0)
	w.must(err)
	w.must(w.store.BeginOperation(w.ctx, op.ID, j0))
	return op
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// step is a row of a calendar that is due at j0.
func step(key, agent string, change ...func(*app.Step)) app.Step {
	s := app.Step{Key: key, Task: key, Agent: agent, DueAt: j0}
	for _, c := range change {
		c(&s)
	}
	return s
}

func validates(s *app.Step) { s.Validates = true }

func dependsOn(keys ...string) func(*app.Step) {
	return func(s *app.Step) { s.DependsOn = keys }
}

func dueAt(at time.Time) func(*app.Step) {
	return func(s *app.Step) { s.DueAt = at }
}

// start lets the plan start what is due and returns the claim on one step.
func (w *world) start(key string) app.Claim {
	w.t.Helper()
	return w.startAt(w.op.ID, key, j0)
}

func (w *world) startAt(operation int64, key string, now time.Time) app.Claim {
	w.t.Helper()
	_, err := w.store.AdvanceSteps(w.ctx, operation, now, wall.Add(lease))
	w.must(err)
	s := w.stepIn(operation, key)
	if s.State != app.StepRunning {
		w.t.Fatalf("%s is %s at %s: %s", key, s.State, now, s.Error)
	}
	return claimOf(s)
}

func claimOf(s app.Step) app.Claim {
	return app.Claim{OperationID: s.OperationID, StepID: s.ID, Fence: s.Fence}
}

func (w *world) step(key string) app.Step { w.t.Helper(); return w.stepIn(w.op.ID, key) }

func (w *world) stepIn(operation int64, key string) app.Step {
	w.t.Helper()
	steps, err := w.store.Steps(w.ctx, operation)
	w.must(err)
	i := slices.IndexFunc(steps, func(s app.Step) bool { return s.Key == key })
	if i < 0 {
		w.t.Fatalf("there is no step %s", key)
	}
	return steps[i]
}

func (w *world) run(c app.Claim, budget app.Nano) app.Run {
	w.t.Helper()
	run, _, err := w.store.OpenRun(w.ctx, c, app.Run{Agent: "cm", Task: "cm.daily_post", Model: "gpt-5-mini", PromptSHA256: "p", System: "s", Budget: budget}, j0)
	w.must(err)
	return run
}

// waiting brings a step that is due to the point where a person decides on
// payload, and returns what they see.
func (w *world) waiting(key string, kind app.ValidationKind, payload any) app.Validation {
	w.t.Helper()
	return w.waitingIn(w.op.ID, key, kind, payload, j0)
}

func (w *world) waitingIn(operation int64, key string, kind app.ValidationKind, payload any, now time.Time) app.Validation {
	w.t.Helper()
	c := w.startAt(operation, key, now)
	id, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: kind, Payload: payload}, now)
	w.must(err)
	w.must(w.store.FinishRun(w.ctx, c, postgres.RunEnd{Output: json.RawMessage(`{"draft":true}`), Summary: "Finished"}, now))
	v, err := w.store.Validation(w.ctx, id)
	w.must(err)
	return v
}

// undo is how long a decision can be taken back in these tests.
const undo = 10 * time.Second

// approve has ada approve an output at now and lets that be applied when it can
// no longer be undone, which is what it returns.
func (w *world) approve(v app.Validation, now time.Time) (applied time.Time) {
	w.t.Helper()
	_, err := w.store.ApproveValidation(w.ctx, v.Choice(), ada, nil, now)
	w.must(err)
	return w.apply(now)
}

// reject is approve's counterpart, by bob.
func (w *world) reject(v app.Validation, reason string, now time.Time) (applied time.Time) {
	w.t.Helper()
	_, err := w.store.RejectValidation(w.ctx, v.Choice(), bob, reason, now)
	w.must(err)
	return w.apply(now)
}

// apply lets follow what was decided at now.
func (w *world) apply(now time.Time) time.Time {
	w.t.Helper()
	now = now.Add(undo)
	w.must(w.store.ApplyDecisions(w.ctx, now))
	return now
}

// now is a draft as it stands.
func (w *world) now(v app.Validation) app.Validation {
	w.t.Helper()
	v, err := w.store.Validation(w.ctx, v.ID)
	w.must(err)
	return v
}

// set makes a setting hold.
func (w *world) set(key, value string) {
	w.t.Helper()
	w.must(w.store.SetSetting(w.ctx, key, json.RawMessage(value), "ada", j0))
}

// conflict fails unless err is a conflict that says these words.
func (w *world) conflict(err error, says string) {
	w.t.Helper()
	if !isKind(err, app.Conflict) || !strings.Contains(err.Error(), says) {
		w.t.Errorf("want a conflict that says %q, got %v", says, err)
	}
}

// effects are those of a validation, in order.
func (w *world) effects(v app.Validation) []app.Effect {
	w.t.Helper()
	all, err := w.store.Effects(w.ctx, v.OperationID)
	w.must(err)
	var out []app.Effect
	for _, e := range all {
		if e.ValidationID == v.ID {
			out = append(out, e.Effect)
		}
	}
	return out
}

func (w *world) attempt(e app.Effect, now time.Time) (app.Effect, bool) {
	w.t.Helper()
	got, ok, err := w.store.AttemptEffect(w.ctx, e.ID, spacing, now, wall.Add(lease))
	w.must(err)
	return got, ok
}

func (w *world) money() (spent, reserved, overrun app.Nano) {
	w.t.Helper()
	w.scan([]any{&spent, &reserved, &overrun}, `SELECT spent_nusd, reserved_nusd, overrun_nusd FROM operations WHERE id = $1`, w.op.ID)
	return spent, reserved, overrun
}

func (w *world) state() app.OperationState {
	w.t.Helper()
	op, err := w.store.Operation(w.ctx, w.op.ID)
	w.must(err)
	return op.State
}

// alerts returns the subjects of the open alerts of a kind.
func (w *world) alerts(kind string) []string {
	w.t.Helper()
	all, err := w.store.Alerts(w.ctx)
	w.must(err)
	var subjects []string
	for _, a := range all {
		if a.Kind == kind {
			subjects = append(subjects, a.Subject)
		}
	}
	return subjects
}

// summaries are the public log's lines about a step, or of the operation itself.
func (w *world) summaries(key string) []string {
	w.t.Helper()
	events, err := w.store.Events(w.ctx, w.op.ID, 0, 10_000)
	w.must(err)
	var out []string
	for _, e := range events {
		if e.Step == key {
			out = append(out, e.Summary)
		}
	}
	return out
}

func (w *world) scan(dest []any, sql string, args ...any) {
	w.t.Helper()
	if err := w.db.QueryRow(w.ctx, sql, args...).Scan(dest...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

func (w *world) count(sql string, args ...any) (n int) {
	w.t.Helper()
	w.scan([]any{&n}, `SELECT count(*) FROM `+sql, args...)
	return n
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	if _, err := w.db.Exec(w.ctx, sql, args...); err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
}

// refused runs SQL that the database itself must not let through.
func (w *world) refused(why, sql string, args ...any) {
	w.t.Helper()
	_, err := w.db.Exec(w.ctx, sql, args...)
	if err == nil {
		w.t.Errorf("%s: the database let it through", why)
	}
}

// together runs fn n times at once and returns what each said.
func together(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-gate
			errs[i] = fn(i)
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
	return errs
}

func isKind(err error, kind app.Kind) bool {
	var e *app.Error
	return errors.As(err, &e) && e.Kind == kind
}
