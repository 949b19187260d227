package calendar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vivra/app"
	"vivra/app/calendar"
)

// walk is an operation played on a simulated clock: it applies the plan's moves
// and lets the steps that run end after took.
type walk struct {
	t      *testing.T
	steps  []app.Step
	now    time.Time
	took   func(app.Step) time.Duration
	ends   map[string]time.Time
	starts []string // key@offset from J0, in order
}

func (w *walk) step(key string) *app.Step {
	i := slices.IndexFunc(w.steps, func(s app.Step) bool { return s.Key == key })
	if i < 0 {
		w.t.Fatalf("there is no step %s", key)
	}
	return &w.steps[i]
}

// advance plans and applies until nothing moves any more at this instant.
func (w *walk) advance() {
	w.t.Helper()
	for round := 0; ; round++ {
		w.finish()
		moves := calendar.Plan(w.steps, w.now)
		if len(moves) == 0 {
			return
		}
		if round > len(w.steps) {
			w.t.Fatalf("the plan never comes to rest: %v", moves)
		}
		for _, m := range moves {
			w.apply(m)
		}
	}
}

func (w *walk) finish() {
	for key, end := range w.ends {
		if !end.After(w.now) {
			w.step(key).State = app.StepDone
			delete(w.ends, key)
		}
	}
}

func (w *walk) apply(m calendar.Move) {
	w.t.Helper()
	s := w.step(m.Step.Key)
	if s.State != app.StepPending {
		w.t.Fatalf("%s is %s and was moved to %s", s.Key, s.State, m.To)
	}
	s.State = m.To
	if m.To != app.StepRunning {
		return
	}
	w.mayStart(*s)
	s.Attempt, s.Fence = s.Attempt+1, s.Fence+1
	w.starts = append(w.starts, fmt.Sprintf("%s@%s", s.Key, strings.TrimSuffix(w.now.Sub(j0).String(), "0s")))
	w.ends[s.Key] = w.now.Add(w.took(*s))
}

// mayStart checks the rules from scratch, not as the plan does.
func (w *walk) mayStart(s app.Step) {
	w.t.Helper()
	if s.DueAt.After(w.now) {
		w.t.Errorf("%s started %s before it was due", s.Key, s.DueAt.Sub(w.now))
	}
	for _, key := range s.DependsOn {
		if state := w.step(key).State; state != app.StepDone {
			w.t.Errorf("%s started while %s, which it depends on, is %s", s.Key, key, state)
		}
	}
	for _, key := range s.After {
		if state := w.step(key).State; !state.Final() {
			w.t.Errorf("%s started while %s, which it comes after, is %s", s.Key, key, state)
		}
	}
}

// until walks minute by minute.
func (w *walk) until(end time.Duration) {
	w.t.Helper()
	for ; !w.now.After(j0.Add(end)); w.now = w.now.Add(time.Minute) {
		w.advance()
	}
}

func newWalk(t *testing.T, took time.Duration) *walk {
	return &walk{t: t, steps: shipped(t).Expand(j0), now: j0, ends: map[string]time.Time{}, took: func(app.Step) time.Duration { return took }}
}

func TestThreeDays(t *testing.T) {
	t.Parallel()
	w := newWalk(t, 10*time.Minute)
	w.until(72 * time.Hour)
	want := []string{
		"scanner.full_report@", "scanner.go_nogo@30m", "buyback.start@1h0m", "cm.account_setup@1h0m", "tg.setup@1h30m",
		"designer.directions@2h0m", "cm.verification_post@3h0m", "cto.dossier@4h0m", "designer.poll@5h0m",
		"scanner.daily_metrics.d01@22h43m", "designer.poll_results@29h0m", "designer.kit@30h0m", "webdev.build@34h0m",
		"webdev.publish@35h0m", "cm.rebrand@36h0m", "cm.comeback_thread@38h0m", "scanner.daily_metrics.d02@46h43m",
		"builder.utility@60h0m", "cm.utility_post@64h0m", "scanner.daily_metrics.d03@70h43m",
	}
	if diff := cmp.Diff(want, w.starts); diff != "" {
		t.Errorf("starts from T+0 to T+72h (-want +got):\n%s", diff)
	}
	for _, s := range w.steps {
		if s.State == app.StepSkipped || s.State == app.StepFailed {
			t.Errorf("%s is %s", s.Key, s.State)
		}
	}
}

