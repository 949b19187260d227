// Package agents is the catalogue: which agents there are, what each is told,
// what it may do and spend, and what each of its tasks must end with.
package agents

import (
	"io/fs"
	"slices"

	"vivra/app/agent"
)

// Catalogue holds every agent and every task, checked as one.
type Catalogue struct {
	agents []agent.Agent
	tasks  []Task
}

// Load reads specs/*.yaml (calendar.yaml apart) and prompts/*.md and checks
// them against the tools and the price table. All faults are in one error, each
// with its file and line: the program must not start on half a catalogue.
func Load(specs, prompts fs.FS, tools []agent.Tool, priced func(model string) bool) (*Catalogue, error) {
	l := &loader{specs: specs, prompts: prompts, tools: tools, priced: priced}
	c := l.catalogue()
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return c, nil
}

// Agent returns the agent of that name.
func (c *Catalogue) Agent(name string) (agent.Agent, bool) {
	return find(c.agents, func(a agent.Agent) bool { return a.Name == name })
}

// Agents returns every agent, in the order of AgentNames.
func (c *Catalogue) Agents() []agent.Agent { return slices.Clone(c.agents) }

// Task returns the task of that name, such as "scanner.daily_metrics".
func (c *Catalogue) Task(name string) (Task, bool) {
	return find(c.tasks, func(t Task) bool { return t.Name == name })
}

// Tasks returns every task, in calendar order, the continuous ones last.
func (c *Catalogue) Tasks() []Task { return slices.Clone(c.tasks) }

func find[T any](list []T, is func(T) bool) (found T, ok bool) {
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return found, false
	}
	return list[i], true
}
