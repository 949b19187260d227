package postgres_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/preflight"
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

// share sets how much of a cap an agent may spend, in percent.
func (w *world) share(agent string, percent int) {
	w.t.Helper()
	w.must(w.store.SetSetting(w.ctx, "budget.share_percent."+agent, fmt.Append(nil, percent), "ada", j0))
}

func TestWalls(t *testing.T) {
	t.Parallel()
	model := func(bytes, want, least int64) app.CallRequest {
		return app.CallRequest{Kind: "model", Price: dear, RequestBytes: bytes, WantOutput: want, MinOutput: least}
	}
	image := func(price app.Nano) app.CallRequest { return app.CallRequest{Kind: "image", Fixed: price} }
	tests := map[string]struct {
		cap, budget app.Nano
		share       int // percent of the cap
		request     app.CallRequest
		output      int64
		wall        string
	}{
		"fits":                     {10_000, 10_000, 100, model(100, 500, 50), 500, ""},
		"lowered to the run":       {10_000, 1_000, 100, model(100, 5_000, 50), 900, ""},
		"lowered to the operation": {1_000, 10_000, 100, model(100, 5_000, 50), 900, ""},
		"lowered to the share":     {10_000, 10_000, 8, model(100, 5_000, 50), 700, ""},
		"not even the least, run":  {10_000, 149, 100, model(100, 5_000, 50), 0, "run"},
		"nor of the operation":     {149, 10_000, 100, model(100, 5_000, 50), 0, "operation"},
		"nor of the share":         {1_490, 10_000, 10, model(100, 5_000, 50), 0, "agent"},
		"just the least":           {150, 150, 100, model(100, 5_000, 50), 50, ""},
		"not even the request":     {10_000, 99, 100, model(100, 5_000, 0), 0, "run"},
		"the request alone":        {99, 99, 100, model(100, 0, 0), 0, "run"},
		"exactly an image":         {500, 500, 100, image(500), 0, ""},
		"an image too dear, run":   {10_000, 499, 100, image(500), 0, "run"},
		"nor for the operation":    {499, 10_000, 100, image(500), 0, "operation"},
		"nor for the share":        {998, 10_000, 50, image(500), 0, "agent"},
		"an agent without a share": {10_000, 10_000, 0, image(1), 0, "agent"},
		"nothing at all":           {0, 10_000, 100, image(1), 0, "operation"},
	}
	w := newWorld(t, 0)
	n := byte(1)
	for name, tt := range tests {
		n++
		w.op = w.operation(n, tt.cap, step("a.a", "cm"))
		w.share("cm", tt.share)
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
		// The team hears of the walls that stand for more than one run.
		want := map[string]string{"run": "", "agent": "agent:cm", "operation": "operation"}[tt.wall]
		_, err = w.store.ReserveCall(w.ctx, c, tt.request, j0)
		var subjects string
		w.scan([]any{&subjects}, `SELECT coalesce(string_agg(subject, ' '), '') FROM alerts WHERE kind = 'budget_exceeded' AND operation_id = $1`, w.op.ID)
		if subjects != want || !errors.As(err, &wall) {
			t.Errorf("%s: alerts of %q, want one of %q", name, subjects, want)
		}
	}
}

