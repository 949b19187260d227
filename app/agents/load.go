package agents

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vivra/app"
	"vivra/app/agent"
)

// maxOutputTokens bounds one answer, reasoning included, unless the spec says
// otherwise. The longest output is a kit: about thirty asset ids of 64 digits.
const maxOutputTokens = 16_000

// calendarFile lies beside the specs and is loaded by package calendar.
const calendarFile = "calendar.yaml"

// Faults are everything that is wrong with the specs and the prompts.
type Faults []string

func (f Faults) Error() string { return strings.Join(f, "\n") }

type loader struct {
	specs, prompts fs.FS
	tools          []agent.Tool
	priced         func(string) bool
	tasks          []Task
	faults         Faults
}

func (l *loader) fault(file string, line int, format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf("%s:%d: %s", file, line, fmt.Sprintf(format, args...)))
}

func (l *loader) catalogue() *Catalogue {
	preamble := l.preamble()
	l.tasks = taskTable()
	c := &Catalogue{tasks: l.tasks}
	for _, file := range l.files() {
		s, ok := l.spec(file)
		if !ok {
			continue
		}
		if p, ok := l.prompt(s.name); ok {
			c.agents = append(c.agents, newAgent(s, preamble, p))
			l.instruct(s.name, p)
			l.equip(file, s)
		}
	}
	slices.SortFunc(c.agents, func(a, b agent.Agent) int {
		return slices.Index(AgentNames, a.Name) - slices.Index(AgentNames, b.Name)
	})
	return c
}

// files lists the specs, and finds fault with those that are missing.
func (l *loader) files() []string {
	found, err := fs.Glob(l.specs, "*.yaml")
	if err != nil {
		l.fault("specs", 1, "%v", err)
	}
	for _, name := range AgentNames {
		if !slices.Contains(found, name+".yaml") {
			l.fault("specs/"+name+".yaml", 1, "the spec of agent %s is missing", name)
		}
	}
	return slices.DeleteFunc(found, func(f string) bool { return f == calendarFile })
}

func newAgent(s spec, preamble string, p promptFile) agent.Agent {
	return agent.Agent{
		Name:            s.name,
		Model:           s.model,
		Fallback:        s.fallback,
		Temperature:     s.temperature,
		Section:         app.SectionOf(s.name, ""),
		System:          preamble + "\n" + p.system,
		PromptSHA256:    app.SHA256Hex([]byte(preamble + "\n" + p.raw)),
		Tools:           s.tools,
		BudgetMax:       s.budget,
		MaxOutputTokens: s.maxOutput,
		Validation:      s.validation,
		Trigger:         s.trigger,
	}
}
