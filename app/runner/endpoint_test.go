package runner_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/modelsim"
)

// playWaiting runs a step while the wall clock is turned by whatever the runner waits for.
func (st *stage) playWaiting(key string, wait time.Duration) (app.Step, error) {
	st.t.Helper()
	claim, step := st.start(key)
	done := make(chan error, 1)
	go func() { done <- st.runner.Run(st.t.Context(), claim, st.op, step) }()
	ctx, cancel := context.WithCancel(st.t.Context())
	defer cancel()
	waits := make(chan struct{})
	go func() {
		for st.wall.BlockUntilContext(ctx, 2) == nil { // the lease's ticker, and a pause
			select {
			case waits <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case err := <-done:
			return st.step(key), err
		case <-waits:
			st.wall.Advance(wait)
		}
	}
}

// TestEndpointFaults: what the endpoint did wrong stands in the step's error,
// each try is a row of its own, and only what may have been billed costs.
func TestEndpointFaults(t *testing.T) {
	t.Parallel()
	const page = "<!DOCTYPE html><title>Sign in</title>"
	for name, c := range map[string]struct {
		fault modelsim.Fault
		tries int
		says  string
		state string
	}{
		"HTML with 200":   {modelsim.Fault{Status: 200, Body: page, ContentType: "text/html"}, 1, "HTML page instead of JSON", "failed"},
		"HTML with 502":   {modelsim.Fault{Status: 502, Body: page, ContentType: "text/html", Times: 4}, 4, "answered 502 with an HTML page", "unknown"},
		"401":             {modelsim.Fault{Status: 401}, 1, "did not accept our key (401)", "failed"},
		"403":             {modelsim.Fault{Status: 403}, 1, "did not accept our key (403)", "failed"},
		"429 for good":    {modelsim.Fault{Status: 429, Times: 4}, 4, "limits our rate (429)", "failed"},
		"500":             {modelsim.Fault{Status: 500, Times: 4}, 4, "failed (500)", "unknown"},
		"400":             {modelsim.Fault{Status: 400}, 1, "refused the request (400)", "failed"},
		"a NUL in it":     {modelsim.Fault{Status: 400, Body: `{"error":{"message":"no \u0000 thing"}}`}, 1, "refused the request (400): no", "failed"},
		"broken off":      {modelsim.Fault{Close: true, Times: 4}, 4, "connection to the model endpoint broke", "unknown"},
		"silence":         {modelsim.Fault{Hang: true, Times: 4}, 4, "gave no answer in time", "unknown"},
		"200 without any": {modelsim.Fault{Status: 200, Body: "{}", Times: 4}, 4, "empty answer", "unknown"},
		"200 of another":  {modelsim.Fault{Status: 200, Body: "pong", ContentType: "text/plain", Times: 4}, 4, "not a chat completion", "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := setting{refusals: c.fault.Status == http.StatusBadRequest}
			if c.fault.Hang {
				set.timeout = 150 * time.Millisecond
			}
			st := newStage(t, set)
			st.script(finish(reading()))
			st.sim.Fail(c.fault)
			step, err := st.playWaiting(metrics, time.Second)
			if err == nil || step.State != app.StepPending || !strings.Contains(step.Error, c.says) || strings.Contains(step.Error, modelKey) {
				t.Fatalf("%s: %v; the step says %q", step.State, err, step.Error)
			}
			if step.NotBefore == nil || !step.NotBefore.Equal(testop.J0.Add(time.Minute)) {
				t.Errorf("to be tried again at %v", step.NotBefore)
			}
			calls := st.run(metrics).Calls
			if len(calls) != c.tries || len(st.called()) != c.tries {
				t.Errorf("%d calls and %d rows, want %d", len(calls), len(st.called()), c.tries)
			}
			for _, call := range calls {
				want, source := call.Reserved, "bound"
				if c.state == "failed" {
					want, source = 0, ""
				}
				if call.State != c.state || call.Cost != want || call.Source != source || !strings.Contains(call.Error, c.says) {
					t.Errorf("a call is %s, cost %s (%s) of %s: %s", call.State, call.Cost, call.Source, call.Reserved, call.Error)
				}
			}
			testop.Balanced(t, st.store, st.op)
		})
	}
}

