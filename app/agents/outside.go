package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"vivra/app/agent"
	"vivra/app/untrusted"
)

// Limited returns the agent with the tools of the task only: whatever else it
// asks for is refused.
func (t Task) Limited(a agent.Agent) agent.Agent {
	if t.Tools == nil {
		return a
	}
	var kept []agent.Tool
	for _, name := range t.Tools {
		if tool, ok := a.Tool(name); ok {
			kept = append(kept, tool)
		}
	}
	a.Tools = kept
	return a
}

// outsideSource is where the texts in a task's input come from.
const outsideSource = "x"

// Sources are where text from outside in the task's input comes from.
func (t Task) Sources() []string {
	if len(t.Outside) == 0 {
		return nil
	}
	return []string{outsideSource}
}

// Fenced returns the task's input with each text from outside wrapped.
func (t Task) Fenced(input json.RawMessage) (json.RawMessage, error) {
	if len(t.Outside) == 0 {
		return input, nil
	}
	var loose any
	if err := json.Unmarshal(input, &loose); err != nil {
		return nil, fmt.Errorf("read the input of %s: %w", t.Name, err)
	}
	for _, path := range t.Outside {
		loose = fenceAt(loose, strings.Split(path, "."))
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(loose); err != nil {
		return nil, fmt.Errorf("write the input of %s: %w", t.Name, err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

// fenceAt wraps the texts at a path below v; of a list, in each of its entries.
func fenceAt(v any, path []string) any {
	switch v := v.(type) {
	case string:
		if len(path) == 0 {
			return untrusted.Wrap(outsideSource, v)
		}
	case []any:
		for i := range v {
			v[i] = fenceAt(v[i], path)
		}
	case map[string]any:
		if len(path) == 0 {
			break
		}
		name := strings.TrimSuffix(path[0], "[]")
		if within, ok := v[name]; ok {
			v[name] = fenceAt(within, path[1:])
		}
	}
	return v
}
