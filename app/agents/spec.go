package agents

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vivra/app"
	"vivra/app/agent"
)

// specKeys are the keys that every spec has, optionalKeys those that it may
// have. There is no other.
var (
	specKeys     = []string{"name", "model", "tools", "budget_max_usd", "validation", "trigger"}
	optionalKeys = []string{"fallback", "temperature", "max_output_tokens"}
)

var triggers = []string{"steps", "steps, continuous"}

type spec struct {
	name, model, fallback, trigger string
	tools                          []agent.Tool
	budget                         app.Nano
	validation                     bool
	temperature                    *float64
	maxOutput                      int64
}

// spec reads one file. ok is false when not even the agent's name is known.
func (l *loader) spec(file string) (s spec, ok bool) {
	path := "specs/" + file
	raw, err := fs.ReadFile(l.specs, file)
	if err != nil {
		l.fault(path, 1, "%v", err)
		return s, false
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		l.fault(path, yamlLine(err), "%v", err)
		return s, false
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		l.fault(path, 1, "a spec is a mapping with the keys %s", strings.Join(specKeys, ", "))
		return s, false
	}
	seen := l.keys(path, doc.Content[0])
	if node := seen["name"]; node != nil {
		ok = l.name(path, node, strings.TrimSuffix(file, ".yaml"))
		s.name = node.Value
	}
	s.model = l.model(path, "model", seen["model"])
	s.fallback = l.model(path, "fallback", seen["fallback"])
	l.fallback(path, seen["fallback"], s)
	l.temperature(path, seen["temperature"], &s)
	l.maxOutput(path, seen["max_output_tokens"], &s)
	l.budget(path, seen["budget_max_usd"], &s)
	l.validation(path, seen["validation"], &s)
	l.trigger(path, seen["trigger"], &s)
	l.toolList(path, seen["tools"], &s)
	return s, ok
}

// keys returns the value of each known key and finds fault with the others.
func (l *loader) keys(path string, m *yaml.Node) map[string]*yaml.Node {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		switch {
		case !slices.Contains(specKeys, key.Value) && !slices.Contains(optionalKeys, key.Value):
			l.fault(path, key.Line, "unknown key %q", key.Value)
		case seen[key.Value] != nil:
			l.fault(path, key.Line, "key %q stands here a second time", key.Value)
		default:
			seen[key.Value] = value
		}
	}
	for _, key := range specKeys {
		if seen[key] == nil {
			l.fault(path, 1, "key %q is missing", key)
		}
	}
	return seen
}

func (l *loader) name(path string, node *yaml.Node, want string) bool {
	if node.Value != want || !slices.Contains(AgentNames, node.Value) {
		l.fault(path, node.Line, "name is %q: it must be that of the file and one of %s", node.Value, strings.Join(AgentNames, ", "))
		return false
	}
	return true
}

func (l *loader) model(path, key string, node *yaml.Node) string {
	switch {
	case node == nil:
	case node.Kind != yaml.ScalarNode || node.Value == "":
		l.fault(path, node.Line, "%s must be a model's name", key)
	case !l.priced(node.Value):
		l.fault(path, node.Line, "%s %q has no price: import one with vivra prices import", key, node.Value)
	default:
		return node.Value
	}
	return ""
}

func (l *loader) fallback(path string, node *yaml.Node, s spec) {
	if node != nil && s.fallback != "" && s.fallback == s.model {
		l.fault(path, node.Line, "fallback is the model itself: name another one, or none")
	}
}

func (l *loader) temperature(path string, node *yaml.Node, s *spec) {
	if node == nil {
		return
	}
	var t float64
	if node.Decode(&t) != nil || !(t >= 0 && t <= 2) {
		l.fault(path, node.Line, "temperature must be a number from 0 to 2")
		return
	}
	s.temperature = &t
}

// The output limits that make sense: less holds no answer, more has no model.
const leastOutput, mostOutput = 1000, 200_000

func (l *loader) maxOutput(path string, node *yaml.Node, s *spec) {
	s.maxOutput = maxOutputTokens
	if node == nil {
		return
	}
	if node.Decode(&s.maxOutput) != nil || s.maxOutput < leastOutput || s.maxOutput > mostOutput {
		l.fault(path, node.Line, "max_output_tokens must be a whole number from %d to %d", leastOutput, mostOutput)
	}
}

func (l *loader) budget(path string, node *yaml.Node, s *spec) {
	if node == nil {
		return
	}
	amount, err := app.ParseUSD(node.Value)
	if err != nil || node.Kind != yaml.ScalarNode || amount <= 0 {
		l.fault(path, node.Line, "budget_max_usd must be an amount above 0, such as 1.50")
		return
	}
	s.budget = amount
}

func (l *loader) validation(path string, node *yaml.Node, s *spec) {
	if node != nil && node.Decode(&s.validation) != nil {
		l.fault(path, node.Line, "validation must be true or false")
	}
}

func (l *loader) trigger(path string, node *yaml.Node, s *spec) {
	if node == nil {
		return
	}
	if !slices.Contains(triggers, node.Value) {
		l.fault(path, node.Line, "trigger must be one of: %s", strings.Join(triggers, "; "))
	}
	s.trigger = node.Value
}

func (l *loader) toolList(path string, node *yaml.Node, s *spec) {
	if node == nil {
		return
	}
	if node.Kind != yaml.SequenceNode {
		l.fault(path, node.Line, "tools must be a list of names")
		return
	}
	seen := map[string]bool{}
	for _, item := range node.Content {
		if seen[item.Value] {
			l.fault(path, item.Line, "tool %q stands here a second time", item.Value)
			continue
		}
		seen[item.Value] = true
		l.tool(path, item, s)
	}
	if !seen[agent.FinishTool] {
		l.fault(path, node.Line, "tool %q is missing: no run could end", agent.FinishTool)
	}
}

func (l *loader) tool(path string, item *yaml.Node, s *spec) {
	if item.Value == agent.FinishTool {
		return // the engine's own: each task brings it
	}
	tool, ok := find(l.tools, func(t agent.Tool) bool { return t.Name == item.Value })
	switch {
	case !ok:
		l.fault(path, item.Line, "unknown tool %q", item.Value)
	case !slices.Contains(tool.Agents, s.name):
		l.fault(path, item.Line, "tool %q does not list agent %q", item.Value, s.name)
	default:
		s.tools = append(s.tools, tool)
	}
}

// equip finds fault with a task that needs a tool which its agent lacks.
func (l *loader) equip(file string, s spec) {
	for _, t := range l.tasks {
		for _, name := range t.Tools {
			if _, ok := find(s.tools, func(tool agent.Tool) bool { return tool.Name == name }); t.Agent == s.name && !ok {
				l.fault("specs/"+file, 1, "task %s needs the tool %q", t.Name, name)
			}
		}
	}
}

var yamlLineNumber = regexp.MustCompile(`line (\d+)`)

// yamlLine takes the line out of the parser's message, which is all it gives.
func yamlLine(err error) int {
	if m := yamlLineNumber.FindStringSubmatch(err.Error()); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil {
			return n
		}
	}
	return 1
}