// Slow people: what is late starts as soon as what it needs is there, in the
// order of the due times, and nothing but a recurring step is given up.
func TestThreeDaysWithSlowDecisions(t *testing.T) {
	t.Parallel()
	w := newWalk(t, 0)
	w.took = func(s app.Step) time.Duration {
		if s.Validates {
			return 7 * time.Hour
		}
		return 5 * time.Minute
	}
	w.until(72 * time.Hour)
	want := []string{
		"scanner.full_report@", "scanner.go_nogo@30m", "buyback.start@7h30m", "cm.account_setup@7h30m", "tg.setup@7h30m",
		"designer.directions@7h30m", "cm.verification_post@14h30m", "designer.poll@14h30m", "cto.dossier@21h30m",
		"scanner.daily_metrics.d01@22h43m", "designer.poll_results@29h0m", "designer.kit@30h0m", "webdev.build@37h0m",
		"cm.rebrand@37h0m", "webdev.publish@37h5m", "cm.comeback_thread@44h5m", "scanner.daily_metrics.d02@46h43m",
		"builder.utility@60h0m", "cm.utility_post@67h0m", "scanner.daily_metrics.d03@70h43m",
	}
	if diff := cmp.Diff(want, w.starts); diff != "" {
		t.Errorf("starts (-want +got):\n%s", diff)
	}
}

func TestWholeTakeoverEnds(t *testing.T) {
	t.Parallel()
	w := newWalk(t, time.Hour)
	for ; !w.now.After(j0.Add(31 * 24 * time.Hour)); w.now = w.now.Add(30 * time.Minute) {
		w.advance()
	}
	for _, s := range w.steps {
		if s.State != app.StepDone {
			t.Errorf("%s is %s", s.Key, s.State)
		}
	}
	if last := w.starts[len(w.starts)-1]; !strings.HasPrefix(last, "handover@") {
		t.Errorf("the last step is %s", last)
	}
}

// at is j0 and some hours.
func at(hours float64) time.Time { return j0.Add(time.Duration(hours * float64(time.Hour))) }

func one(key string, state app.StepState) app.Step {
	return app.Step{Key: key, Task: key, DueAt: j0, State: state}
}

func daily(day int, state app.StepState) app.Step {
	return app.Step{Key: fmt.Sprintf("cm.daily_post.d%02d", day), Task: "cm.daily_post", Recurring: true, DueAt: at(24 * float64(day)), State: state}
}

func with(s app.Step, change func(*app.Step)) app.Step {
	change(&s)
	return s
}

