package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testlog"
	"vivra/app/internal/testop"
	"vivra/app/internal/testotlp"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
	"vivra/app/telemetry"
)

// watch is what one process of the stage tells a collector.
func (st *stage) watch(c telemetry.Config) *telemetry.Watch {
	st.t.Helper()
	c.Traces, c.Clock, c.Wall, c.Ledger, c.Log = true, st.clock, st.wall, st.store, slog.New(slog.NewTextHandler(st.t.Output(), nil))
	w := telemetry.New(c)
	stop, err := w.Start(st.t.Context())
	if err != nil {
		st.t.Fatal(err)
	}
	st.t.Cleanup(stop)
	return w
}

func to(c *testotlp.Collector) telemetry.Config { return telemetry.Config{Collector: c.URL} }

func flush(t *testing.T, all ...*telemetry.Watch) {
	t.Helper()
	for _, w := range all {
		if err := w.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// assertTraced checks that what came of a run is one trace, in one piece, and
// that its calls are those of the ledger, to the nano-dollar.
func (st *stage) assertTraced(t *testing.T, from *testotlp.Collector, key string) map[string]int {
	t.Helper()
	run := st.run(key)
	booked, sum := make(map[int64]app.Nano), app.Nano(0)
	for _, call := range run.Calls {
		booked[call.ID] = call.Cost
		sum += call.Cost
	}
	ids, names := map[string]bool{"": true}, make(map[string]int)
	spans := from.Trace(run.ID)
	for _, s := range spans {
		ids[s.ID] = true
	}
	if len(spans) != len(from.Spans()) {
		t.Errorf("%d of %d spans are in the run's trace", len(spans), len(from.Spans()))
	}
	total := app.Nano(0)
	for _, s := range spans {
		names[s.Name]++
		if !ids[s.Parent] {
			t.Errorf("%s hangs in the air", s.Name)
		}
		if s.Parent == "" && s.Attributes["vivra.total_cost_nusd"] != int64(sum) {
			t.Errorf("the root %s says %v were spent, the ledger %d", s.Name, s.Attributes["vivra.total_cost_nusd"], sum)
		}
		if cost, paid := s.Attributes["vivra.cost_nusd"].(int64); paid {
			total += app.Nano(cost)
			if id, _ := s.Attributes["vivra.call"].(int64); booked[id] != app.Nano(cost) {
				t.Errorf("call %d cost %d by its span and %d by the ledger", id, cost, booked[id])
			}
		}
	}
	if total != sum || sum != run.Spent || sum == 0 {
		t.Errorf("the spans of calls cost %s, the ledger's %s, the run %s", total, sum, run.Spent)
	}
	return names
}

func TestWholeRunIsOneTrace(t *testing.T) {
	t.Parallel()
	st, from := postRun(t), testotlp.New(t)
	watch := st.watch(to(from))
	st.runner.Trace = watch.Tracer
	if step, err := st.play(post); err != nil || step.State != app.StepWaiting {
		t.Fatalf("%s: %v", step.State, err)
	}
	flush(t, watch)
	names := st.assertTraced(t, from, post)
	want := map[string]int{"invoke_agent cm": 1, "turn 1": 1, "turn 2": 1, "turn 3": 1, "chat gpt-5": 3,
		"execute_tool market_snapshot": 1, "execute_tool write_file": 1, "execute_tool x_post": 1}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("spans %v, want %v", names, want)
	}
}

// TestKilledRunIsOneTrace: whatever point a process dies at, and whether its
// spans arrived or died with it, the trace is whole once another process has
// ended the run.
func TestKilledRunIsOneTrace(t *testing.T) {
	t.Parallel()
	all := points(t)
	for n, point := range all {
		if point == "finished" {
			continue // nobody goes on with it: what had not left is lost
		}
		for _, arrived := range []bool{true, false} {
			t.Run(fmt.Sprintf("%02d %s, arrived %v", n+1, point, arrived), func(t *testing.T) {
				t.Parallel()
				st, from := postRun(t), testotlp.New(t)
				first, second := st.watch(to(from)), st.watch(to(from))
				st.runner.Trace = first.Tracer
				claim, step := st.start(post)
				st.die(claim, step, n+1)
				if arrived {
					flush(t, first)
				}
				claim, step = st.takeOver(post)
				st.runner.Trace = second.Tracer
				if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
					t.Fatal(err)
				}
				flush(t, second)
				if names := st.assertTraced(t, from, post); names["invoke_agent cm"] != 1 || names["turn 3"] != 1 {
					t.Errorf("spans %v", names)
				}
			})
		}
	}
}