// TestReservationsMeetTheWallsAsTheyAre: what changes between a look at what is
// left and the reservation itself is found by the reservation.
func TestReservationsMeetTheWallsAsTheyAre(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change string // of the books, while the reservation waits for the operation's row
		output int64  // granted in the end
		want   error
	}{
		"nothing":             {`SELECT 1`, 1_000, nil},
		"the operation spent": {`UPDATE operations SET spent_nusd = 9700`, 300, nil},
		"the agent spent":     {`UPDATE agent_spending SET reserved_nusd = 9600`, 400, nil},
		"the run spent":       {`UPDATE agent_runs SET spent_nusd = 9500`, 500, nil},
		"all is spent":        {`UPDATE operations SET spent_nusd = 10000`, 0, &app.BudgetError{Wall: "operation"}},
		"the share is":        {`UPDATE agent_spending SET spent_nusd = 9990`, 0, &app.BudgetError{Wall: "agent"}},
		"the run's budget is": {`UPDATE agent_runs SET reserved_nusd = 9999`, 0, &app.BudgetError{Wall: "run"}},
		"paused":              {`UPDATE operations SET state = 'paused'`, 0, postgres.ErrPaused},
		"stopped":             {`UPDATE operations SET state = 'stopped'`, 0, postgres.ErrLost},
		"the run has ended":   {`UPDATE agent_runs SET state = 'failed'`, 0, postgres.ErrLost},
		// A step is looked up as it was when the statement began; the run is not,
		// and it says under which claim it goes on.
		"taken over": {`WITH s AS (UPDATE operation_steps SET fence = fence + 1) UPDATE agent_runs SET fence = fence + 1`, 0, postgres.ErrLost},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 10_000, step("a.a", "cm"))
			w.share("cm", 100)
			c := w.start("a.a")
			run := w.run(c, 10_000)
			tx, err := w.db.Begin(w.ctx)
			w.must(err)
			_, err = tx.Exec(w.ctx, `SELECT FROM operations FOR UPDATE`)
			w.must(err)
			got := make(chan error, 1)
			var grant app.CallGrant
			go func() {
				var err error
				grant, err = w.store.ReserveCall(w.ctx, c, app.CallRequest{RunID: run.ID, Kind: "model", Price: dear, WantOutput: 1_000, MinOutput: 50}, j0)
				got <- err
			}()
			for w.count("pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()") == 0 {
				time.Sleep(time.Millisecond)
			}
			_, err = tx.Exec(w.ctx, tt.change)
			w.must(errors.Join(err, tx.Commit(w.ctx)))
			err = <-got
			if fmt.Sprint(err) != fmt.Sprint(tt.want) || grant.OutputLimit != tt.output || int64(grant.Reserved) != tt.output {
				t.Errorf("granted %+v, %v", grant, err)
			}
			if n := w.count("llm_calls"); n != map[bool]int{true: 1}[tt.want == nil] {
				t.Errorf("%d calls are kept", n)
			}
		})
	}
}

// TestScrambleForTheRest: everybody wants all that is left, which only one can
// have; the others are told so, and not that they lost a race.
func TestScrambleForTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	w.share("cm", 100)
	c := w.start("a.a")
	run := w.run(c, 1_000)
	won := 0
	for _, err := range together(24, func(int) error {
		_, err := w.store.ReserveCall(w.ctx, c, app.CallRequest{RunID: run.ID, Kind: "model", Price: dear, WantOutput: 5_000, MinOutput: 50}, j0)
		return err
	}) {
		var wall *app.BudgetError
		switch {
		case err == nil:
			won++
		case !errors.As(err, &wall):
			t.Error(err)
		}
	}
	if _, reserved, _ := w.money(); won != 1 || reserved != 1_000 {
		t.Errorf("%d have reserved %d", won, reserved)
	}
}

// TestDatabaseKeepsTheWalls, whatever the program does.
func TestDatabaseKeepsTheWalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 500)
	grant, err := w.reserve(c, run, 100)
	w.must(err)
	for why, sql := range map[string]string{
		"the cap":                 `UPDATE operations SET spent_nusd = 901`,
		"the run's budget":        `UPDATE agent_runs SET reserved_nusd = 501`,
		"the share":               `UPDATE agent_spending SET spent_nusd = 301`,
		"less than nothing":       `UPDATE agent_spending SET spent_nusd = -1`,
		"nothing held back":       `UPDATE operations SET reserved_nusd = -1`,
		"settled without a cost":  `UPDATE llm_calls SET state = 'settled'`,
		"a cost below nothing":    `UPDATE llm_calls SET state = 'settled', cost_nusd = -1`,
		"lost and yet settled":    `UPDATE llm_calls SET state = 'settled', cost_nusd = 1, lost = true`,
		"an answer without a sum": `UPDATE llm_calls SET answer = '{}'`,
		"a call of nobody":        `UPDATE llm_calls SET agent = NULL`,
	} {
		w.refused(why, sql)
	}
	w.must(w.settle(c, run, grant, 100))
}