func TestPlan(t *testing.T) {
	t.Parallel()
	const (
		pending, running, waiting, done = app.StepPending, app.StepRunning, app.StepWaiting, app.StepDone
		failed, skipped, cancelled      = app.StepFailed, app.StepSkipped, app.StepCancelled
	)
	needs := func(keys ...string) app.Step {
		return with(one("b", pending), func(s *app.Step) { s.DependsOn = keys })
	}
	follows := func(keys ...string) app.Step {
		return with(one("b", pending), func(s *app.Step) { s.After = keys })
	}
	other := func(s app.Step) app.Step { return with(s, func(s *app.Step) { s.Task = "tg.weekly_mods" }) }
	tests := map[string]struct {
		steps []app.Step
		hours float64
		want  string
	}{
		"due":                {[]app.Step{one("a", pending)}, 0, "a→running"},
		"not due":            {[]app.Step{one("a", pending)}, -0.01, ""},
		"in hand":            {[]app.Step{one("a", running), one("b", waiting), one("c", done), one("d", failed)}, 1, ""},
		"dependency pending": {[]app.Step{with(one("a", pending), func(s *app.Step) { s.DueAt = at(2) }), needs("a")}, 1, ""},
		"dependency running": {[]app.Step{one("a", running), needs("a")}, 1, ""},
		"dependency waiting": {[]app.Step{one("a", waiting), needs("a")}, 1, ""},
		"dependency done":    {[]app.Step{one("a", done), needs("a")}, 1, "b→running"},
		"dependency failed":  {[]app.Step{one("a", failed), needs("a")}, 1000, ""},
		"one of two done":    {[]app.Step{one("a", done), one("c", running), needs("a", "c")}, 1, ""},
		"dependency skipped": {[]app.Step{one("a", skipped), needs("a")}, 1, "b→skipped"},
		"dependency gone":    {[]app.Step{one("a", cancelled), needs("a")}, 1, "b→skipped"},
		"skipped before due": {[]app.Step{one("a", skipped), needs("a")}, -5, "b→skipped"},
		"skipped down the line": {[]app.Step{one("a", skipped), needs("a"), with(one("c", pending), func(s *app.Step) { s.DependsOn = []string{"b"} }),
			with(one("d", pending), func(s *app.Step) { s.After = []string{"c"} })}, 1, "b→skipped c→skipped d→running"},
		"after pending":        {[]app.Step{with(one("a", pending), func(s *app.Step) { s.DueAt = at(2) }), follows("a")}, 1, ""},
		"after running":        {[]app.Step{one("a", running), follows("a")}, 1, ""},
		"after waiting":        {[]app.Step{one("a", waiting), follows("a")}, 1, ""},
		"after done":           {[]app.Step{one("a", done), follows("a")}, 1, "b→running"},
		"after failed":         {[]app.Step{one("a", failed), follows("a")}, 1, "b→running"},
		"after skipped":        {[]app.Step{one("a", skipped), follows("a")}, 1, "b→running"},
		"after cancelled":      {[]app.Step{one("a", cancelled), follows("a")}, 1, "b→running"},
		"held until later":     {[]app.Step{with(one("a", pending), func(s *app.Step) { s.NotBefore = new(at(2)) })}, 1.99, ""},
		"held until now":       {[]app.Step{with(one("a", pending), func(s *app.Step) { s.NotBefore = new(at(2)) })}, 2, "a→running"},
		"one-off far too late": {[]app.Step{one("a", pending)}, 24 * 29, "a→running"},
		"by due time": {[]app.Step{with(one("a", pending), func(s *app.Step) { s.DueAt = at(3) }), with(one("b", pending), func(s *app.Step) { s.DueAt = at(1) }),
			with(one("c", pending), func(s *app.Step) { s.DueAt = at(2) })}, 4, "b→running c→running a→running"},
		"recurring on time":    {[]app.Step{daily(3, pending), daily(4, pending)}, 24*4 - 0.01, "cm.daily_post.d03→running"},
		"recurring superseded": {[]app.Step{daily(3, pending), daily(4, pending)}, 24 * 4, "cm.daily_post.d03→skipped cm.daily_post.d04→running"},
		"many superseded": {[]app.Step{daily(3, pending), daily(4, pending), daily(5, pending), daily(6, pending)}, 24 * 5.5,
			"cm.daily_post.d03→skipped cm.daily_post.d04→skipped cm.daily_post.d05→running"},
		"superseded though held back": {[]app.Step{one("a", failed), with(daily(3, pending), func(s *app.Step) { s.DependsOn = []string{"a"} }),
			with(daily(4, pending), func(s *app.Step) { s.DependsOn = []string{"a"} })}, 24 * 4, "cm.daily_post.d03→skipped"},
		"superseded by one that is done":  {[]app.Step{daily(3, pending), daily(4, done)}, 24 * 4.5, "cm.daily_post.d03→skipped"},
		"the last of a series stays":      {[]app.Step{daily(29, done), daily(30, pending)}, 24 * 60, "cm.daily_post.d30→running"},
		"another series does not matter":  {[]app.Step{daily(3, pending), other(daily(4, done))}, 24 * 5, "cm.daily_post.d03→running"},
		"tried again, not superseded":     {[]app.Step{with(daily(3, pending), func(s *app.Step) { s.Attempt, s.Fence = 1, 1 }), daily(4, running)}, 24 * 4, "cm.daily_post.d03→running"},
		"redrafted, not superseded":       {[]app.Step{with(daily(3, pending), func(s *app.Step) { s.Rejections, s.Fence = 1, 1 }), daily(4, running)}, 24 * 4, "cm.daily_post.d03→running"},
		"retried by a person":             {[]app.Step{with(daily(3, pending), func(s *app.Step) { s.Fence = 4 }), daily(5, done)}, 24 * 5.5, "cm.daily_post.d03→running"},
		"superseded lets its follower go": {[]app.Step{daily(3, pending), daily(4, pending), with(one("b", pending), func(s *app.Step) { s.DueAt, s.After = at(24*4), []string{"cm.daily_post.d03"} })}, 24 * 4, "cm.daily_post.d03→skipped cm.daily_post.d04→running b→running"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tt.steps)
			var got []string
			for _, m := range calendar.Plan(tt.steps, at(tt.hours)) {
				got = append(got, m.Step.Key+"→"+string(m.To))
				if (m.To == app.StepSkipped) != (m.Reason != "") {
					t.Errorf("%s→%s for the reason %q", m.Step.Key, m.To, m.Reason)
				}
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("moves %q, want %q", s, tt.want)
			}
			if diff := cmp.Diff(before, tt.steps); diff != "" {
				t.Errorf("planning changed its input:\n%s", diff)
			}
		})
	}
}
