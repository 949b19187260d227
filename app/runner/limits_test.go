package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
	"vivra/app/rehearsal/modelsim"
)

// TestRunTimeHoldsWhileAToolHangs: a tool that does not even look at its context
// can't keep a run beyond its time.
func TestRunTimeHoldsWhileAToolHangs(t *testing.T) {
	t.Parallel()
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	st := newStage(t, setting{market: slow{before: func() { <-forever }}, set: map[string]string{"run.max_time_s": "1"}})
	st.script(look(), finish(reading()))
	began := time.Now()
	step, err := st.play(metrics)
	if err == nil || step.State != app.StepPending || step.Error != "the run took longer than 1s" {
		t.Errorf("%s: %v", step.State, err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	testop.Balanced(t, st.store, st.op)
}

// TestCallsBeyondTheLimit of a turn are answered like all others, and not
// carried out; an output among them is not looked at, and no miss.
func TestCallsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{})
	many := modelsim.Answer{}
	for range 24 {
		many.Calls = append(many.Calls, modelsim.NewCall("market_snapshot", struct{}{}))
	}
	bad := finish(map[string]any{"summary": "done"})
	many.Calls = append(many.Calls, bad.Calls...)
	st.script(many, bad, finish(reading()))
	step, err := st.play(metrics)
	if err != nil || step.State != app.StepDone || st.sim.Count() != 3 {
		t.Fatalf("%s after %d requests: %v", step.State, st.sim.Count(), err)
	}
	refused := 0
	for _, text := range results(st.sim.Requests()[1]) {
		if strings.Contains(text, "only the first 20 calls") {
			refused++
		}
	}
	if refused != 5 {
		t.Errorf("%d calls of 25 were refused", refused)
	}
	rows := map[string]int{}
	for _, row := range st.called() {
		rows[row]++
	}
	if rows["Read the market"] != 20 || rows["Refused: more than 20 calls in one turn"] != 5 || rows["The output did not fit its schema and was sent back"] != 1 {
		t.Errorf("rows: %v", rows)
	}
}

// TestNamesThatHadToBeChanged never become a tool's: what the API would not take
// back is no disguise.
func TestNamesThatHadToBeChanged(t *testing.T) {
	t.Parallel()
	names := []string{"market.snapshot", "market snapshot", "market_snapshot\x00", "fin ish", "finish\n", " finish", "ｆｉｎｉｓｈ", "", "名前", strings.Repeat("n", 500), "../../etc", "<tool>", "x_post; DROP"}
	st := newStage(t, setting{})
	odd := modelsim.Answer{}
	for _, name := range names {
		odd.Calls = append(odd.Calls, modelsim.NewCall(name, map[string]any{"output": reading()}))
	}
	st.script(odd, finish(reading()))
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone || st.sim.Count() != 2 {
		t.Fatalf("%s after %d requests: %v", step.State, st.sim.Count(), err)
	}
	for id, text := range results(st.lastRequest()) {
		if !strings.Contains(text, "there is no tool") {
			t.Errorf("%s: %s", id, text)
		}
	}
	if got := len(results(st.lastRequest())); got != len(names) {
		t.Errorf("%d results for %d calls", got, len(names))
	}
}

// TestDraftsAreShownNowAndThen: while a long answer comes it is kept for those
// who watch, at most every 400 ms, and is gone when the answer is booked.
func TestDraftsAreShownNowAndThen(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{model: modelsim.Options{Piece: 4, Latency: 2 * time.Second}})
	st.runner.Wall = clockwork.NewRealClock()
	drafts := &overheard{Store: st.store}
	st.runner.Store = drafts
	slowly := finish(reading())
	slowly.Text = strings.Repeat("I weigh it. ", 60)
	st.script(slowly)
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone {
		t.Fatalf("%s: %v", step.State, err)
	}
	if n := len(drafts.texts); n < 2 {
		t.Fatalf("%d drafts", n)
	}
	for i, text := range drafts.texts[1:] {
		if !strings.HasPrefix(text, drafts.texts[i]) || len(text) == len(drafts.texts[i]) {
			t.Errorf("draft %d does not go on: %q", i+2, text)
		}
		if gap := drafts.at[i+1].Sub(drafts.at[i]); gap < 390*time.Millisecond {
			t.Errorf("draft %d came %s after the one before", i+2, gap)
		}
	}
}

// overheard is a store that remembers what was shown.
type overheard struct {
	*postgres.Store
	texts []string
	at    []time.Time
}

func (o *overheard) Overhear(ctx context.Context, callID int64, runID, draft string, now time.Time) error {
	o.texts, o.at = append(o.texts, draft), append(o.at, time.Now())
	return o.Store.Overhear(ctx, callID, runID, draft, now)
}

// silent is a store that keeps no draft, however long it is given.
type silent struct {
	*postgres.Store
	last error
}

func (s *silent) Overhear(ctx context.Context, _ int64, _, _ string, _ time.Time) error {
	<-ctx.Done()
	s.last = ctx.Err()
	return s.last
}

// TestSlowDatabaseDoesNotHoldTheAnswerUp: those who watch see less of it.
func TestSlowDatabaseDoesNotHoldTheAnswerUp(t *testing.T) {
	t.Parallel()
	st := newStage(t, setting{model: modelsim.Options{Piece: 40, Latency: time.Second}})
	st.runner.Wall = clockwork.NewRealClock()
	s := &silent{Store: st.store}
	st.runner.Store = s
	slowly := finish(reading())
	slowly.Text = strings.Repeat("I weigh it. ", 60)
	st.script(slowly)
	if step, err := st.play(metrics); err != nil || step.State != app.StepDone || !errors.Is(s.last, context.DeadlineExceeded) {
		t.Errorf("%s: %v; the draft was waited for until %v", step.State, err, s.last)
	}
}
