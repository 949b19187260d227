package postgres_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
)

// dear costs a nano-dollar a token, so that amounts are easy to read.
var dear = app.Price{Input: 1_000_000, Cached: 1_000_000, Output: 1_000_000}

func (w *world) reserve(c app.Claim, run app.Run, fixed app.Nano) (app.CallGrant, error) {
	return w.store.ReserveCall(w.ctx, c, app.CallRequest{RunID: run.ID, Kind: "image", Model: "images", RequestSHA256: "r", Fixed: fixed}, j0)
}

func (w *world) settle(c app.Claim, run app.Run, grant app.CallGrant, cost app.Nano) error {
	return w.store.SettleCall(w.ctx, c, run.ID, 0, grant.ID, app.CallOutcome{State: "settled", Cost: cost, Source: app.CostTable}, nil,
		app.EventLine{Kind: "tool_call", Agent: "cm", Step: "a.a", Summary: "Paid"}, j0)
}

// ledger is what the books say in one snapshot.
type ledger struct {
	cap, spent, reserved, overrun app.Nano // of the operation
	calls, held, lines, runs      app.Nano // sums: settled calls, open calls, log lines, runs
	brokenRuns                    int
}

func (w *world) ledger() (l ledger, err error) {
	err = w.db.QueryRow(w.ctx, `
SELECT o.cap_nusd, o.spent_nusd, o.reserved_nusd, o.overrun_nusd,
    (SELECT coalesce(sum(cost_nusd), 0)::bigint FROM llm_calls WHERE operation_id = o.id),
    (SELECT coalesce(sum(reserved_nusd), 0)::bigint FROM llm_calls WHERE operation_id = o.id AND state = 'reserved'),
    (SELECT coalesce(sum(cost_nusd), 0)::bigint FROM events WHERE operation_id = o.id),
    (SELECT coalesce(sum(spent_nusd), 0)::bigint FROM agent_runs WHERE operation_id = o.id),
    (SELECT count(*) FROM agent_runs r WHERE operation_id = o.id AND (r.overrun_nusd > 0
        OR r.spent_nusd + r.reserved_nusd > r.budget_nusd
        OR r.spent_nusd <> (SELECT coalesce(sum(cost_nusd), 0) FROM llm_calls c WHERE c.run_id = r.id)
        OR r.reserved_nusd <> (SELECT coalesce(sum(reserved_nusd), 0) FROM llm_calls c WHERE c.run_id = r.id AND c.state = 'reserved')))
FROM operations o WHERE o.id = $1`, w.op.ID).
		Scan(&l.cap, &l.spent, &l.reserved, &l.overrun, &l.calls, &l.held, &l.lines, &l.runs, &l.brokenRuns)
	return l, err
}

func (l ledger) check() error {
	switch {
	case l.overrun != 0:
		return fmt.Errorf("overrun of %d without any cost above its bound", l.overrun)
	case l.spent+l.reserved > l.cap:
		return fmt.Errorf("%d spent and %d reserved pass the cap of %d", l.spent, l.reserved, l.cap)
	case l.spent != l.calls || l.spent != l.lines || l.spent != l.runs:
		return fmt.Errorf("%d spent, calls cost %d, lines cost %d, runs cost %d", l.spent, l.calls, l.lines, l.runs)
	case l.reserved != l.held:
		return fmt.Errorf("%d reserved, open calls hold %d", l.reserved, l.held)
	case l.brokenRuns > 0:
		return fmt.Errorf("%d runs passed their budget or do not add up", l.brokenRuns)
	}
	return nil
}

