package admin

import (
	"encoding/json"
	"fmt"
	"strings"

	"vivra/app"
	"vivra/app/effects"
	"vivra/views/layout"
	"vivra/views/ui"
)

// active steps need or may need a person; ended ones are history. A failed
// step is not history: it waits to be retried or skipped.
func active(s app.StepState) bool {
	return s == app.StepFailed || s == app.StepRunning || s == app.StepWaiting
}

func ended(s app.StepState) bool { return s.Final() && s != app.StepFailed }

func planned(s app.StepState) bool { return s == app.StepPending }

func (m OperationPage) group(in func(app.StepState) bool) []app.Step {
	var found []app.Step
	for _, s := range m.Steps {
		if in(s.State) {
			found = append(found, s)
		}
	}
	return found
}

// titled is a step with what it is called.
type titled struct {
	app.Step
	Title string
}

func titles(steps []app.Step) []titled {
	all := make([]titled, len(steps))
	for i, s := range steps {
		all[i] = titled{s, ui.StepTitle(s.Key)}
	}
	return all
}

// besideIn are the steps beside the calendar that have ended, or the others.
func (m OperationPage) besideIn(over bool) (found []titled) {
	for _, s := range m.Beside.Steps {
		if ended(s.State) == over {
			found = append(found, titled{s.Step, ui.BesideTitle(s.Task, s.Key, s.Mentions, s.To)})
		}
	}
	return found
}

// soon is how many planned steps are shown unfolded.
const soon = 6

func (m OperationPage) upcoming() []app.Step {
	all := m.group(planned)
	return all[:min(soon, len(all))]
}

func (m OperationPage) later() []app.Step {
	all := m.group(planned)
	return all[min(soon, len(all)):]
}

// calls counts a step's calls to the outside.
func (m OperationPage) calls(s app.Step) (c app.StepCalls) {
	for _, e := range m.Effects {
		if e.StepID != s.ID {
			continue
		}
		switch e.State {
		case app.EffectDone:
			c.Sent++
		case app.EffectAttempting, app.EffectUnknown:
			c.Open++
		case app.EffectIntent, app.EffectFailed:
			c.Waiting++
		}
	}
	return c
}

// stepControl is what an admin may do to one step; the store has the last word.
type stepControl struct {
	layout.Team
	titled
	Retry, Skip bool
	WhyNot      string // why one of them is missing
	Partly      bool   // a part of its output is out
}

func (m OperationPage) control(s titled) stepControl {
	calls := m.calls(s.Step)
	retry, skip := s.MayRetry(calls), s.MaySkip(calls)
	c := stepControl{Team: m.Team, titled: s, Retry: retry == nil, Skip: skip == nil, Partly: calls.Sent > 0}
	switch {
	case !active(s.State):
	case skip != nil:
		c.WhyNot = skip.Error()
	case retry != nil:
		c.WhyNot = retry.Error()
	}
	return c
}

// shown tells whether there is anything to do or to say.
func (c stepControl) shown() bool { return c.Retry || c.Skip || c.WhyNot != "" }

func (c stepControl) title() string {
	switch {
	case c.Retry && c.Skip:
		return "Retry or skip"
	case c.Skip:
		return "Skip"
	case c.Retry:
		return "Retry"
	}
	return "Why it can't be retried or skipped"
}

// retryWord and retrying say what running the step again means for it as it is.
func (c stepControl) retryWord() string {
	switch c.Step.State {
	case app.StepRunning:
		return "Start it over"
	case app.StepWaiting:
		return "Have it written anew"
	}
	return "Run it again"
}

func (c stepControl) retrying() string {
	switch c.Step.State {
	case app.StepRunning:
		return "Its run is broken off and begins anew. What it has paid stays paid; nothing of it was published."
	case app.StepWaiting:
		return "The draft is withdrawn, nothing of it is sent, and the agent begins anew. To tell the agent what is wrong, reject it in the queue instead."
	}
	return "Running it again begins from its start and writes a new draft."
}

func (c stepControl) skipping() string {
	what := "What depends on a skipped step is skipped too."
	switch {
	case c.Step.State == app.StepRunning:
		return "Skipping breaks its run off. " + what
	case c.Step.State == app.StepWaiting && c.Partly:
		return "Skipping withdraws what is not sent yet; what went out stays. " + what
	case c.Step.State == app.StepWaiting:
		return "Skipping withdraws its draft; nothing of it is sent. " + what
	}
	return what
}

// retriable tells whether a publication that failed may be sent under the
// approval that it has.
func (m OperationPage) retriable(e app.EffectStatus) bool {
	return e.State == app.EffectFailed && e.Holds(m.Expires, m.Now) && !m.State.Final()
}

// inDoubt are the publications of which nobody knows whether they went out.
func (m OperationPage) inDoubt() []app.EffectStatus {
	return m.effectsIn(func(s app.EffectState) bool { return s == app.EffectUnknown })
}

// ahead are those that are to be sent, or have failed; past are all others.
func (m OperationPage) ahead() []app.EffectStatus {
	return m.effectsIn(func(s app.EffectState) bool { return !settled(s) && s != app.EffectUnknown })
}

func (m OperationPage) past() []app.EffectStatus { return m.effectsIn(settled) }

func settled(s app.EffectState) bool { return s == app.EffectDone || s == app.EffectVoid }

func (m OperationPage) effectsIn(in func(app.EffectState) bool) []app.EffectStatus {
	var found []app.EffectStatus
	for _, e := range m.Effects {
		if in(e.State) {
			found = append(found, e)
		}
	}
	return found
}

// maxPast is how many publications that are over a page lists, the newest.
const maxPast = 200

func newest(all []app.EffectStatus) []app.EffectStatus { return all[max(len(all)-maxPast, 0):] }

func effectWord(s app.EffectState) string {
	switch s {
	case app.EffectIntent:
		return "to be sent"
	case app.EffectAttempting:
		return "being sent"
	case app.EffectDone:
		return "sent"
	case app.EffectUnknown:
		return "in doubt"
	case app.EffectVoid:
		return "never sent"
	}
	return string(s)
}

func effectTone(s app.EffectState) string {
	switch s {
	case app.EffectAttempting:
		return "run"
	case app.EffectDone:
		return "live"
	case app.EffectUnknown:
		return "wait"
	case app.EffectFailed:
		return "bad"
	case app.EffectVoid:
		return "off"
	}
	return ""
}

// callWords says what a call does, which one of its step's it is and how often it
// was tried.
func callWords(e app.EffectStatus) string {
	text := fmt.Sprintf("%s, part %d", effects.Name(e.Kind), e.Position+1)
	if e.Attempt > 0 {
		text += ", " + ui.Count(e.Attempt, "attempt", "attempts")
	}
	return text
}

// of is the link that was entered for e, to be corrected.
func (u Unsettled) of(e app.EffectStatus) string {
	if u.EffectID != e.ID {
		return ""
	}
	return u.Link
}

// sought is where to look for a publication and what it says.
func sought(e app.EffectStatus) (where, words string) {
	var r struct{ Account, Text, Question, Title, Description, Host string }
	_ = json.Unmarshal(e.Request, &r) // what it does not say is not shown
	where = "on the platform"
	switch {
	case r.Account != "":
		where = "on X, as @" + r.Account
	case r.Host != "":
		where = "at " + r.Host
	case strings.HasPrefix(e.Kind, "tg."):
		where = "in the Telegram group"
	}
	for _, text := range []string{r.Text, r.Question, r.Title, r.Description} {
		if text != "" {
			return where, text
		}
	}
	return where, ""
}
