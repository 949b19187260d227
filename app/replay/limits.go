package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/agent"
)

// settings are those that were in force at an instant, with the run's own models
// and the limits that any of its processes can have gone by: nothing tells when
// one of them read its settings. They are the most lenient ones, until the loop
// wants to go on where what is stored ends by a limit.
func (s *session) settings(at time.Time) (app.Settings, error) {
	settings, err := s.inForce(at)
	if err != nil {
		return settings, err
	}
	all, err := s.terms()
	choose := func(a, b int) int { return max(a, b) }
	if s.strict {
		choose = func(a, b int) int { return min(a, b) }
	}
	settings.MaxTurns, settings.Retries = all[0].MaxTurns, all[0].Retries
	for _, term := range all {
		settings.MaxTurns, settings.Retries = choose(settings.MaxTurns, term.MaxTurns), choose(settings.Retries, term.Retries)
	}
	settings.MaxRunTime = max(settings.MaxRunTime, time.Minute) // by which the replay itself is bound
	settings.Models[s.run.Agent] = s.run.Model
	if fallback, known := s.fallback(); known {
		settings.Fallbacks[s.run.Agent] = fallback
	}
	return settings, err
}

func (s *session) inForce(at time.Time) (app.Settings, error) {
	stored := map[string]json.RawMessage{}
	for _, change := range slices.Backward(s.changes) { // the newest is the first
		switch {
		case change.At.After(at):
		case change.Reset():
			delete(stored, change.Key)
		default:
			stored[change.Key] = change.Value
		}
	}
	return app.DefaultSettings().With(stored)
}

// terms are the settings that were in force from the run's beginning to its end.
func (s *session) terms() ([]app.Settings, error) {
	settings, err := s.inForce(s.stored.StartedAt)
	all := []app.Settings{settings}
	for _, change := range s.changes {
		if change.At.Before(s.stored.StartedAt) || s.ended(change.At) || err != nil {
			continue
		}
		settings, err = s.inForce(change.At)
		all = append(all, settings)
	}
	return all, err
}

// ended tells whether the run was over by then.
func (s *session) ended(by time.Time) bool {
	return !s.stored.FinishedAt.IsZero() && by.After(s.stored.FinishedAt)
}

// limited begins the loop anew by the strictest limits, once, when what is
// stored ends by a limit: it is for the loop to say that it is met.
func (s *session) limited() bool {
	byLimit := strings.HasPrefix(s.stored.Error, "no output after ") || strings.Contains(s.stored.Error, "no retry is left")
	if s.strict || s.stored.State != failed || !byLimit {
		return false
	}
	s.strict, s.again = true, true
	return true
}

// givenUp tells whether the loop can have stopped asking a model after its last
// answer, a fault, by a limit that was in force.
func (s *session) givenUp(turn int) (fault *agent.ModelError, ok bool) {
	last := s.lastAsked()
	if last == nil || last.Turn != turn || last.Lost || last.State == settled {
		return nil, false
	}
	answer, err := decodeAnswer(last.Answer)
	if err != nil || answer.Fault == nil {
		return nil, false
	}
	all, err := s.terms()
	return answer.Fault, err == nil && slices.ContainsFunc(all, func(term app.Settings) bool {
		return s.used() > term.Retries || s.tooLate(answer.Fault, term)
	})
}

// tooLate tells whether the wait after a fault can have been longer than the run
// had time: what it had used of it is not stored to the moment.
func (s *session) tooLate(fault *agent.ModelError, term app.Settings) bool {
	wait := longestWait
	if fault.RetryAfter > 0 {
		wait = fault.RetryAfter + fault.RetryAfter/10
	}
	return wait >= term.MaxRunTime-s.last().Sub(s.stored.StartedAt)
}

// longestWait is the longest that the loop waits by itself.
const longestWait = 32 * time.Second

// used is how much of the run's allowance is gone, as its loop counts it.
func (s *session) used() int {
	notes := map[string]bool{}
	for _, item := range s.stored.Items[:s.items] {
		var it struct {
			Note string `json:"note"`
		}
		if json.Unmarshal(item.Item, &it) == nil && it.Note != "" {
			notes[it.Note] = true
		}
	}
	return s.run.Failures + len(notes)
}

// fallback is the other model that was asked. A run that asked none had none to
// ask, unless its budget stopped it there.
func (s *session) fallback() (model string, known bool) {
	for _, call := range s.stored.Calls {
		if call.Kind == modelCall && call.Model != s.run.Model {
			return call.Model, true
		}
	}
	_, budget := budgetWall(s.stored.Error)
	return s.run.Model, !budget
}