// TestBudgetHoldsUnderLoad lets many workers spend at random: at every instant
// the books add up and no wall is passed.
func TestBudgetHoldsUnderLoad(t *testing.T) {
	t.Parallel()
	const (
		workers = 32
		rounds  = 12
		runs    = 6
	)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var steps []app.Step
	for i := range runs {
		steps = append(steps, step(fmt.Sprintf("a.%d", i), "cm"))
	}
	w := newWorld(t, 60_000, steps...)
	claims, open := make([]app.Claim, runs), make([]app.Run, runs)
	for i := range runs {
		claims[i] = w.start(steps[i].Key)
		open[i] = w.run(claims[i], 15_000)
	}

	stop, watched := make(chan struct{}), make(chan int)
	go func() {
		defer close(watched)
		seen := 0
		for {
			select {
			case <-stop:
				watched <- seen
				return
			default:
			}
			l, err := w.ledger()
			if err := errors.Join(err, l.check()); err != nil {
				t.Error(err)
			}
			seen++
		}
	}()

	var refusals sync.Map
	var lost atomic.Int64
	for _, err := range together(workers, func(i int) error {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for range rounds {
			at := random.IntN(runs) * random.IntN(2) // the first run has half of the calls
			err := spend(w, random, claims[at], open[at], &lost)
			var wall *app.BudgetError
			if errors.As(err, &wall) {
				refusals.Store(wall.Wall, true)
				continue
			}
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if seen := <-watched; seen < 5 {
		t.Errorf("the watcher looked only %d times", seen)
	}
	for i := range runs {
		w.run(claims[i], 0) // whoever goes on with a run finds what was lost
	}
	l, err := w.ledger()
	if err := errors.Join(err, l.check()); err != nil {
		t.Error(err)
	}
	if l.reserved != 0 || l.spent == 0 {
		t.Errorf("at the end %d is spent and %d still reserved", l.spent, l.reserved)
	}
	for _, wall := range []string{"run", "operation"} {
		if _, met := refusals.Load(wall); !met {
			t.Errorf("nobody met the wall of the %s", wall)
		}
	}
	if lost.Load() == 0 {
		t.Error("no call was lost")
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

// spend makes one call with a random bound and a random end.
func spend(w *world, random *rand.Rand, c app.Claim, run app.Run, lost *atomic.Int64) error {
	request := app.CallRequest{RunID: run.ID, Turn: 1, Kind: "model", Model: "gpt-5-mini", RequestSHA256: "r", Price: dear,
		RequestBytes: random.Int64N(400), WantOutput: 100 + random.Int64N(1500), MinOutput: 50}
	if random.IntN(4) == 0 {
		request.Kind, request.Fixed = "image", 1+app.Nano(random.Int64N(900))
	}
	grant, err := w.store.ReserveCall(w.ctx, c, request, j0)
	if err != nil {
		return err
	}
	if most := request.Price.Bound(request.RequestBytes, grant.OutputLimit); request.Fixed == 0 && (grant.Reserved != most || grant.OutputLimit > request.WantOutput || grant.OutputLimit < request.MinOutput) {
		return fmt.Errorf("granted %+v of %+v", grant, request)
	}
	out := app.CallOutcome{State: "settled", Cost: app.Nano(random.Int64N(int64(grant.Reserved) + 1)), Source: app.CostTable,
		Usage: &app.Usage{PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15, Reported: true}}
	switch random.IntN(8) {
	case 0:
		out = app.CallOutcome{State: "failed", Cost: 0, Error: "429"}
	case 1:
		out = app.CallOutcome{State: "unknown", Cost: -1, Source: app.CostBound, Error: "no answer"}
	case 2:
		lost.Add(1)
		if random.IntN(2) == 0 {
			return nil
		}
		_, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0)
		return err
	}
	return w.store.SettleCall(w.ctx, c, run.ID, 1, grant.ID, out, nil, app.EventLine{Kind: "model_call", Agent: "cm", Step: "a", Summary: "Asked"}, j0)
}

func TestWalls(t *testing.T) {
	t.Parallel()
	model := func(bytes, want, least int64) app.CallRequest {
		return app.CallRequest{Kind: "model", Price: dear, RequestBytes: bytes, WantOutput: want, MinOutput: least}
	}
	image := func(price app.Nano) app.CallRequest { return app.CallRequest{Kind: "image", Fixed: price} }
	tests := map[string]struct {
		cap, budget app.Nano
		request     app.CallRequest
		output      int64
		wall        string
	}{
		"fits":                     {10_000, 10_000, model(100, 500, 50), 500, ""},
		"lowered to the run":       {10_000, 1_000, model(100, 5_000, 50), 450, ""},
		"lowered to the operation": {1_000, 10_000, model(100, 5_000, 50), 450, ""},
		"not even the least, run":  {10_000, 199, model(100, 5_000, 50), 0, "run"},
		"nor of the operation":     {199, 10_000, model(100, 5_000, 50), 0, "operation"},
		"not even the request":     {10_000, 99, model(100, 5_000, 0), 0, "run"},
		"the request alone":        {99, 99, model(100, 0, 0), 0, "run"},
		"exactly an image":         {500, 500, image(500), 0, ""},
		"an image too dear, run":   {10_000, 499, image(500), 0, "run"},
		"nor for the operation":    {499, 10_000, image(500), 0, "operation"},
		"nothing at all":           {0, 10_000, image(1), 0, "operation"},
	}
	w := newWorld(t, 0)
	n := byte(1)
	for name, tt := range tests {
		n++
		w.op = w.operation(n, tt.cap, step("a.a", "cm"))
		c := w.start("a.a")
		tt.request.RunID = w.run(c, tt.budget).ID
		grant, err := w.store.ReserveCall(w.ctx, c, tt.request, j0)
		_, reserved, _ := w.money()
		if tt.wall == "" {
			if err != nil || grant.OutputLimit != tt.output || grant.Reserved != reserved {
				t.Errorf("%s: granted %+v, %v; %d is reserved", name, grant, err, reserved)
			}
			continue
		}
		var wall *app.BudgetError
		if !errors.As(err, &wall) || wall.Wall != tt.wall || reserved != 0 || w.count("llm_calls WHERE operation_id = $1", w.op.ID) != 0 {
			t.Errorf("%s: %v; %d is reserved", name, err, reserved)
		}
	}
}

// TestCostAboveItsBound passes each wall in turn, the other one being far away.
func TestCostAboveItsBound(t *testing.T) {
	t.Parallel()
	for _, wall := range []string{"operation", "run"} {
		amounts := map[string]app.Nano{"operation": 9_000, "run": 9_000}
		amounts[wall] = 1_000
		w := newWorld(t, amounts["operation"], step("a.a", "cm"))
		c := w.start("a.a")
		run := w.run(c, amounts["run"])
		grants := make([]app.CallGrant, 4)
		for i := range grants {
			var err error
			grants[i], err = w.reserve(c, run, 250)
			w.must(err)
		}
		w.must(w.settle(c, run, grants[0], 300))
		w.must(w.settle(c, run, grants[1], 400))
		spent, reserved, overrun := w.money()
		alerts := w.alerts("overrun")
		if wall == "run" {
			w.scan([]any{&spent, &reserved, &overrun}, `SELECT spent_nusd, reserved_nusd, overrun_nusd FROM agent_runs`)
		} else if len(alerts) != 1 {
			t.Errorf("%d alerts of an overrun, want 1", len(alerts))
		}
		if spent != 700 || reserved != 500 || overrun != 200 {
			t.Errorf("%s: %d spent, %d reserved, %d overrun", wall, spent, reserved, overrun)
		}

		// What the other calls leave counts from the wall, not from what it was passed by.
		w.must(w.settle(c, run, grants[2], 0))
		w.must(w.settle(c, run, grants[3], 100))
		var met *app.BudgetError
		if grant, err := w.reserve(c, run, 201); !errors.As(err, &met) || met.Wall != wall {
			t.Errorf("%s: 800 of 1000 are spent, and for 201 more: %+v, %v", wall, grant, err)
		}
		grant, err := w.reserve(c, run, 200)
		w.must(err)
		w.must(w.settle(c, run, grant, 200))
		if _, cost, err := w.store.LogTotals(w.ctx, w.op.ID); err != nil || cost != 1_000 {
			t.Errorf("%s: the log's total is %d, %v", wall, cost, err)
		}
		if _, err := w.reserve(c, run, 1); !errors.As(err, &met) || met.Wall != wall {
			t.Errorf("%s: all is spent, and for 1 more: %v", wall, err)
		}
	}
}

func TestLostCallsAreBookedAtTheirBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1_000)
	grant, err := w.reserve(c, run, 400)
	w.must(err)
	resumed, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0)
	w.must(err)
	if resumed.ID != run.ID || resumed.Spent != 400 {
		t.Errorf("the run goes on as %+v", resumed)
	}
	if spent, reserved, _ := w.money(); spent != 400 || reserved != 0 {
		t.Errorf("%d spent, %d reserved", spent, reserved)
	}
	if got := w.step("a.a").Cost; got != 400 {
		t.Errorf("the step has cost %d: what it lost is not counted as its own", got)
	}
	// The answer that comes after all changes nothing: the bound stands.
	w.must(w.settle(c, run, grant, 10))
	if spent, reserved, _ := w.money(); spent != 400 || reserved != 0 {
		t.Errorf("after the late answer %d spent, %d reserved", spent, reserved)
	}
	costs, err := w.store.LogCosts(w.ctx, w.op.ID)
	if err != nil || len(costs) != 1 || costs[0].Agent != "cm" || costs[0].Model != "images" || costs[0].Cost != 400 {
		t.Errorf("costs by agent: %+v, %v", costs, err)
	}
}

func TestBudgetWarnsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1_000)
	for i, want := range []int{0, 1, 1} {
		grant, err := w.reserve(c, run, 100)
		w.must(err)
		cost := app.Nano(100)
		if i == 0 {
			big, err := w.reserve(c, run, 699)
			w.must(err)
			w.must(w.settle(c, run, big, 699))
		}
		w.must(w.settle(c, run, grant, cost))
		if got := len(w.alerts("budget_warning")); got != want {
			spent, _, _ := w.money()
			t.Errorf("%d warnings at %d of 1000, want %d", got, spent, want)
		}
	}
}

// TestManyOperationsDoNotStarveEachOther: each transaction holds one
// connection only, so a full pool of them still comes to an end.
func TestManyOperationsDoNotStarveEachOther(t *testing.T) {
	t.Parallel()
	const n = 40
	w := newWorld(t, 1_000_000, step("a.a", "cm"))
	type spender struct {
		claim app.Claim
		run   app.Run
	}
	var all []spender
	for i := range n {
		op := w.operation(byte(i+2), 1_000_000, step("a.a", "cm"))
		c := w.startAt(op.ID, "a.a", j0)
		all = append(all, spender{c, w.run(c, 1_000_000)})
	}
	began := time.Now()
	for _, err := range together(n, func(i int) error {
		for range 3 {
			grant, err := w.reserve(all[i].claim, all[i].run, 10)
			if err != nil {
				return err
			}
			if err := w.settle(all[i].claim, all[i].run, grant, 5); err != nil {
				return err
			}
		}
		return nil
	}) {
		if err != nil {
			t.Fatalf("after %s: %v", time.Since(began), err)
		}
	}
}
