package postgres_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
)

// TestALogSaysOnceADayWhereItStands: whoever ticks, however many, in whatever
// order, after whatever pause.
func TestALogSaysOnceADayWhereItStands(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, testop.Step("cm", "a.a", "a", false))
	other, err := postgres.Open(w.ctx, w.db.Config().ConnString())
	w.must(err)
	t.Cleanup(other.Close)
	day := 24 * time.Hour
	midnight := j0.Truncate(day).Add(day)
	for _, at := range []time.Time{
		midnight.Add(-time.Second),                               // the first day has nothing to look back on
		midnight, midnight.Add(time.Hour), midnight.Add(day - 1), // the second day
		midnight.Add(5 * day), midnight.Add(5*day + 3*time.Hour), // nobody was there for three days
		midnight.Add(4 * day), midnight.Add(6 * day).Add(-time.Minute), // a clock behind
	} {
		var wg sync.WaitGroup
		for i := range 16 {
			store := []*postgres.Store{w.store, other}[i%2]
			wg.Go(func() {
				if err := store.WriteHeads(w.ctx, at); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	events, err := w.store.Events(w.ctx, w.op.ID, 0, 1000)
	w.must(err)
	var heads []string
	for _, e := range events {
		if e.Kind == app.HeadKind {
			heads = append(heads, e.At.UTC().Format("Jan 2 15:04"))
			if !strings.Contains(e.Summary, e.PrevHash) {
				t.Errorf("row %d says %q, before it the hash is %s", e.Seq, e.Summary, e.PrevHash)
			}
		}
	}
	want := midnight.Format("Jan 2 15:04") + " " + midnight.Add(5*day).Format("Jan 2 15:04")
	if got := strings.Join(heads, " "); got != want {
		t.Errorf("it said so at %s, want %s", got, want)
	}
	var log bytes.Buffer
	op, err := w.store.Operation(w.ctx, w.op.ID)
	w.must(err)
	w.must(app.ExportLog(op, &log, func(row int64, most int) ([]app.Event, error) { return w.store.EventsAfter(w.ctx, op.ID, row, most) }, func() {}))
	if proof, err := app.VerifyLog(&log, op.HeadHash); err != nil || int64(proof.Rows) != op.Seq {
		t.Errorf("it has %d rows of %d: %v", proof.Rows, op.Seq, err)
	}
}

// TestNoHeadOfWhatIsOver: a log that has ended is not written on.
func TestNoHeadOfWhatIsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, testop.Step("cm", "a.a", "a", false))
	w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, j0.Add(time.Hour)))
	before, err := w.store.Operation(w.ctx, w.op.ID)
	w.must(err)
	w.must(w.store.WriteHeads(w.ctx, j0.AddDate(0, 0, 2)))
	if after, err := w.store.Operation(w.ctx, w.op.ID); err != nil || after.Seq != before.Seq {
		t.Errorf("it went on from row %d to %d: %v", before.Seq, after.Seq, err)
	}
}
