package admin

import (
	"github.com/a-h/templ"

	"vivra/app"
)

func (m OperationPage) unknown() []app.EffectStatus {
	var found []app.EffectStatus
	for _, e := range m.Effects {
		if e.State == app.EffectUnknown {
			found = append(found, e)
		}
	}
	return found
}

func effectWord(s app.EffectState) string {
	switch s {
	case app.EffectIntent:
		return "to be sent"
	case app.EffectAttempting:
		return "being sent"
	case app.EffectDone:
		return "sent"
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

func runTone(state string) string {
	switch state {
	case "running":
		return "run"
	case "done", "finished", "succeeded":
		return "live"
	case "failed":
		return "bad"
	}
	return ""
}

func here(current bool) templ.Attributes {
	if !current {
		return nil
	}
	return templ.Attributes{"aria-current": "true"}
}

func openAttr(open bool) templ.Attributes {
	if !open {
		return nil
	}
	return templ.Attributes{"open": true}
}

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
