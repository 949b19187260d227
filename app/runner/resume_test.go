package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
)

// postRun plays a run with everything in it: two tools in a turn, a proposal,
// an output that cites it.
func postRun(t testing.TB) *stage {
	t.Helper()
	st := newStage(t, setting{steps: []app.Step{testop.Step("cm", post, post, true)}})
	st.sim.Script(postScript(func() {}))
	return st
}

// postScript is what the model does in it; before is called before each answer.
func postScript(before func()) func(modelsim.Request) (modelsim.Answer, bool) {
	both := modelsim.Answer{Calls: []modelsim.ToolCall{
		modelsim.NewCall("market_snapshot", struct{}{}), modelsim.NewCall("write_file", map[string]string{"content": `{"tone":"calm"}`})}}
	propose := modelsim.Do("x_post", map[string]any{"text": "Day 3. Still here.", "assets": []string{}, "alt": []string{}})
	return func(req modelsim.Request) (modelsim.Answer, bool) {
		before()
		a := propose
		switch told := answered(req); len(told) {
		case 0:
			a = both
		case 2:
		default:
			a = finish(map[string]any{"text": "Day 3. Still here.", "media": []string{}, "validation_id": told[2]["validation_id"]})
		}
		a.Calls = append([]modelsim.ToolCall(nil), a.Calls...)
		return a, true
	}
}

// points are the labelled points that a whole run passes, in order.
func points(t *testing.T) (all []string) {
	t.Helper()
	st := postRun(t)
	st.runner.Reached = func(point string) { all = append(all, point) }
	if step, err := st.play(post); err != nil || step.State != app.StepWaiting {
		t.Fatalf("%s: %v", step.State, err)
	}
	return all
}

// die runs a step in a process that is gone once it has passed n points.
func (st *stage) die(claim app.Claim, step app.Step, n int) {
	st.t.Helper()
	gone := make(chan struct{})
	dying := *st.runner
	dying.Reached = func(string) {
		if n--; n == 0 {
			runtime.Goexit()
		}
	}
	go func() {
		defer close(gone)
		_ = dying.Run(st.t.Context(), claim, st.op, step)
	}()
	<-gone
}

// TestRunIsTakenUpAnywhere: whatever point a process dies at, another one goes
// on from there. Nothing is paid or answered twice, and the outcome is the same.
func TestRunIsTakenUpAnywhere(t *testing.T) {
	t.Parallel()
	all := points(t)
	if len(all) != 14 {
		t.Fatalf("a run passes %d points: %v", len(all), all)
	}
	for n, point := range all {
		t.Run(fmt.Sprintf("%02d %s", n+1, point), func(t *testing.T) {
			t.Parallel()
			st := postRun(t)
			claim, step := st.start(post)
			st.die(claim, step, n+1)
			if point != "finished" { // the step waits for a person by then
				claim, step = st.takeOver(post)
				if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
					t.Fatal(err)
				}
			}
			st.assertPosted(t, point)
		})
	}
}

// assertPosted checks what is left of a run that died at point and was taken up.
func (st *stage) assertPosted(t *testing.T, point string) {
	t.Helper()
	run := st.run(post)
	if step := st.step(post); step.State != app.StepWaiting || run.State != "succeeded" || run.Turns != 3 {
		t.Fatalf("the step is %s: %s; the run is %s after %d turns", step.State, step.Error, run.State, run.Turns)
	}
	states := map[string]int{}
	turns := map[int]int{}
	for _, call := range run.Calls {
		states[call.State]++
		if call.State == "settled" {
			turns[call.Turn]++
		}
		if call.State == "unknown" && (call.Cost != call.Reserved || call.Source != "bound") {
			t.Errorf("a call in doubt costs %s of %s", call.Cost, call.Reserved)
		}
	}
	lost, asked := 0, 3
	switch point {
	case "reserved":
		lost = 1
	case "answered":
		lost, asked = 1, 4
	}
	if states["settled"] != 3 || states["unknown"] != lost || len(run.Calls) != 3+lost || turns[1] != 1 || turns[2] != 1 || turns[3] != 1 {
		t.Errorf("calls %v, want 3 settled and %d unknown", states, lost)
	}
	if got := st.sim.Count(); got != asked {
		t.Errorf("the model was asked %d times, want %d", got, asked)
	}
	st.assertTranscript(t, run)
	pending, err := st.store.PendingValidations(t.Context())
	if err != nil || len(pending) != 1 || pending[0].DraftNo != 1 || !pending[0].Risk.Tainted || !slices.Equal(pending[0].Risk.Sources, []string{"market"}) {
		t.Errorf("what waits for a person: %+v %v", pending, err)
	}
	var output struct {
		ID string `json:"validation_id"`
	}
	if err := json.Unmarshal(st.step(post).Output, &output); err != nil || len(pending) == 1 && output.ID != pending[0].ID {
		t.Errorf("the output cites %q: %v", output.ID, err)
	}
	if testop.Balanced(t, st.store, st.op) != run.Spent {
		t.Errorf("the run has spent %s", run.Spent)
	}
}