// TestCostAboveItsBound passes each wall in turn, the other one being far away.
func TestCostAboveItsBound(t *testing.T) {
	t.Parallel()
	for wall, table := range map[string]string{"operation": "operations", "run": "agent_runs", "agent": "agent_spending"} {
		amounts := map[string]app.Nano{"operation": 10_000, "run": 9_000}
		amounts[wall] = 1_000
		w := newWorld(t, amounts["operation"], step("a.a", "cm"))
		w.share("cm", map[string]int{"agent": 10}[wall]+map[bool]int{true: 100}[wall != "agent"])
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
		var spent, reserved, overrun app.Nano
		w.scan([]any{&spent, &reserved, &overrun}, `SELECT spent_nusd, reserved_nusd, overrun_nusd FROM `+table)
		if spent != 700 || reserved != 500 || overrun != 200 {
			t.Errorf("%s: %d spent, %d reserved, %d overrun", wall, spent, reserved, overrun)
		}
		if alerts := w.alerts("overrun"); len(alerts) != map[string]int{"operation": 1}[wall] {
			t.Errorf("%s: %d alerts of an overrun", wall, len(alerts))
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
	if err := w.settle(c, run, grant, 10); err != postgres.ErrLost {
		t.Errorf("the late answer: %v", err)
	}
	if spent, reserved, _ := w.money(); spent != 400 || reserved != 0 {
		t.Errorf("after the late answer %d spent, %d reserved", spent, reserved)
	}
	costs, err := w.store.LogCosts(w.ctx, w.op.ID)
	if err != nil || len(costs) != 1 || costs[0].Agent != "cm" || costs[0].Model != "images" || costs[0].Cost != 400 {
		t.Errorf("costs by agent: %+v, %v", costs, err)
	}
}

// TestBudgetWarnsOnce: one alert of the cap and one of each agent's share.
func TestBudgetWarnsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"), step("a.b", "designer"))
	w.share("cm", 100)
	cm := w.start("a.a")
	run := w.run(cm, 1_000)
	designer := w.stepClaim("a.b")
	other, _, err := w.store.OpenRun(w.ctx, designer, app.Run{Agent: "designer", Task: "a", Model: "m", PromptSHA256: "p", System: "s", Budget: 1_000}, j0)
	w.must(err)
	for _, tt := range []struct {
		claim app.Claim
		run   app.Run
		cost  app.Nano
		want  string // what the team has been told of
	}{
		{designer, other, 399, ""},
		{designer, other, 1, "agent:designer"},
		{designer, other, 50, "agent:designer"},
		{cm, run, 349, "agent:designer"},
		{cm, run, 1, "operation agent:designer"},
		{cm, run, 150, "operation agent:designer"},
	} {
		grant, err := w.reserve(tt.claim, tt.run, tt.cost)
		w.must(err)
		w.must(w.settle(tt.claim, tt.run, grant, tt.cost))
		if got := strings.Join(w.alerts("budget_warning"), " "); got != tt.want {
			spent, _, _ := w.money()
			t.Errorf("warned of %q at %d of 1000, want %q", got, spent, tt.want)
		}
	}
}

// TestPublicationsCountAgainstTheShare and are not stopped by it.
func TestPublicationsCountAgainstTheShare(t *testing.T) {
	t.Parallel()
	w, v := posts(t, 2, 10*preflight.PricePost)
	w.share("cm", 10)
	for i, each := range v {
		at := w.approve(each, j0.Add(time.Duration(i)*spacing))
		e, ok := w.attempt(w.effects(each)[0], at)
		if !ok {
			t.Fatalf("post %d was not let out", i)
		}
		w.must(w.store.EffectDone(w.ctx, e, sent(fmt.Sprint(i)), at))
	}
	s, err := w.store.Spending(w.ctx, w.op.ID)
	if err != nil || len(s.Agents) != 1 || s.Agents[0] != (app.AgentSpending{Agent: "cm", Share: preflight.PricePost, Spent: 2 * preflight.PricePost}) || s.Spent != 2*preflight.PricePost || s.Today != s.Spent {
		t.Errorf("spending %+v, %v", s, err)
	}
	if got := w.alerts("budget_warning"); fmt.Sprint(got) != "[agent:cm]" {
		t.Errorf("warned of %v", got)
	}
}

// TestStopBooksWhatIsOpen with everyone who held it back.
func TestStopBooksWhatIsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1_000)
	grant, err := w.reserve(c, run, 300)
	w.must(err)
	w.must(w.store.StopOperation(w.ctx, w.op.Slug, "enough", ada, j0))
	l, err := w.ledger()
	if err := errors.Join(err, l.check()); err != nil || l.spent != 300 || l.reserved != 0 || w.count("llm_calls WHERE lost") != 1 {
		t.Errorf("after the stop: %+v, %v", l, err)
	}
	if err := w.settle(c, run, grant, 10); err != postgres.ErrLost { // too late to change anything
		t.Errorf("the late answer: %v", err)
	}
	if _, err := w.reserve(c, run, 1); !errors.Is(err, postgres.ErrLost) {
		t.Errorf("a stopped operation pays: %v", err)
	}
	if l, err = w.ledger(); errors.Join(err, l.check()) != nil || l.spent != 300 {
		t.Errorf("at the end: %+v, %v", l, err)
	}
}