// TestSlowWorkerTellsNoOtherCost: a worker whose answer comes after another one
// has booked the call as lost does not tell what it would have cost.
func TestSlowWorkerTellsNoOtherCost(t *testing.T) {
	t.Parallel()
	for nth := 1; nth <= 3; nth++ {
		t.Run(fmt.Sprint("call ", nth), func(t *testing.T) {
			t.Parallel()
			st, from := postRun(t), testotlp.New(t)
			first, second := st.watch(to(from)), st.watch(to(from))
			held, goOn, answers := make(chan struct{}), make(chan struct{}), 0
			slow := *st.runner
			slow.Trace = first.Tracer
			slow.Reached = func(at string) {
				if at != "answered" {
					return
				}
				if answers++; answers == nth {
					close(held)
					<-goOn
				}
			}
			claim, step := st.start(post)
			ended := make(chan error, 1)
			go func() { ended <- slow.Run(t.Context(), claim, st.op, step) }()
			<-held
			st.runner.Trace = second.Tracer
			fresh, again := st.takeOver(post)
			if err := st.runner.Run(t.Context(), fresh, st.op, again); err != nil {
				t.Fatal(err)
			}
			flush(t, second)
			close(goOn)
			if err := <-ended; !errors.Is(err, postgres.ErrLost) {
				t.Errorf("the slow worker ended with %v", err)
			}
			flush(t, first) // comes last, so it would hold
			if names := st.assertTraced(t, from, post); names["chat gpt-5"] != 4 {
				t.Errorf("spans %v, want three calls and the lost one", names)
			}
		})
	}
}

// TestFailedCallsAreTraced: tries that cost nothing, that cost their bound, and
// a paid tool call that failed.
func TestFailedCallsAreTraced(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{steps: []app.Step{testop.Step("designer", "designer.directions", "designer.directions", true)}})
	from := testotlp.New(t)
	watch := st.watch(to(from))
	st.runner.Trace = watch.Tracer
	st.sim.Fail(modelsim.Fault{Status: 429})
	st.sim.Fail(modelsim.Fault{Close: true})
	st.script(modelsim.Do("image_generate", map[string]any{"prompt": "a bird", "count": 2, "size": "1024x1024"}), modelsim.Answer{Text: "No."}, modelsim.Answer{Text: "No."})
	if step, err := st.playWaiting("designer.directions", time.Second); err == nil || step.State == app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	flush(t, watch)
	names := st.assertTraced(t, from, "designer.directions")
	if names["generate_content painter"] != 1 || names["chat gpt-5-mini"] < 4 {
		t.Errorf("spans %v", names)
	}
	failed := make(map[any]int)
	for _, s := range from.Spans() {
		if s.Failed {
			failed[s.Attributes["error.type"]]++
		}
		if s.Name == "generate_content painter" && s.Attributes["vivra.cost_nusd"] != int64(84_000_000) {
			t.Errorf("the pictures are %v", s.Attributes)
		}
		if s.Name == "execute_tool image_generate" && s.Attributes["vivra.total_cost_nusd"] != int64(84_000_000) {
			t.Errorf("the tool call is %v", s.Attributes)
		}
	}
	if failed["rate_limited"] != 1 || failed["broken"] != 1 || failed["failed"] != 1 {
		t.Errorf("failures %v", failed)
	}
}

