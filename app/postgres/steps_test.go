package postgres_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/postgres"
)

func TestDueStepsStartOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm"), step("a.c", "cm", dependsOn("a.a")), step("a.d", "cm", dueAt(j0.Add(time.Hour))))
	due := func(now time.Time) int {
		ids, err := w.store.OperationsWithDueSteps(w.ctx, now)
		w.must(err)
		return len(ids)
	}
	if due(j0.Add(-time.Second)) != 0 || due(j0) != 1 {
		t.Errorf("due before J0: %d, at J0: %d", due(j0.Add(-time.Second)), due(j0))
	}
	for _, err := range together(20, func(int) error {
		_, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0, wall.Add(lease))
		return err
	}) {
		w.must(err)
	}
	want := []app.Job{{Kind: app.JobStep, ID: w.step("a.a").ID, Fence: 1}, {Kind: app.JobStep, ID: w.step("a.b").ID, Fence: 1}}
	if diff := cmp.Diff(want, w.jobs); diff != "" {
		t.Errorf("jobs (-want +got):\n%s", diff)
	}
	for key, state := range map[string]app.StepState{"a.a": app.StepRunning, "a.b": app.StepRunning, "a.c": app.StepPending, "a.d": app.StepPending} {
		if s := w.step(key); s.State != state || s.Attempt != int(s.Fence) {
			t.Errorf("%s is %s at attempt %d", key, s.State, s.Attempt)
		}
	}
	if lines := w.summaries("a.a"); len(lines) != 1 || lines[0] != "Started" {
		t.Errorf("the log says %v", lines)
	}
}

func TestNothingStartsWhilePaused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm", dueAt(j0.Add(time.Hour))))
	c := w.start("a.a")
	w.must(w.store.PauseOperation(w.ctx, w.op.Slug, ada, j0))
	n, err := w.store.AdvanceSteps(w.ctx, w.op.ID, j0.Add(time.Hour), wall)
	if err != nil || n != 0 || w.step("a.b").State != app.StepPending {
		t.Errorf("%d steps moved, %v", n, err)
	}
	if err := w.store.FinishStep(w.ctx, c, json.RawMessage(`{}`), "Finished", j0); err != nil {
		t.Errorf("what was in hand can't end: %v", err)
	}
	w.must(w.store.ResumeOperation(w.ctx, w.op.Slug, ada, j0.Add(2*time.Hour)))
	w.startAt(w.op.ID, "a.b", j0.Add(2*time.Hour))
	if s := w.step("a.b"); !s.DueAt.Equal(j0.Add(time.Hour)) {
		t.Errorf("the pause shifted a.b to %s", s.DueAt)
	}
}

// counted are the tables that a claimed verb may write.
const counted = `(SELECT count(*) FROM agent_runs) || ' ' || (SELECT count(*) FROM run_items) || ' ' || (SELECT count(*) FROM llm_calls) || ' ' ||
(SELECT count(*) FROM validations) || ' ' || (SELECT count(*) FROM token_files) || ' ' || (SELECT count(*) FROM events) || ' ' ||
(SELECT count(*) FROM assets) || ' ' || (SELECT count(*) FROM builds) || ' ' || (SELECT count(*) FROM buyback_requests) || ' ' ||
(SELECT count(*) FROM metrics) || ' ' || (SELECT string_agg(s::text, ' ' ORDER BY id) FROM operation_steps s) || (SELECT string_agg(o::text, ' ') FROM operations o)`

func TestWhoLostAStepWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("scanner.go_nogo", "scanner", validates))
	stale := w.start("scanner.go_nogo")
	run := w.run(stale, app.Dollar)
	open, err := w.reserve(stale, run, 500)
	w.must(err)
	w.jobs = nil
	w.must(w.store.TakeOverExpired(w.ctx, j0, wall.Add(lease), wall.Add(2*lease)))
	fresh := w.stepClaim("scanner.go_nogo")
	if fresh.Fence != stale.Fence+1 || len(w.jobs) != 1 || w.jobs[0] != (app.Job{Kind: app.JobStep, ID: stale.StepID, Fence: fresh.Fence}) {
		t.Fatalf("taken over as %+v with the jobs %v", fresh, w.jobs)
	}

	raw := json.RawMessage(`{"decision":"go"}`)
	verbs := map[string]func(app.Claim) error{
		"OpenRun": func(c app.Claim) error { _, _, err := w.store.OpenRun(w.ctx, c, app.Run{}, j0); return err },
		"ReserveCall": func(c app.Claim) error {
			_, err := w.store.ReserveCall(w.ctx, c, app.CallRequest{RunID: run.ID, Kind: "image", Fixed: 1}, j0)
			return err
		},
		"AddItem": func(c app.Claim) error { return w.store.AddItem(w.ctx, c, run.ID, 1, raw, j0) },
		"AnswerCall": func(c app.Claim) error {
			return w.store.AnswerCall(w.ctx, c, postgres.Answer{RunID: run.ID, CallID: "c", Item: raw}, j0)
		},
		"SetInput":  func(c app.Claim) error { return w.store.SetInput(w.ctx, c, raw, j0) },
		"WriteFile": func(c app.Claim) error { _, err := w.store.WriteFile(w.ctx, c, run.ID, "scan", raw, j0); return err },
		"AddAsset": func(c app.Claim) error {
			return w.store.AddAsset(w.ctx, c, run.ID, app.Asset{SHA256: strings.Repeat("a", 64)}, j0)
		},
		"AddBuild": func(c app.Claim) error {
			_, err := w.store.AddBuild(w.ctx, c, run.ID, "c", app.Build{Kind: "site", Fields: raw}, j0)
			return err
		},
		"Propose": func(c app.Claim) error {
			_, err := w.store.Propose(w.ctx, c, postgres.Proposal{Kind: app.KindGoNoGo, Payload: raw}, j0)
			return err
		},
		"AwaitPerson": func(c app.Claim) error {
			return w.store.AwaitPerson(w.ctx, c, postgres.Proposal{Kind: app.KindHandover, Payload: raw}, j0)
		},
		"FinishRun": func(c app.Claim) error {
			return w.store.FinishRun(w.ctx, c, postgres.RunEnd{RunID: run.ID, Output: raw, Reading: &app.Metrics{At: j0}}, j0)
		},
		"AddLine":        func(c app.Claim) error { return w.store.AddLine(w.ctx, c, app.EventLine{Kind: "tool_call"}, j0) },
		"FailRun":        func(c app.Claim) error { return w.store.FailRun(w.ctx, c, run.ID, errors.New("x"), true, nil, j0) },
		"FinishStep":     func(c app.Claim) error { return w.store.FinishStep(w.ctx, c, raw, "x", j0) },
		"RequestBuyback": func(c app.Claim) error { return w.store.RequestBuyback(w.ctx, c, j0) },
		"StopByCheck":    func(c app.Claim) error { return w.store.StopByCheck(w.ctx, c, raw, "x", j0) },
		"RenewLease":     func(c app.Claim) error { return w.store.RenewLease(w.ctx, c, wall.Add(time.Hour)) },
		"ClaimedStep":    func(c app.Claim) error { _, err := w.store.ClaimedStep(w.ctx, c); return err },
	}
	var before, after string
	w.scan([]any{&before}, `SELECT `+counted)
	for name, verb := range verbs {
		if err := verb(stale); !errors.Is(err, postgres.ErrLost) {
			t.Errorf("%s under a claim that was lost: %v", name, err)
		}
		w.scan([]any{&after}, `SELECT `+counted)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%s wrote:\n%s", name, diff)
		}
	}

	// What the call has cost is booked whoever asks. Nobody has gone on yet, so
	// its answer is left for who will.
	if err := w.store.SettleCall(w.ctx, stale, run.ID, 1, open.ID, app.CallOutcome{State: "settled", Cost: 120, Source: app.CostTable}, []json.RawMessage{raw},
		app.EventLine{Kind: "model_call", Agent: "scanner", Step: "scanner.go_nogo"}, j0); err != postgres.ErrBooked || !errors.Is(err, postgres.ErrLost) {
		t.Errorf("the late answer: %v", err)
	}
	if spent, reserved, _ := w.money(); spent != 120 || reserved != 0 || w.count("run_items WHERE turn = 1") != 1 || w.count("agent_runs WHERE turns = 1") != 1 {
		t.Errorf("the late answer: %s spent, %s reserved, %d items", spent, reserved, w.count("run_items"))
	}
	for _, name := range []string{"RenewLease", "ClaimedStep", "OpenRun", "AddItem", "SetInput", "AddAsset", "FinishRun"} {
		if err := verbs[name](fresh); err != nil {
			t.Errorf("%s under the claim that holds: %v", name, err)
		}
	}
}

func TestOnlyExpiredStepsAreTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm"))
	a, b := w.start("a.a"), w.stepClaim("a.b")
	w.must(w.store.RenewLease(w.ctx, b, wall.Add(3*lease)))
	w.must(w.store.TakeOverExpired(w.ctx, j0, wall.Add(lease-time.Second), wall.Add(9*lease)))
	if w.stepClaim("a.a") != a {
		t.Error("taken over before its lease ran out")
	}
	w.jobs = nil
	for _, err := range together(6, func(int) error { return w.store.TakeOverExpired(w.ctx, j0, wall.Add(lease), wall.Add(2*lease)) }) {
		w.must(err)
	}
	if got := w.stepClaim("a.a"); got.Fence != a.Fence+1 || len(w.jobs) != 1 {
		t.Errorf("taken over %d times, jobs %v", got.Fence-a.Fence, w.jobs)
	}
	if w.stepClaim("a.b") != b {
		t.Error("a renewed lease did not hold")
	}
	if s := w.step("a.a"); s.Attempt != 1 || !s.LeaseUntil.Equal(wall.Add(2*lease)) {
		t.Errorf("taking over counts as attempt %d, lease until %s", s.Attempt, s.LeaseUntil)
	}
}

func TestFailedRunsAreTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm", dependsOn("a.a")))
	waits := app.DefaultSettings().StepRetries
	now := j0
	for i, wait := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		c := w.startAt(w.op.ID, "a.a", now)
		run := w.run(c, app.Dollar)
		_, err := w.reserve(c, run, 10)
		w.must(err)
		w.must(w.store.FailRun(w.ctx, c, run.ID, fmt.Errorf("fault %d: \xff\x00", i), false, waits, now))
		s := w.step("a.a")
		if s.State != app.StepPending || s.NotBefore == nil || !s.NotBefore.Equal(now.Add(wait)) || s.Attempt != i+1 || !strings.HasPrefix(s.Error, fmt.Sprint("fault ", i)) {
			t.Fatalf("after fault %d: %+v", i, s)
		}
		if moved, err := w.store.AdvanceSteps(w.ctx, w.op.ID, now.Add(wait-time.Second), wall); err != nil || moved != 0 {
			t.Errorf("started %d before its wait of %s was over, %v", moved, wait, err)
		}
		if next, err := w.store.NextInstant(w.ctx, now); err != nil || next == nil || !next.Equal(now.Add(wait)) {
			t.Errorf("the next instant is %v, %v", next, err)
		}
		now = now.Add(wait)
	}
	if n := len(w.alerts("step_failed")); n != 0 {
		t.Errorf("%d alerts before it gave up", n)
	}
	w.must(w.store.FailRun(w.ctx, w.startAt(w.op.ID, "a.a", now), "", errors.New("the last fault"), false, waits, now))
	s := w.step("a.a")
	if s.State != app.StepFailed || s.Error != "the last fault" || len(w.alerts("step_failed")) != 1 {
		t.Errorf("%s %q, alerts %v", s.State, s.Error, w.alerts("step_failed"))
	}
	if moved, err := w.store.AdvanceSteps(w.ctx, w.op.ID, now.Add(time.Hour), wall); err != nil || moved != 0 {
		t.Errorf("%d steps moved past a failed one, %v", moved, err)
	}
	if spent, reserved, _ := w.money(); spent != 30 || reserved != 0 || w.count("agent_runs WHERE state = 'failed'") != 3 {
		t.Errorf("the calls of the failed runs: %s spent, %s reserved", spent, reserved)
	}
	var starts, waitsLogged int
	for _, line := range w.summaries("a.a") {
		starts += strings.Count(line, "Started")
		waitsLogged += strings.Count(line, "Failed, to be tried again in")
	}
	if starts != 4 || waitsLogged != 3 {
		t.Errorf("the log tells of %d starts and %d waits: %v", starts, waitsLogged, w.summaries("a.a"))
	}

	// A person has it tried again: the waits begin anew.
	w.must(w.store.RetryStep(w.ctx, s.ID, "it is back", ada, now))
	w.must(w.store.FailRun(w.ctx, w.startAt(w.op.ID, "a.a", now), "", errors.New("again"), false, waits, now))
	if s := w.step("a.a"); s.State != app.StepPending || !s.NotBefore.Equal(now.Add(time.Minute)) {
		t.Errorf("after the person's retry: %s until %v", s.State, s.NotBefore)
	}
}

