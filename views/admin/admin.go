// Package admin is the team's side: what waits, what runs, what went wrong.
package admin

import (
	"encoding/json"
	"time"

	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// Dashboard is what needs a person now.
type Dashboard struct {
	layout.Team
	Validations []app.Validation // oldest first
	Alerts      []app.Alert
	Notices     []string // what is wrong with the services that agents need
	Operations  []Operation
	Now         time.Time
}

// Operation is one operation and all that hangs on it.
type Operation struct {
	app.OperationSummary
	Steps   []app.Step
	Effects []app.EffectStatus
}

// next is the pending step that falls due first.
func (o Operation) next() (app.Step, bool) {
	var first app.Step
	for _, s := range o.Steps {
		if s.State == app.StepPending && (first.ID == 0 || s.DueAt.Before(first.DueAt)) {
			first = s
		}
	}
	return first, first.ID != 0 && !o.State.Final()
}

// Queue is the list of what waits and one output of it.
type Queue struct {
	layout.Team
	Items    []app.Validation // oldest first
	Current  *app.Validation  // nil: nothing to show
	Preview  ui.Preview
	Previous *app.Validation // the draft before, nil when there was none
	Now      time.Time
}

func (q Queue) currentID() string {
	if q.Current == nil {
		return ""
	}
	return q.Current.ID
}

func (q Queue) changes() []ui.Edit {
	return ui.Diff(text(*q.Previous), text(*q.Current))
}

func text(v app.Validation) string {
	joined := ""
	for _, line := range ui.Lines(v.Kind, v.Payload) {
		joined += line + "\n"
	}
	return joined
}

// marks counts what a person must look at before approving.
func marks(r app.Risk) int {
	n := len(r.Problems)
	for _, a := range r.Addresses {
		if !a.Matches {
			n++
		}
	}
	for _, l := range r.Links {
		if !l.Allowed {
			n++
		}
	}
	return n
}

// Risky tells whether r has a mark: such an output is approved only on purpose.
func Risky(r app.Risk) bool { return marks(r) > 0 }

func approveWord(k app.ValidationKind) string {
	switch k {
	case app.KindProfile:
		return "I applied it on X"
	case app.KindDossier:
		return "I submitted it"
	case app.KindHandover:
		return "Sign off"
	}
	return "Approve"
}

func rejectHint(k app.ValidationKind) string {
	if k == app.KindGoNoGo {
		return "Rejecting it stops the operation for good: no buyback, the envelope is kept."
	}
	return "The agent tries again and reads this reason. After three rejections the step waits for a person."
}

// canRetry and canSkip tell which buttons a step has; the store has the last word.
func canRetry(s app.Step) bool { return s.State == app.StepFailed }
func canSkip(s app.Step) bool {
	return s.State == app.StepFailed || s.State == app.StepPending
}

// StepRuns lists the runs of one step.
type StepRuns struct {
	layout.Team
	Runs []app.RunTrace
}

// Alerts is the page of open alerts.
type Alerts struct {
	layout.Team
	Open []app.Alert
	Now  time.Time
}

// Audit is the page of what people changed.
type Audit struct {
	layout.Team
	Rows []app.AuditRow
}

// Operations is the list of all operations.
type Operations struct {
	layout.Team
	All []app.OperationSummary
	Now time.Time
}

// OperationPage is one operation's page.
type OperationPage struct {
	layout.Team
	Operation
	Spending    app.Spending
	Sources     []app.SourceCost
	Alerts      []app.Alert
	Validations []app.Validation
	Now         time.Time
}

// Start is the form that starts a takeover; Values are what was entered before.
type Start struct {
	layout.Team
	Values  map[string]string
	Problem string
}

// Credentials is the page of the sign-in form and of the first account.
type Credentials struct {
	CSRF    string
	Action  string
	Name    string
	Problem string
	Next    string // where to go after
}

func short(raw json.RawMessage) string {
	const most = 160
	r := []rune(string(raw))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most]) + "…"
}