func (st *stage) assertTranscript(t *testing.T, run app.RunTrace) {
	t.Helper()
	var roles []string
	calls := map[string]bool{}
	for _, it := range run.Items {
		roles = append(roles, it.Role)
		var content struct {
			CallID string `json:"call_id"`
		}
		if err := json.Unmarshal(it.Content, &content); err != nil {
			t.Fatal(err)
		}
		if it.Role == "tool" && calls[content.CallID] {
			t.Errorf("the call %s was answered twice", content.CallID)
		}
		calls[content.CallID] = it.Role == "tool"
	}
	if want := []string{"user", "assistant", "tool", "tool", "assistant", "tool", "assistant"}; !slices.Equal(roles, want) {
		t.Errorf("transcript %v, want %v", roles, want)
	}
	rows := 0
	for _, e := range testop.Log(t, st.store, st.op) {
		if e.Kind == "tool_call" {
			rows++
		}
	}
	if rows != 3 {
		t.Errorf("%d rows of tool calls, want 3", rows)
	}
}

// TestRunDiesAgainAndAgain: processes that live for three points each still get
// there, as each one goes on where the last one stopped.
func TestRunDiesAgainAndAgain(t *testing.T) {
	t.Parallel()
	st := postRun(t)
	claim, step := st.start(post)
	for deaths := 0; st.step(post).State == app.StepRunning; deaths++ {
		if deaths > 40 {
			t.Fatal("it never ends")
		}
		st.die(claim, step, 3)
		claim, step = st.takeOver(post)
	}
	if got := st.step(post); got.State != app.StepWaiting {
		t.Errorf("%s: %s", got.State, got.Error)
	}
	testop.Balanced(t, st.store, st.op)
}