func TestFailuresThatTryingAgainCantMend(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm"))
	w.start("a.a")
	waits := app.DefaultSettings().StepRetries
	w.must(w.store.FailRun(w.ctx, w.stepClaim("a.a"), "", errors.New("the output does not fit, twice"), true, waits, j0))
	budget := fmt.Errorf("call the model: %w", &app.BudgetError{Wall: "operation"})
	w.must(w.store.FailRun(w.ctx, w.stepClaim("a.b"), "", budget, true, waits, j0))
	for _, key := range []string{"a.a", "a.b"} {
		if s := w.step(key); s.State != app.StepFailed || s.Attempt != 1 {
			t.Errorf("%s is %s", key, s.State)
		}
	}
	if a, b := w.alerts("step_failed"), w.alerts("budget_exceeded"); len(a) != 1 || len(b) != 1 {
		t.Errorf("alerts %v, %v", a, b)
	}
}

func TestSkippingGivesUpWhatDependsOnIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar, step("a.a", "cm"), step("a.b", "cm", dependsOn("a.a")), step("a.c", "cm", dependsOn("a.b")), step("a.d", "cm"))
	w.must(w.store.SkipStep(w.ctx, w.step("a.a").ID, "not wanted", ada, j0))
	w.start("a.d")
	for _, key := range []string{"a.a", "a.b", "a.c"} {
		if s := w.step(key); s.State != app.StepSkipped {
			t.Errorf("%s is %s", key, s.State)
		}
	}
	if lines := w.summaries("a.c"); len(lines) != 1 || lines[0] != "Skipped: skipped because a.b did not happen" {
		t.Errorf("the log says %v", lines)
	}
	for name, err := range map[string]error{
		"a skipped step skipped":    w.store.SkipStep(w.ctx, w.step("a.a").ID, "x", ada, j0),
		"a skipped step tried anew": w.store.RetryStep(w.ctx, w.step("a.a").ID, "x", ada, j0),
	} {
		if !isKind(err, app.Conflict) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.store.SkipStep(w.ctx, w.step("a.d").ID, "", ada, j0); !isKind(err, app.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	if err := w.store.SkipStep(w.ctx, 999, "x", ada, j0); !isKind(err, app.NotFound) {
		t.Errorf("no such step: %v", err)
	}
	if n := w.count("admin_audit WHERE action LIKE 'step.%'"); n != 1 {
		t.Errorf("%d audit rows", n)
	}
}

// A retry that a person asks for is not taken for one that came too late.
func TestRetriedDailyStepIsNotSuperseded(t *testing.T) {
	t.Parallel()
	daily := func(s *app.Step) { s.Task, s.Recurring = "cm.daily_post", true }
	w := newWorld(t, app.Dollar, step("cm.daily_post.d03", "cm", daily), step("cm.daily_post.d04", "cm", daily, dueAt(j0.Add(24*time.Hour))))
	w.must(w.store.FailRun(w.ctx, w.start("cm.daily_post.d03"), "", errors.New("x"), true, nil, j0))
	later := j0.Add(25 * time.Hour)
	w.startAt(w.op.ID, "cm.daily_post.d04", later)
	w.must(w.store.RetryStep(w.ctx, w.step("cm.daily_post.d03").ID, "still wanted", ada, later))
	w.startAt(w.op.ID, "cm.daily_post.d03", later)
}

func TestOperationsBeginAtJ0(t *testing.T) {
	t.Parallel()
	w := newWorld(t, app.Dollar)
	op, err := w.store.CreateOperation(w.ctx, app.NewOperation{Token: app.Token{Ref: app.TokenRef{ChainID: 1, Address: app.Address{9}}}, Slug: "later", J0: j0.Add(time.Hour), Cap: 1}, "", nil, ada, j0)
	w.must(err)
	if op.State != app.OperationScheduled {
		t.Fatalf("created as %s", op.State)
	}
	for _, tt := range []struct {
		at   time.Time
		due  int
		want app.OperationState
	}{{j0, 0, app.OperationScheduled}, {j0.Add(time.Hour), 1, app.OperationRunning}, {j0.Add(2 * time.Hour), 0, app.OperationRunning}} {
		ids, err := w.store.ScheduledDue(w.ctx, tt.at)
		w.must(err)
		w.must(w.store.BeginOperation(w.ctx, op.ID, tt.at))
		if got, _ := w.store.Operation(w.ctx, op.ID); len(ids) != tt.due || got.State != tt.want {
			t.Errorf("at %s: due %v, %s", tt.at, ids, got.State)
		}
	}
	twice := app.NewOperation{Token: app.Token{Ref: app.TokenRef{ChainID: 1, Address: app.Address{9}}}, Slug: "again", J0: j0, Cap: 1}
	if _, err := w.store.CreateOperation(w.ctx, twice, "", nil, ada, j0); !isKind(err, app.Conflict) {
		t.Errorf("a second takeover of one token: %v", err)
	}
	same := twice
	same.Slug, same.Token.Ref.Address = "at-once", app.Address{8}
	won := 0
	for _, err := range together(8, func(int) error {
		_, err := w.store.CreateOperation(w.ctx, same, "at-once.example", nil, ada, j0)
		return err
	}) {
		if err == nil {
			won++
		} else if !isKind(err, app.Conflict) {
			t.Errorf("the same form sent twice: %v", err)
		}
	}
	if won != 1 {
		t.Errorf("one form made %d takeovers", won)
	}
	if slug, err := w.store.FreeSlug(w.ctx, "later"); err != nil || slug != "later-2" {
		t.Errorf("a free name: %q, %v", slug, err)
	}
	w.must(w.store.StopOperation(w.ctx, "later", "enough", ada, j0))
	if _, err := w.store.CreateOperation(w.ctx, twice, "", nil, ada, j0); err != nil {
		t.Errorf("a takeover after the first has ended: %v", err)
	}
}

// TestAnswersAreLeftForAnOpenTurnOnly: the run has ended, or another answer to
// the turn is there.
func TestAnswersAreLeftForAnOpenTurnOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		kept   int
	}{
		"nobody went on":         {`SELECT 1`, 1},
		"the run has ended":      {`UPDATE agent_runs SET state = 'failed'`, 0},
		"the turn has an answer": {`UPDATE agent_runs SET turns = 1`, 0},
	} {
		w := newWorld(t, 1_000, step("a.a", "cm"))
		claim := w.start("a.a")
		run := w.run(claim, 1_000)
		grant, err := w.reserve(claim, run, 50)
		w.must(err)
		w.must(w.store.TakeOverExpired(w.ctx, j0, wall.Add(lease), wall.Add(2*lease)))
		w.exec(c.change)
		err = w.store.SettleCall(w.ctx, claim, run.ID, 1, grant.ID, app.CallOutcome{State: "settled", Cost: 40, Source: app.CostTable}, []json.RawMessage{json.RawMessage(`{}`)},
			app.EventLine{Kind: "model_call", Agent: "cm", Step: "a.a"}, j0)
		if spent, _, _ := w.money(); err != postgres.ErrBooked || spent != 40 || w.count("run_items") != c.kept {
			t.Errorf("%s: %v, %d spent, %d items", name, err, spent, w.count("run_items"))
		}
	}
}

