package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
)

// ledger is what the books say in one snapshot.
type ledger struct {
	cap, spent, reserved, overrun     app.Nano // of the operation
	calls, held, lines, runs, agents  app.Nano // sums: settled calls, open calls, log lines, runs, agents
	brokenRuns, brokenAgents, strange int
}

func (w *world) ledger() (l ledger, err error) {
	const sums = `coalesce(sum(cost_nusd), 0)::bigint AS cost, coalesce(sum(reserved_nusd) FILTER (WHERE state = 'reserved'), 0)::bigint AS held FROM llm_calls c`
	err = w.db.QueryRow(w.ctx, `
SELECT o.cap_nusd, o.spent_nusd, o.reserved_nusd, o.overrun_nusd, c.cost, c.held,
    (SELECT coalesce(sum(cost_nusd), 0)::bigint FROM events WHERE operation_id = o.id),
    (SELECT coalesce(sum(spent_nusd), 0)::bigint FROM agent_runs WHERE operation_id = o.id),
    (SELECT coalesce(sum(spent_nusd), 0)::bigint FROM agent_spending WHERE operation_id = o.id),
    (SELECT count(*) FROM agent_runs r, LATERAL (SELECT `+sums+` WHERE c.run_id = r.id) of WHERE operation_id = o.id
        AND (r.overrun_nusd > 0 OR r.spent_nusd + r.reserved_nusd > r.budget_nusd OR r.spent_nusd <> of.cost OR r.reserved_nusd <> of.held)),
    (SELECT count(*) FROM agent_spending g, LATERAL (SELECT `+sums+` WHERE c.operation_id = o.id AND c.agent = g.agent) of WHERE operation_id = o.id
        AND (g.overrun_nusd > 0 OR g.spent_nusd + g.reserved_nusd > g.share_nusd OR g.spent_nusd <> of.cost OR g.reserved_nusd <> of.held)),
    (SELECT count(*) FROM llm_calls WHERE lost AND (state <> 'unknown' OR cost_nusd <> reserved_nusd OR cost_source <> 'bound') OR cost_nusd > reserved_nusd)
FROM operations o, LATERAL (SELECT `+sums+` WHERE c.operation_id = o.id) c WHERE o.id = $1`, w.op.ID).
		Scan(&l.cap, &l.spent, &l.reserved, &l.overrun, &l.calls, &l.held, &l.lines, &l.runs, &l.agents, &l.brokenRuns, &l.brokenAgents, &l.strange)
	return l, err
}

func (l ledger) check() error {
	switch {
	case l.overrun != 0:
		return fmt.Errorf("overrun of %d without any cost above its bound", l.overrun)
	case l.spent+l.reserved > l.cap:
		return fmt.Errorf("%d spent and %d reserved pass the cap of %d", l.spent, l.reserved, l.cap)
	case l.spent != l.calls || l.spent != l.lines || l.spent != l.runs || l.spent != l.agents:
		return fmt.Errorf("%d spent, calls cost %d, lines cost %d, runs cost %d, agents cost %d", l.spent, l.calls, l.lines, l.runs, l.agents)
	case l.reserved != l.held:
		return fmt.Errorf("%d reserved, open calls hold %d", l.reserved, l.held)
	case l.brokenRuns > 0 || l.brokenAgents > 0:
		return fmt.Errorf("%d runs and %d agents passed their budget or do not add up", l.brokenRuns, l.brokenAgents)
	case l.strange > 0:
		return fmt.Errorf("%d calls are booked as they can't have been", l.strange)
	}
	return nil
}

// watch looks at the books, again and again, until it is told to stop.
func (w *world) watch() (stop func() (seen int)) {
	end, seen := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-end:
				seen <- n
				return
			default:
			}
			l, err := w.ledger()
			if err := errors.Join(err, l.check()); err != nil {
				w.t.Error(err)
			}
		}
	}()
	return func() int { close(end); return <-seen }
}

// spender is a run that many workers spend for, and its newest claim, which a
// worker may hold on to when it is lost already.
type spender struct {
	key   string
	run   app.Run
	claim atomic.Pointer[app.Claim]
	crash sync.Mutex
}

// takenOver has another process go on with the run: what is open then is lost.
func (s *spender) takenOver(w *world) error {
	s.crash.Lock()
	defer s.crash.Unlock()
	claim := *s.claim.Load()
	if err := w.store.SuspendStep(w.ctx, claim, wall); err != nil && err != postgres.ErrLost {
		return err
	}
	if err := w.store.TakeOverExpired(w.ctx, j0, wall, wall.Add(lease)); err != nil {
		return err
	}
	step, err := w.store.Step(w.ctx, claim.StepID) // which another one's crash may have had taken over
	if err != nil || step.Fence == claim.Fence {   // the operation is paused: nobody takes over
		return err
	}
	claim = claimOf(step)
	_, _, err = w.store.OpenRun(w.ctx, claim, app.Run{}, j0)
	s.claim.Store(&claim)
	return err
}

