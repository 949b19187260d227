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
	// Spending is that of the run's operation.
	Spending app.Spending
}

// running tells whether there is more to come.
func (m Trace) running() bool { return m.Run.State == "running" }

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