// TestRunsFollowTheClaimOfTheirStep: a worker that fails before it knows of a
// run ends it all the same, and one that takes a run up holds it.
func TestRunsFollowTheClaimOfTheirStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1_000, step("a.a", "cm"))
	c := w.start("a.a")
	run := w.run(c, 1_000)
	_, err := w.reserve(c, run, 50)
	w.must(err)
	w.must(w.store.FailRun(w.ctx, c, "", errors.New("no price"), true, nil, j0))
	if spent, reserved, _ := w.money(); spent != 50 || reserved != 0 || w.count("agent_runs WHERE state = 'failed' AND error = 'no price'") != 1 {
		t.Errorf("%d spent, %d held back, %d runs have failed", spent, reserved, w.count("agent_runs WHERE state = 'failed'"))
	}

	w.must(w.store.RetryStep(w.ctx, c.StepID, "again", ada, j0))
	c = w.start("a.a")
	run = w.run(c, 1_000)
	w.exec(`UPDATE agent_runs SET fence = 0 WHERE state = 'running'`) // as a program that knew no fence leaves it
	if again := w.run(c, 1_000); again.ID != run.ID {
		t.Errorf("it goes on with %s", again.ID)
	}
	_, err = w.reserve(c, run, 50)
	w.must(err)
}