// TestRetriesOfOneCall: a fault that passes ends well, and each try is kept.
func TestRetriesOfOneCall(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(finish(reading()))
	st.sim.Fail(modelsim.Fault{Status: 500})
	st.sim.Fail(modelsim.Fault{Status: 429})
	step, err := st.playWaiting(metrics, time.Second)
	if err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	var states []string
	for _, call := range st.run(metrics).Calls {
		states = append(states, call.State)
	}
	if got := strings.Join(states, " "); got != "unknown failed settled" || len(st.called()) != 3 {
		t.Errorf("calls %s, %d rows", got, len(st.called()))
	}
	testop.Balanced(t, st.store, st.op)
}

// TestRetryAfterIsHonoured: the next try waits as long as the server asked, and
// a little longer.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(finish(reading()))
	st.sim.Fail(modelsim.Fault{Status: 429, RetryAfter: "7"})
	claim, step := st.start(metrics)
	done := make(chan error, 1)
	go func() { done <- st.runner.Run(t.Context(), claim, st.op, step) }()
	if err := st.wall.BlockUntilContext(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	st.wall.Advance(7*time.Second - time.Millisecond)
	select {
	case err := <-done:
		t.Fatalf("it did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if st.sim.Count() != 0 {
		t.Fatal("the model was asked too early")
	}
	st.wall.Advance(701 * time.Millisecond) // the jitter is a tenth
	if err := <-done; err != nil || st.sim.Count() != 1 {
		t.Errorf("%d requests: %v", st.sim.Count(), err)
	}
}

// TestWaitThatIsTooLong: a server that asks for more patience than the run has
// left ends it at once; the step is tried again later.
func TestWaitThatIsTooLong(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.script(finish(reading()))
	st.sim.Fail(modelsim.Fault{Status: 429, RetryAfter: "660"})
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepPending || !strings.Contains(step.Error, "limits our rate") || st.sim.Count() != 0 {
		t.Errorf("%s after %d requests: %v", step.State, st.sim.Count(), err)
	}
}

// TestFailedRunsAreTriedAgain after 1, 5 and 15 minutes; then the step has
// failed, with one alert.
func TestFailedRunsAreTriedAgain(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	st.sim.Fail(modelsim.Fault{Status: http.StatusUnauthorized, Times: 4})
	for _, wait := range []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute} {
		step, err := st.play(metrics)
		if err == nil || step.State != app.StepPending || !step.NotBefore.Equal(st.clock.Now().Add(wait)) {
			t.Fatalf("%s, to be tried again at %v: %v", step.State, step.NotBefore, err)
		}
		if changed, err := st.store.AdvanceSteps(t.Context(), st.op.ID, st.clock.Now().Add(wait-time.Second), st.wall.Now()); err != nil || changed != 0 {
			t.Fatalf("%d steps were started too early: %v", changed, err)
		}
		st.clock.Advance(wait)
	}
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepFailed || step.Attempt != 4 {
		t.Fatalf("%s after %d attempts: %v", step.State, step.Attempt, err)
	}
	if alerts := testop.Alerts(t, st.store, "step_failed"); len(alerts) != 1 || !strings.Contains(alerts[0].Message, "did not accept our key") {
		t.Errorf("alerts: %v", alerts)
	}
}

// TestRunTimeIsLimited: a run that takes too long is stopped, and what its
// call may have cost is kept.
func TestRunTimeIsLimited(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	if err := st.store.SetSetting(t.Context(), "run.max_time_s", []byte("1"), "ada", testop.J0); err != nil {
		t.Fatal(err)
	}
	st.sim.Fail(modelsim.Fault{Hang: true})
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepPending || step.Error != "the run took longer than 1s" {
		t.Errorf("%s: %v: %s", step.State, err, step.Error)
	}
	if testop.Balanced(t, st.store, st.op) == 0 {
		t.Error("a call that may have been billed costs nothing")
	}
}

// TestUnpricedModelIsNotAsked: without a price nothing is sent.
func TestUnpricedModelIsNotAsked(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{spec: [2]string{"model: gpt-5", "model: fable"}})
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepFailed || !strings.Contains(step.Error, "fable has no price") || !strings.Contains(step.Error, "vivra prices import") {
		t.Errorf("%s: %v: %s", step.State, err, step.Error)
	}
	if st.sim.Count() != 0 || len(st.called()) != 0 || len(testop.Alerts(t, st.store, "step_failed")) != 1 {
		t.Errorf("%d requests, log %q", st.sim.Count(), st.called())
	}
}
