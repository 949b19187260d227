package admin

import (
	"strings"

	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// Trace is a run's page.
type Trace struct {
	layout.Team
	Run app.RunTrace
	// Operation is the state of the run's operation.
	Operation app.OperationState
	// Spending is that of the run's operation.
	Spending app.Spending
}

// running tells whether there is more to come.
func (m Trace) running() bool { return m.Run.State == "running" }

// Standing is the run's state, unless it only stands open: its operation was
// paused or stopped, and the run ends its call at most.
func (m Trace) Standing() string {
	if m.running() && (m.Operation == app.OperationPaused || m.Operation == app.OperationStopped) {
		return string(m.Operation)
	}
	return m.Run.State
}

func (m Trace) tone() string {
	if m.running() && m.Standing() != m.Run.State {
		return "wait"
	}
	return runTone(m.Run.State)
}

// halt says what becomes of a run whose operation was paused or stopped.
func (m Trace) halt() string {
	_, answering := m.draft()
	switch {
	case !m.running():
		return ""
	case m.Operation == app.OperationStopped:
		return "The operation was stopped. This run is cut off and makes no other call."
	case m.Operation == app.OperationPaused && answering:
		return "The operation is paused. This run keeps the answer under way and stops before its next call."
	case m.Operation == app.OperationPaused:
		return "The operation is paused. This run makes no call until it is resumed, then goes on from its last whole turn."
	}
	return ""
}

// LastItem is the number of the transcript's newest entry.
func (m Trace) LastItem() int {
	if n := len(m.Run.Items); n > 0 {
		return m.Run.Items[n-1].Seq
	}
	return 0
}

// wall is one of the three limits that a run is under.
type wall struct {
	name                   string
	spent, reserved, limit app.Nano
	stopped                bool
}

func (m Trace) walls() []wall {
	agent := app.AgentSpending{}
	for _, a := range m.Spending.Agents {
		if a.Agent == m.Run.Agent {
			agent = a
		}
	}
	all := []wall{{name: "This run's budget", spent: m.Run.Spent, reserved: m.Run.Reserved, limit: m.Run.Budget, stopped: m.stoppedBy("run")}}
	if agent.Agent != "" {
		all = append(all, wall{name: ui.AgentName(agent.Agent) + "'s share of the cap", spent: agent.Spent, reserved: agent.Reserved, limit: agent.Share, stopped: m.stoppedBy("agent")})
	}
	return append(all, wall{name: "The operation's cap", spent: m.Spending.Spent, reserved: m.Spending.Reserved, limit: m.Spending.Cap, stopped: m.stoppedBy("operation")})
}

func (m Trace) stoppedBy(name string) bool {
	return strings.Contains(m.Run.Error, (&app.BudgetError{Wall: name}).Error())
}

// draft is the answer that the run waits for, as far as it has come.
func (m Trace) draft() (call app.TraceCall, open bool) {
	for _, c := range m.Run.Calls {
		if c.State == "reserved" && c.Kind != "image" {
			call, open = c, m.running()
		}
	}
	return call, open
}
