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

// specKeys are the keys of a spec: all of them, and no other.
var specKeys = []string{"name", "model", "tools", "budget_max_usd", "validation", "trigger"}

var triggers = []string{"steps", "steps, continuous"}

type spec struct {
	name, model, trigger string
	tools                []agent.Tool
	budget               app.Nano
	validation           bool
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
	l.model(path, seen["model"], &s)
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
		case !slices.Contains(specKeys, key.Value):
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

func (l *loader) model(path string, node *yaml.Node, s *spec) {
	switch {
	case node == nil:
	case node.Kind != yaml.ScalarNode || node.Value == "":
		l.fault(path, node.Line, "model must be a model's name")
	case !l.priced(node.Value):
		l.fault(path, node.Line, "model %q has no price: set llm.prices.%s", node.Value, node.Value)
	default:
		s.model = node.Value
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