// TestBudgetHoldsUnderLoad lets many workers spend at random, with answers that
// come late or never, processes that die, requests that are given up and a
// person who pauses: at every instant the books add up and no wall is passed.
func TestBudgetHoldsUnderLoad(t *testing.T) {
	t.Parallel()
	const (
		workers = 64
		rounds  = 14
	)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	agents := []string{"cm", "cm", "cm", "designer", "designer", "designer", "scanner", "scanner"}
	var steps []app.Step
	for i, agent := range agents {
		steps = append(steps, step(fmt.Sprintf("a.%d", i), agent))
	}
	w := newWorld(t, 40_000, steps...) // shares: cm 8,000, designer 20,000, scanner 16,000
	w.share("cm", 20)
	spenders := make([]*spender, len(agents))
	for i, agent := range agents {
		c := w.start(steps[i].Key)
		budget := app.Nano(9_000)
		if i == 0 {
			budget = 1_000
		}
		run, _, err := w.store.OpenRun(w.ctx, c, app.Run{Agent: agent, Task: "a", Model: "gpt-5-mini", PromptSHA256: "p", System: "s", Budget: budget}, j0)
		w.must(err)
		spenders[i] = &spender{key: steps[i].Key, run: run}
		spenders[i].claim.Store(&c)
	}

	stop := w.watch()
	var met tally
	for _, err := range together(workers, func(i int) error {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		for range rounds {
			at := random.IntN(len(spenders))
			if random.IntN(5) == 0 {
				at = 0
			}
			err := spend(w, random, spenders[at], &met)
			if err = met.expected(err); err != nil {
				return err
			}
		}
		if i == 0 {
			return w.interrupt()
		}
		return nil
	}) {
		if err != nil {
			t.Error(err)
		}
	}
	if seen := stop(); seen < 5 {
		t.Errorf("the watcher looked only %d times", seen)
	}
	for _, s := range spenders { // whoever goes on with a run finds what was lost
		_, _, err := w.store.OpenRun(w.ctx, w.stepClaim(s.key), app.Run{}, j0)
		w.must(err)
	}
	l, err := w.ledger()
	if err := errors.Join(err, l.check()); err != nil {
		t.Error(err)
	}
	if l.reserved != 0 || l.spent == 0 {
		t.Errorf("at the end %d is spent and %d still reserved", l.spent, l.reserved)
	}
	for _, what := range []string{"run", "agent", "operation", "crash", "dropped", "given up", "taken over"} {
		if met.count(what) == 0 {
			t.Errorf("nobody met: %s", what)
		}
	}
	if lost := w.count("llm_calls WHERE lost"); lost == 0 {
		t.Error("no call was lost")
	}
	if told := w.alerts("budget_exceeded"); !slices.Contains(told, "operation") || !slices.ContainsFunc(told, func(s string) bool { return strings.HasPrefix(s, "agent:") }) {
		t.Errorf("the team was told of the walls of %v", told)
	}
	if problem := chainProblem(t, w); problem != "" {
		t.Error(problem)
	}
}

// interrupt pauses the operation for a moment.
func (w *world) interrupt() error {
	if err := w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0); err != nil {
		return err
	}
	return w.store.ResumeOperation(w.ctx, w.op.Slug, ada, j0)
}

// tally counts what the workers met.
type tally struct{ met sync.Map }

func (m *tally) add(what string) {
	n, _ := m.met.LoadOrStore(what, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (m *tally) count(what string) int64 {
	n, ok := m.met.Load(what)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}

// expected counts the errors that a spender must live with and returns the others.
func (m *tally) expected(err error) error {
	var budget *app.BudgetError
	switch {
	case err == nil:
	case errors.As(err, &budget):
		m.add(budget.Wall)
	case errors.Is(err, postgres.ErrLost):
		m.add("taken over")
	case errors.Is(err, postgres.ErrPaused):
		m.add("paused")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		m.add("given up")
	default:
		return err
	}
	return nil
}

// spend makes one call with a random bound, a random latency and a random end.
func spend(w *world, random *rand.Rand, s *spender, met *tally) error {
	c := *s.claim.Load()
	request := app.CallRequest{RunID: s.run.ID, Agent: s.run.Agent, Turn: 1, Kind: "model", Model: "gpt-5-mini", RequestSHA256: "r", Price: dear,
		RequestBytes: random.Int64N(400), WantOutput: 100 + random.Int64N(1500), MinOutput: 50}
	if random.IntN(4) == 0 {
		request.Kind, request.Fixed = "image", 1+app.Nano(random.Int64N(900))
	}
	patient, hasty := sometimesHasty(w.ctx, random)
	defer hasty()
	grant, err := w.store.ReserveCall(patient, c, request, j0)
	if err != nil {
		return err
	}
	if most := request.Price.Bound(request.RequestBytes, grant.OutputLimit); request.Fixed == 0 && (grant.Reserved != most || grant.OutputLimit > request.WantOutput || grant.OutputLimit < request.MinOutput) {
		return fmt.Errorf("granted %+v of %+v", grant, request)
	}
	time.Sleep(time.Duration(random.Int64N(int64(4 * time.Millisecond)))) // the model thinks
	out := app.CallOutcome{State: "settled", Cost: app.Nano(random.Int64N(int64(grant.Reserved) + 1)), Source: app.CostTable,
		Usage: &app.Usage{PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15, Reported: true}}
	switch random.IntN(12) {
	case 0:
		out = app.CallOutcome{State: "failed", Cost: 0, Error: "429"}
	case 1:
		out = app.CallOutcome{State: "unknown", Cost: -1, Source: app.CostBound, Error: "no answer"}
	case 2:
		met.add("dropped")
		return nil
	case 3:
		met.add("crash")
		return s.takenOver(w)
	}
	patient, hasty = sometimesHasty(w.ctx, random)
	defer hasty()
	return w.store.SettleCall(patient, c, s.run.ID, 1, grant.ID, out, nil, app.EventLine{Kind: "model_call", Agent: s.run.Agent, Step: s.key, Summary: "Asked"}, j0)
}

// sometimesHasty is a context that in one of eight cases is given up before long.
func sometimesHasty(ctx context.Context, random *rand.Rand) (context.Context, context.CancelFunc) {
	if random.IntN(8) > 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(random.Int64N(int64(6*time.Millisecond))))
}
