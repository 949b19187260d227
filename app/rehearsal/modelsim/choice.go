package modelsim

import (
	"encoding/json"
	"slices"
)

// checkChoice holds tool_choice and its like to the tools.
func checkChoice(a accepted) *apiError {
	switch {
	case a.chooses() && len(a.Tools) == 0:
		return fail("tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.")
	case a.ParallelToolCalls != nil && len(a.Tools) == 0:
		return fail("parallel_tool_calls", "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.")
	case a.chooses() && !slices.Contains([]string{`"none"`, `"auto"`, `"required"`}, string(a.ToolChoice)) && a.chosen() == nil:
		return fail("tool_choice", "Invalid value for 'tool_choice': there is no such function among 'tools'.")
	}
	return nil
}

func (a accepted) chooses() bool { return len(a.ToolChoice) > 0 && string(a.ToolChoice) != "null" }

// chosen is the tool that the request says must be called, nil when it leaves
// the choice to the model.
func (a accepted) chosen() *Tool {
	var named Tool
	if json.Unmarshal(a.ToolChoice, &named) != nil || named.Type != "function" {
		return nil
	}
	i := slices.IndexFunc(a.Tools, func(t Tool) bool { return t.Function.Name == named.Function.Name })
	if i < 0 {
		return nil
	}
	return &a.Tools[i]
}

// obliged calls the tool that must be called, with arguments that fit its schema.
func obliged(t Tool) Answer {
	var schema map[string]any
	_ = json.Unmarshal(t.Function.Parameters, &schema) // was checked
	return Do(t.Function.Name, sample(schema))
}

// sample is the least value of a schema.
func sample(schema map[string]any) any {
	if options, ok := schema["enum"].([]any); ok && len(options) > 0 {
		return options[0]
	}
	switch schema["type"] {
	case "boolean":
		return true
	case "integer", "number":
		return 1
	case "string":
		return "ok"
	case "array":
		return []any{}
	case "object":
		all := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, property := range properties {
			inner, _ := property.(map[string]any)
			all[name] = sample(inner)
		}
		return all
	}
	return nil
}
