package calendar

import (
	"slices"
	"strings"
	"time"

	"vivra/app"
)

// Move is what the plan wants done with one step now.
type Move struct {
	Step   app.Step
	To     app.StepState // running: start it; skipped: it can't or need not start any more
	Reason string
}

// Plan returns the moves that the state of an operation's steps calls for at
// now, in the order of their due times. It is a fixed point: applying the moves
// and planning again at the same instant brings only what the first moves freed.
func Plan(steps []app.Step, now time.Time) []Move {
	byKey := make(map[string]app.Step, len(steps))
	for _, s := range steps {
		byKey[s.Key] = s
	}
	latestDue := latestOfSeries(steps, now)

	var moves []Move
	for _, s := range inOrder(steps) {
		if s.State != app.StepPending {
			continue
		}
		if dead := deadDependency(s, byKey); dead != "" {
			moves = append(moves, Move{s, app.StepSkipped, "skipped because " + dead + " did not happen"})
			s.State = app.StepSkipped
			byKey[s.Key] = s
			continue
		}
		if s.DueAt.After(now) {
			continue
		}
		if s.Recurring && !started(s) && latestDue[s.Task].After(s.DueAt) {
			moves = append(moves, Move{s, app.StepSkipped, "superseded by the next one"})
			s.State = app.StepSkipped
			byKey[s.Key] = s
			continue
		}
		if ready(s, byKey, now) {
			moves = append(moves, Move{s, app.StepRunning, ""})
		}
	}
	return moves
}

// started tells whether any worker ever claimed the step: a retry or a redraft
// of one that was is never superseded, since a person may have asked for it.
func started(s app.Step) bool { return s.Fence > 0 }

func inOrder(steps []app.Step) []app.Step {
	sorted := slices.Clone(steps)
	slices.SortStableFunc(sorted, func(a, b app.Step) int { return a.DueAt.Compare(b.DueAt) })
	return sorted
}

// latestOfSeries returns, per series, the due time of its last member that has
// fallen due: what is older and not started is superseded.
func latestOfSeries(steps []app.Step, now time.Time) map[string]time.Time {
	latest := make(map[string]time.Time)
	for _, s := range steps {
		if s.Recurring && !s.DueAt.After(now) && s.DueAt.After(latest[s.Task]) {
			latest[s.Task] = s.DueAt
		}
	}
	return latest
}

func deadDependency(s app.Step, byKey map[string]app.Step) string {
	for _, key := range s.DependsOn {
		if state := byKey[key].State; state == app.StepSkipped || state == app.StepCancelled {
			return key
		}
	}
	return ""
}

func ready(s app.Step, byKey map[string]app.Step, now time.Time) bool {
	if s.NotBefore != nil && s.NotBefore.After(now) {
		return false
	}
	for _, key := range s.DependsOn {
		if byKey[key].State != app.StepDone {
			return false
		}
	}
	for _, key := range s.After {
		if !byKey[key].State.Final() {
			return false
		}
	}
	return true
}

// DayOf returns the number of a daily step's day, 0 for any other step.
func DayOf(key string) int {
	i := strings.LastIndex(key, ".d")
	if i < 0 {
		return 0
	}
	return num(key[i+2:])
}
