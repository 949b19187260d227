package testop

import (
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// Approve has Person approve an output at now, and what follows from that happen
// at the instant it returns, when the decision can no longer be undone.
func Approve(tb testing.TB, store *postgres.Store, v app.Validation, now time.Time) (applied time.Time) {
	tb.Helper()
	_, err := store.ApproveValidation(tb.Context(), v.Choice(), Person, nil, now)
	return apply(tb, store, err, now)
}

// Reject has Person send an output back, and what follows from that happen.
func Reject(tb testing.TB, store *postgres.Store, v app.Validation, reason string, now time.Time) (applied time.Time) {
	tb.Helper()
	_, err := store.RejectValidation(tb.Context(), v.Choice(), Person, reason, now)
	return apply(tb, store, err, now)
}

func apply(tb testing.TB, store *postgres.Store, err error, now time.Time) time.Time {
	tb.Helper()
	applied := now.Add(app.DefaultSettings().Undo)
	if err == nil {
		err = store.ApplyDecisions(tb.Context(), applied)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return applied
}
