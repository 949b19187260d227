// Package testop puts takeovers into a database for tests.
package testop

import (
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// J0 is when the takeovers of tests begin.
var J0 = time.Date(2027, 1, 11, 9, 0, 0, 0, time.UTC)

// Person decides in tests.
var Person = app.User{ID: 1, Name: "ada", Role: "admin"}

// Token returns the n-th token of tests.
func Token(n byte) app.Token {
	return app.Token{Ref: app.TokenRef{ChainID: 8453, Address: app.Address{0xd0, 0xd0, 19: n}}, Name: "Dodo", Symbol: "DODO", Decimals: 18}
}

// New returns a takeover of the n-th token that runs since J0 with these steps.
func New(tb testing.TB, store *postgres.Store, n byte, budget app.Nano, steps ...app.Step) app.Operation {
	tb.Helper()
	slug := "dodo-" + string('a'+rune(n))
	return Of(tb, store, app.NewOperation{Token: Token(n), Slug: slug, J0: J0, Cap: budget, Envelope: 500 * app.Dollar,
		XHandle: "dodo_back", TelegramChat: -1001000000001}, steps...)
}

// Of returns a takeover with these steps that runs since its J0.
func Of(tb testing.TB, store *postgres.Store, in app.NewOperation, steps ...app.Step) app.Operation {
	tb.Helper()
	op, err := store.CreateOperation(tb.Context(), in, in.Slug+".vivra.example", steps, Person, in.J0)
	if err == nil {
		err = store.BeginOperation(tb.Context(), op.ID, in.J0)
	}
	if err == nil {
		op, err = store.Operation(tb.Context(), op.ID)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return op
}

// Step returns a step that is due at J0: key is its task, or its task and a number.
func Step(agent, key, task string, validates bool) app.Step {
	return app.Step{Key: key, Task: task, Agent: agent, DueAt: J0, DependsOn: []string{}, After: []string{}, Validates: validates}
}

// Start starts what is due and returns the claim on the step of that key.
func Start(tb testing.TB, store *postgres.Store, op app.Operation, key string, now, lease time.Time) (app.Claim, app.Step) {
	tb.Helper()
	if _, err := store.AdvanceSteps(tb.Context(), op.ID, now, lease); err != nil {
		tb.Fatal(err)
	}
	st := ByKey(tb, store, op, key)
	if st.State != app.StepRunning {
		tb.Fatalf("%s is %s: %s", key, st.State, st.Error)
	}
	return app.Claim{OperationID: op.ID, StepID: st.ID, Fence: st.Fence}, st
}

// ByKey returns a step as it stands now.
func ByKey(tb testing.TB, store *postgres.Store, op app.Operation, key string) app.Step {
	tb.Helper()
	steps, err := store.Steps(tb.Context(), op.ID)
	if err != nil {
		tb.Fatal(err)
	}
	beside, err := store.ContinuousSteps(tb.Context(), op.ID, 1000)
	if err != nil {
		tb.Fatal(err)
	}
	for _, st := range append(steps, beside...) {
		if st.Key == key {
			return st
		}
	}
	tb.Fatalf("there is no step %s", key)
	return app.Step{}
}

// Alerts returns the open alerts of a kind.
func Alerts(tb testing.TB, store *postgres.Store, kind string) (found []app.Alert) {
	tb.Helper()
	all, err := store.Alerts(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, a := range all {
		if a.Kind == kind {
			found = append(found, a)
		}
	}
	return found
}

// Log returns the whole public log of a takeover.
func Log(tb testing.TB, store *postgres.Store, op app.Operation) []app.Event {
	tb.Helper()
	events, err := store.EventsAfter(tb.Context(), op.ID, 0, 100_000)
	if err != nil {
		tb.Fatal(err)
	}
	return events
}

// Balanced fails unless what the takeover has spent is the sum of its log, and
// nothing is held back any more.
func Balanced(tb testing.TB, store *postgres.Store, op app.Operation) app.Nano {
	tb.Helper()
	now, err := store.Operation(tb.Context(), op.ID)
	if err != nil {
		tb.Fatal(err)
	}
	var sum app.Nano
	for _, e := range Log(tb, store, op) {
		sum += e.Cost
	}
	if now.Spent != sum || now.Reserved != 0 {
		tb.Errorf("spent %s and reserved %s, while the log sums to %s", now.Spent, now.Reserved, sum)
	}
	return now.Spent
}
