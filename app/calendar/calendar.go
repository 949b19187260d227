// Package calendar holds the plan of a takeover: it reads the calendar, expands
// it for a start instant, and decides which steps may start, are superseded or
// can never start. All of it is pure.
package calendar

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"vivra/app"
)

// Row is one line of the calendar: a single step or a series of them.
type Row struct {
	Key       string   `yaml:"key"`
	Agent     string   `yaml:"agent"`
	Due       string   `yaml:"due"`
	DependsOn []string `yaml:"depends_on"`
	After     []string `yaml:"after"`
	Validates bool     `yaml:"validates"`

	line int
	due  schedule
}

// Calendar is a checked plan.
type Calendar struct{ rows []Row }

// System is the agent of the steps that code carries out.
const System = "system"

// Parse reads a calendar and checks it whole. Every fault names its line.
func Parse(file string, source []byte, agents []string) (*Calendar, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s:1: the calendar must be a list of steps", file)
	}
	var rows []Row
	var faults []string
	fault := func(line int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%s:%d: %s", file, line, fmt.Sprintf(format, args...)))
	}
	for _, node := range doc.Content[0].Content {
		row, err := readRow(node)
		if err != nil {
			fault(node.Line, "%v", err)
			continue
		}
		if row.Agent != System && !slices.Contains(agents, row.Agent) {
			fault(row.line, "%s: there is no agent %q", row.Key, row.Agent)
		}
		rows = append(rows, row)
	}
	checkGraph(rows, fault)
	if len(faults) > 0 {
		return nil, fmt.Errorf("the calendar has faults:\n%s", strings.Join(faults, "\n"))
	}
	return &Calendar{rows}, nil
}

var knownKeys = []string{"key", "agent", "due", "depends_on", "after", "validates"}

func readRow(node *yaml.Node) (row Row, err error) {
	if node.Kind != yaml.MappingNode {
		return row, fmt.Errorf("a step must be a mapping")
	}
	for i := 0; i < len(node.Content); i += 2 {
		if key := node.Content[i].Value; !slices.Contains(knownKeys, key) {
			return row, fmt.Errorf("unknown key %q; known are %s", key, strings.Join(knownKeys, ", "))
		}
	}
	if err := node.Decode(&row); err != nil {
		return row, err
	}
	row.line = node.Line
	if row.Key == "" {
		return row, fmt.Errorf("a step has no key")
	}
	row.due, err = parseSchedule(row.Due)
	if err != nil {
		return row, fmt.Errorf("%s: %w", row.Key, err)
	}
	if series := strings.Contains(row.Key, "{"); series != row.due.series() {
		return row, fmt.Errorf("%s: a series needs {d} or {w} in its key and days in its due, a single step neither", row.Key)
	}
	return row, nil
}

// Expand returns the steps of an operation that starts at j0, by due time and
// then in the calendar's order.
func (c *Calendar) Expand(j0 time.Time) []app.Step {
	var steps []app.Step
	for _, row := range c.rows {
		for _, at := range row.due.instants(j0.UTC()) {
			steps = append(steps, app.Step{
				Key:       at.fill(row.Key),
				Task:      taskOf(row.Key),
				Agent:     row.Agent,
				DueAt:     at.due,
				DependsOn: at.fillAll(row.DependsOn),
				After:     at.fillAll(row.After),
				Validates: row.Validates,
				Recurring: row.due.series(),
				State:     app.StepPending,
			})
		}
	}
	slices.SortStableFunc(steps, func(a, b app.Step) int { return a.DueAt.Compare(b.DueAt) })
	return steps
}

// taskOf drops the number of a series: cm.daily_post.{d} → cm.daily_post.
func taskOf(key string) string {
	before, _, _ := strings.Cut(key, ".{")
	return before
}
