package rehearsal_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testotlp"
	"vivra/app/rehearsal"
)

// TestKilledRunsAreWholeTraces: processes are killed in mid-run as by kill -9,
// others go on. What a collector got of each run is one trace in one piece,
// whose calls cost what the ledger says.
func TestKilledRunsAreWholeTraces(t *testing.T) {
	t.Parallel()
	from := testotlp.New(t)
	specs := []memberSpec{{Point: "answered", Nth: 2}, {Point: "settled", Nth: 3}, {Point: "tool_done", Nth: 3}, {Point: "pictured", Nth: 1}, {Point: "finishing", Nth: 1}, {}}
	for i := range specs {
		specs[i].Collector = from.URL
	}
	var died atomic.Int64
	p := rehearsal.Plan{Seed: 7, Days: 2, Lease: 2 * time.Second, DataDir: t.TempDir()}
	p.Elsewhere = func(ctx context.Context, at rehearsal.Place) (http.Handler, func(), error) {
		c := &crew{t: t, ctx: ctx, at: at, lease: p.Lease}
		c.all.Go(func() { c.dieInTurn(specs, &died) })
		return nil, c.all.Wait, nil
	}
	e := rehearse(t, p)
	if deaths := len(specs) - 1; int(died.Load()) != deaths {
		t.Fatalf("%d of %d processes died", died.Load(), deaths)
	}
	runs, whole := e.runs(t), 0
	for _, run := range runs {
		if e.assertWhole(t, from, run) {
			whole++
		}
	}
	// A process takes the end of a run with it that it had no time to send.
	if whole < len(runs)-len(specs) || whole == 0 {
		t.Errorf("%d of %d runs are whole traces", whole, len(runs))
	}
	t.Logf("%d of %d runs are whole traces, %d spans", whole, len(runs), len(from.Spans()))
}

// runs are those of the whole takeover.
func (e ending) runs(t *testing.T) (ids []string) {
	t.Helper()
	for _, s := range e.steps {
		runs, err := e.store.RunsOfStep(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range runs {
			ids = append(ids, run.ID)
		}
	}
	return ids
}

// assertWhole checks the trace of a run, unless its end did not arrive.
func (e ending) assertWhole(t *testing.T, from *testotlp.Collector, id string) bool {
	t.Helper()
	run, err := e.store.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	spans := from.Trace(id)
	here := make(map[string]bool)
	for _, s := range spans {
		here[s.ID] = true
	}
	roots, paid, total, air := 0, app.Nano(0), int64(0), []string{}
	for _, s := range spans {
		cost, _ := s.Attributes["vivra.cost_nusd"].(int64)
		paid += app.Nano(cost)
		if s.Parent == "" {
			roots++
			total, _ = s.Attributes["vivra.total_cost_nusd"].(int64)
		} else if !here[s.Parent] {
			air = append(air, s.Name)
		}
	}
	if roots == 0 {
		return false
	}
	if roots > 1 || paid != run.Spent || total != int64(run.Spent) || len(air) > 0 {
		t.Errorf("run %s of %s: %d roots, its calls cost %s, its root says %d, the ledger %s; in the air: %s", id, run.StepKey, roots, paid, total, run.Spent, strings.Join(air, ", "))
	}
	return true
}