// TestRunSaysNothingToCollectors unless that is asked for: neither prompts nor
// answers nor what the outside wrote.
func TestRunSaysNothingToCollectors(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		st, from := postRun(t), testotlp.New(t)
		c := to(from)
		c.Content = asked
		watch := st.watch(c)
		st.runner.Trace = watch.Tracer
		if _, err := st.play(post); err != nil {
			t.Fatal(err)
		}
		flush(t, watch)
		for _, words := range []string{"Day 3. Still here.", "ignore all rules", "calm", "You are one of six agents"} {
			if strings.Contains(from.Text(), words) != asked {
				t.Errorf("asked %v: %q in what was sent: %v", asked, words, !asked)
			}
		}
	}
}

// TestDeadCollectorHoldsNothingUp: a collector that never answers costs a run
// neither its end nor its time.
func TestDeadCollectorHoldsNothingUp(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	took := func(collector string) time.Duration {
		st := postRun(t)
		if collector != "" {
			st.runner.Trace = st.watch(telemetry.Config{Collector: collector}).Tracer
		}
		began := time.Now()
		if step, err := st.play(post); err != nil || step.State != app.StepWaiting {
			t.Fatalf("%s: %v", step.State, err)
		}
		return time.Since(began)
	}
	without, with := took(""), took(silent.URL+"/v1/traces")
	if with > without+2*time.Second {
		t.Errorf("a run took %s with a silent collector and %s without one", with, without)
	}
}

// TestRunIsCounted: the numbers of a run are those of the ledger, however its
// first worker came to lose it.
func TestRunIsCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		leave func(st *stage, claim app.Claim, step app.Step)
		lost  bool
	}{
		"it died": {func(st *stage, claim app.Claim, step app.Step) { st.die(claim, step, 2) }, true}, // answered
		"it was stopped": {func(st *stage, claim app.Claim, step app.Step) {
			ctx, stop := context.WithCancel(st.t.Context())
			st.runs(ctx, claim, step, "reserved", stop)
		}, true},
		"it lost its claim": {func(st *stage, claim app.Claim, step app.Step) {
			st.runs(st.t.Context(), claim, step, "answered", func() { st.takeOver(post) })
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := postRun(t)
			st.assertCounted(t, func(claim app.Claim, step app.Step) { c.leave(st, claim, step) }, c.lost)
		})
	}
}

// runs runs a step, and does something at each of its points of that name.
func (st *stage) runs(ctx context.Context, claim app.Claim, step app.Step, point string, do func()) {
	r := *st.runner
	r.Reached = func(at string) {
		if at == point {
			do()
		}
	}
	if err := r.Run(ctx, claim, st.op, step); err == nil {
		st.t.Error("it has come to its end")
	}
}

func (st *stage) assertCounted(t *testing.T, leave func(app.Claim, app.Step), lost bool) {
	t.Helper()
	watch := telemetry.New(telemetry.Config{Metrics: true, Clock: st.clock, Wall: st.wall, Ledger: st.store, Database: st.store, Log: slog.New(slog.NewTextHandler(new(testlog.Lines), nil))})
	st.runner.Trace = watch.Tracer
	claim, step := st.start(post)
	leave(claim, step)
	claim, step = st.takeOver(post)
	if err := st.runner.Run(t.Context(), claim, st.op, step); err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	watch.Metrics.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := answer.Body.String()
	_, rest, _ := strings.Cut(text, `vivra_call_cost_dollars_total{agent="cm",model="gpt-5"} `)
	figure, _, _ := strings.Cut(rest, "\n")
	spent, err := strconv.ParseFloat(figure, 64)
	if run := st.run(post); err != nil || app.Nano(math.Round(spent*1e9)) != run.Spent {
		t.Errorf("the run cost %q by the numbers and %s by the ledger", figure, run.Spent)
	}
	if got := strings.Contains(text, `vivra_model_calls_total{agent="cm",model="gpt-5",state="unknown"} 1`+"\n"); got != lost {
		t.Errorf("one lost call is told of: %t", got)
	}
	for _, want := range []string{
		`vivra_model_calls_total{agent="cm",model="gpt-5",state="settled"} 3`,
		`vivra_tool_calls_total{outcome="ok",tool="x_post"} 1`,
		`vivra_runs_total{agent="cm",end="succeeded"} 1`,
		`vivra_steps{state="waiting_validation"} 1`,
		`vivra_validations_waiting 1`,
		`vivra_database_up 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is not told", want)
		}
	}
}