// TestProcessStopsInOrder: a run whose process is told to stop books nothing on
// its step, and goes on elsewhere.
func TestProcessStopsInOrder(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"reserved", "answered", "settled", "tool_done", "finishing"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			st := postRun(t)
			claim, step := st.start(post)
			ctx, stop := context.WithCancel(t.Context())
			stopping := *st.runner
			stopping.Reached = func(at string) {
				if at == point {
					stop()
				}
			}
			if err := stopping.Run(ctx, claim, st.op, step); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
			if got := st.step(post); got.State != app.StepRunning || got.Attempt != 1 || got.Error != "" {
				t.Fatalf("the step is %s at attempt %d: %s", got.State, got.Attempt, got.Error)
			}
			claim, step = st.takeOver(post)
			if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
				t.Fatal(err)
			}
			if got := st.step(post); got.State != app.StepWaiting {
				t.Errorf("%s: %s", got.State, got.Error)
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// TestStaleWorkerWritesNothing: a worker that was held up at any point finds
// out that another one has gone on, and leaves no trace.
func TestStaleWorkerWritesNothing(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"reserved", "answered", "settled", "tool_done", "finishing"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			st := postRun(t)
			claim, step := st.start(post)
			held, goOn := make(chan struct{}), make(chan struct{})
			slow := *st.runner
			once := false
			slow.Reached = func(at string) {
				if at == point && !once {
					once = true
					close(held)
					<-goOn
				}
			}
			ended := make(chan error, 1)
			go func() { ended <- slow.Run(t.Context(), claim, st.op, step) }()
			<-held
			fresh, again := st.takeOver(post)
			if err := st.runner.Run(t.Context(), fresh, st.op, again); err != nil {
				t.Fatal(err)
			}
			before := st.everything()
			close(goOn)
			if err := <-ended; !errors.Is(err, postgres.ErrLost) {
				t.Errorf("the stale worker ended with %v", err)
			}
			if after := st.everything(); after != before {
				t.Errorf("the stale worker has changed\n%s\nto\n%s", before, after)
			}
			if got := st.step(post); got.State != app.StepWaiting {
				t.Errorf("%s: %s", got.State, got.Error)
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// everything sums up what a worker could have written.
func (st *stage) everything() string {
	st.t.Helper()
	run := st.run(post)
	op, err := st.store.Operation(st.t.Context(), st.op.ID)
	if err != nil {
		st.t.Fatal(err)
	}
	pending, err := st.store.PendingValidations(st.t.Context())
	if err != nil {
		st.t.Fatal(err)
	}
	return encode(st.t, map[string]any{"step": st.step(post), "run": run, "seq": op.Seq, "head": op.HeadHash, "spent": op.Spent, "pending": pending})
}

// TestLostLeaseEndsTheRun: a run whose model is silent while another worker
// takes the step over stops by itself.
func TestLostLeaseEndsTheRun(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	asked := make(chan struct{}, 1)
	st.sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		asked <- struct{}{}
		<-t.Context().Done()
		return modelsim.Answer{Text: "too late"}, true
	})
	claim, step := st.start(metrics)
	ended := make(chan error, 1)
	go func() { ended <- st.runner.Run(t.Context(), claim, st.op, step) }()
	<-asked
	st.takeOver(metrics)
	if err := st.wall.BlockUntilContext(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	st.wall.Advance(lease / 4) // the old worker looks after its lease
	if err := <-ended; !errors.Is(err, postgres.ErrLost) {
		t.Errorf("it ended with %v", err)
	}
	if got := st.step(metrics); got.State != app.StepRunning || got.Error != "" {
		t.Errorf("%s: %s", got.State, got.Error)
	}
}

// TestLeaseIsKept: a run that takes long keeps its claim, and nobody takes it over.
func TestLeaseIsKept(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	asked, answer := make(chan struct{}), make(chan struct{})
	st.sim.Script(func(modelsim.Request) (modelsim.Answer, bool) {
		close(asked)
		<-answer
		return finish(reading()), true
	})
	claim, step := st.start(metrics)
	ended := make(chan error, 1)
	go func() { ended <- st.runner.Run(t.Context(), claim, st.op, step) }()
	<-asked
	for range 6 { // one and a half leases
		if err := st.wall.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		st.wall.Advance(lease / 4)
		st.renewed()
		if err := st.store.TakeOverExpired(t.Context(), st.clock.Now(), st.wall.Now(), st.wall.Now().Add(lease)); err != nil {
			t.Fatal(err)
		}
	}
	close(answer)
	if err := <-ended; err != nil || st.step(metrics).Fence != claim.Fence {
		t.Errorf("fence %d, was %d: %v", st.step(metrics).Fence, claim.Fence, err)
	}
}

// renewed waits until the lease is whole again.
func (st *stage) renewed() {
	st.t.Helper()
	for range 1000 {
		if until := st.step(metrics).LeaseUntil; until != nil && !until.Before(st.wall.Now().Add(lease)) {
			return
		}
	}
	st.t.Fatal("the lease was not renewed")
}

// TestAnswerInHandIsLeftForTheNext: a worker that has lost its step while the
// model answered leaves the answer to whoever goes on, who does not pay again.
func TestAnswerInHandIsLeftForTheNext(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(look(), finish(reading()))
	claim, step := st.start(metrics)
	slow := *st.runner
	slow.Reached = func(point string) {
		if point == "answered" {
			st.takeOver(metrics)
		}
	}
	if err := slow.Run(t.Context(), claim, st.op, step); err != postgres.ErrLost || st.run(metrics).Turns != 1 {
		t.Errorf("the old worker ended with %v, the run is at turn %d", err, st.run(metrics).Turns)
	}
	if again, err := st.playOn(metrics); err != nil || again.State != app.StepDone || st.sim.Count() != 2 {
		t.Errorf("%s after %d requests: %v", again.State, st.sim.Count(), err)
	}
	testop.Balanced(t, st.store, st.op)
}

// TestRunThatCantGoOnIsEnded: nothing of it stays open, and when the team tries
// its step again another one begins.
func TestRunThatCantGoOnIsEnded(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(finish(reading()))
	claim, step := st.start(metrics)
	st.die(claim, step, 1) // reserved
	st.takeOver(metrics)
	_, unfit := st.fit("gpt-5")
	failed, err := st.playOn(metrics)
	run := st.run(metrics)
	if failed.State != app.StepFailed || run.State != "failed" || len(run.Calls) != 1 || run.Calls[0].State != "unknown" || testop.Balanced(t, st.store, st.op) != run.Calls[0].Cost {
		t.Errorf("the step is %s, its run %s, its calls %+v: %v", failed.State, run.State, run.Calls, err)
	}
	unfit.Store("")
	if err := st.store.RetryStep(t.Context(), failed.ID, "again", testop.Person, st.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if again, err := st.play(metrics); err != nil || again.State != app.StepDone {
		t.Errorf("%s: %v", again.State, err)
	}
}

// TestRestartsAreNoFailures of the model's: calls that they cut off are paid,
// and use up nothing of the run's allowance.
func TestRestartsAreNoFailures(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{set: map[string]string{"run.retries": "1"}})
	st.script(modelsim.Answer{Text: "Hm."}, finish(reading()))
	claim, step := st.start(metrics)
	for range 3 {
		ctx, stop := context.WithCancel(t.Context())
		stopping := *st.runner
		stopping.Reached = func(point string) {
			if point == "reserved" {
				stop()
			}
		}
		if err := stopping.Run(ctx, claim, st.op, step); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
		claim, step = st.takeOver(metrics)
	}
	if again, err := st.playOn(metrics); err != nil || again.State != app.StepDone {
		t.Errorf("%s: %v", again.State, err)
	}
	for _, call := range st.run(metrics).Calls[:3] {
		if call.State != "unknown" || !call.Lost || call.Cost != call.Reserved {
			t.Errorf("a call that was cut off is %s, lost %t, at %s of %s", call.State, call.Lost, call.Cost, call.Reserved)
		}
	}
	stored, err := st.store.StoredRun(t.Context(), st.run(metrics).ID)
	if err != nil || !strings.Contains(string(stored.Calls[0].Answer), `"reason":"cancelled"`) {
		t.Errorf("kept is %s: %v", stored.Calls[0].Answer, err)
	}
	testop.Balanced(t, st.store, st.op)
}
