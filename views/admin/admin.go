// Package admin is the team's side: what waits, what runs, what went wrong.
package admin

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"vivra/app"
	"vivra/views/layout"
)

// Dashboard is what needs a person now.
type Dashboard struct {
	layout.Team
	Validations []app.QueueItem    // oldest first
	Doubts      []app.EffectStatus // of which nobody can tell whether they went out
	Alerts      []app.Alert        // the newest few
	AlertCount  int
	Faults      []app.DeliveryFault // channels that alerts do not reach
	Notices     []string            // what is wrong with the services that agents need
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

// StepRuns lists the runs of one step.
type StepRuns struct {
	layout.Team
	Runs []app.RunTrace
}

// Audit is the page of what people changed.
type Audit struct {
	layout.Team
	Rows []app.AuditRow
	More bool // there are older ones
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
	Alerts      []app.Alert // the newest few
	MoreAlerts  bool
	Beside      app.StepsBeside
	Validations []app.QueueItem
	Expires     time.Duration // after which an approval does not hold any more
	Now         time.Time
	Unsettled   Unsettled
}

// Unsettled is a person's word for a publication in doubt that was not taken, and
// why. Its zero value is none.
type Unsettled struct {
	app.Settlement
	Why string
}

// Start is the form that starts a takeover; Values are what was entered before.
type Start struct {
	layout.Team
	Values  map[string]string
	Problem string
}

// changed is what a change found and what it left, whole.
func changed(r app.AuditRow) string {
	var parts []string
	for _, side := range []struct {
		name string
		raw  json.RawMessage
	}{{"Before", r.Before}, {"After", r.After}} {
		var out bytes.Buffer
		if len(side.raw) == 0 || string(side.raw) == "null" || json.Indent(&out, side.raw, "", "  ") != nil {
			continue
		}
		parts = append(parts, side.name+" "+out.String())
	}
	return strings.Join(parts, "\n")
}