// TestSharesFollowTheirSetting when a run begins or goes on.
func TestSharesFollowTheirSetting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1_000)
	grant, err := w.reserve(c, run, 400)
	w.must(err)
	w.must(w.settle(c, run, grant, 400))
	var wall *app.BudgetError
	for _, tt := range []struct {
		percent int
		fits    bool
	}{{40, false}, {41, true}, {20, false}, {60, true}} {
		w.share("cm", tt.percent)
		w.run(c, 0)
		grant, err := w.reserve(c, run, 10)
		if tt.fits != (err == nil) || err != nil && (!errors.As(err, &wall) || wall.Wall != "agent") {
			t.Errorf("with %d %%: %v", tt.percent, err)
		}
		if err == nil {
			w.must(w.settle(c, run, grant, 0))
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

// TestCallsOfTheProgramBeforeAreBooked: it knew no shares, so it named no agent
// and held nothing back of a share.
func TestCallsOfTheProgramBeforeAreBooked(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*world, app.Claim, app.Run, app.CallGrant) error{
		"settled": func(w *world, c app.Claim, run app.Run, grant app.CallGrant) error {
			return w.settle(c, run, grant, 50)
		},
		"lost": func(w *world, c app.Claim, _ app.Run, _ app.CallGrant) error {
			_, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0)
			return err
		},
	} {
		w := newWorld(t, 1_000, step("a.a", "cm"))
		c := w.start("a.a")
		run := w.run(c, 1_000)
		grant, err := w.reserve(c, run, 50)
		w.must(err)
		w.exec(`UPDATE llm_calls SET agent = ''`)
		w.exec(`DELETE FROM agent_spending`)
		w.must(end(w, c, run, grant))
		var ofRun, ofAgent, held app.Nano
		w.scan([]any{&ofRun, &ofAgent, &held}, `SELECT r.spent_nusd, g.spent_nusd, r.reserved_nusd + g.reserved_nusd FROM agent_runs r JOIN agent_spending g ON g.agent = 'cm'`)
		if spent, reserved, _ := w.money(); spent != 50 || reserved != 0 || ofRun != 50 || ofAgent != 50 || held != 0 {
			t.Errorf("%s: the operation has spent %d and holds %d, the run has spent %d, the agent %d, both hold %d", name, spent, reserved, ofRun, ofAgent, held)
		}
	}
}
