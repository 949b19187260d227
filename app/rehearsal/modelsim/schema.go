package modelsim

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// The most that the API takes.
const (
	maxTools       = 128
	maxDescription = 1024
	maxDepth       = 10   // of a strict schema
	maxProperties  = 5000 // of a strict schema
)

func checkTools(a accepted) *apiError {
	switch {
	case a.Tools != nil && len(a.Tools) == 0:
		return fail("tools", "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	case len(a.Tools) > maxTools:
		return fail("tools", "Invalid 'tools': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxTools, len(a.Tools))
	}
	seen := map[string]bool{}
	for i, t := range a.Tools {
		if problem := checkTool(i, t, seen[t.Function.Name]); problem != nil {
			return problem
		}
		seen[t.Function.Name] = true
	}
	return nil
}

func checkTool(i int, t Tool, seen bool) *apiError {
	name := t.Function.Name
	if t.Type != "function" || !functionName.MatchString(name) || seen {
		return fail("tools", "Invalid 'tools[%d]': the type must be function, and each name its own and of letters, digits, _ and -.", i)
	}
	if len(t.Function.Description) > maxDescription {
		return fail("tools", "Invalid 'tools[%d].function.description': string too long. Expected a string with maximum length %d.", i, maxDescription)
	}
	if t.Function.Parameters == nil && !t.Function.Strict {
		return nil
	}
	var schema map[string]any
	if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema["type"] != "object" {
		return fail("tools", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", name)
	}
	if !t.Function.Strict {
		return nil
	}
	if fault := strictFault(schema, "()"); fault != "" {
		return fail(fmt.Sprintf("tools[%d].function.parameters", i), "Invalid schema for function '%s': %s", name, fault)
	}
	if depth, properties := measure(schema); depth > maxDepth || properties > maxProperties {
		return fail(fmt.Sprintf("tools[%d].function.parameters", i), "Invalid schema for function '%s': %d levels of nesting and %d properties exceed the limits.", name, depth, properties)
	}
	return nil
}

// measure returns how deep the objects of a schema lie, and how many properties they have.
func measure(schema map[string]any) (depth, properties int) {
	named, _ := schema["properties"].(map[string]any)
	under := slices.Collect(maps.Values(named))
	properties = len(under)
	if items, ok := schema["items"]; ok {
		under = append(under, items)
	}
	for _, below := range under {
		inner, _ := below.(map[string]any)
		d, n := measure(inner)
		depth, properties = max(depth, d), properties+n
	}
	if schema["type"] == "object" {
		depth++
	}
	return depth, properties
}

// permitted are the keywords that strict mode takes.
var permitted = []string{
	"type", "description", "title", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$defs", "$ref",
	"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

// strictFault says what keeps a schema from being strict, empty when nothing does.
func strictFault(schema map[string]any, at string) string {
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		if !slices.Contains(permitted, keyword) {
			return fmt.Sprintf("In context=%s, '%s' is not permitted.", at, keyword)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		if fault := strictFault(items, at+"[]"); fault != "" {
			return fault
		}
	}
	if schema["type"] != "object" {
		return ""
	}
	return objectFault(schema, at)
}

func objectFault(schema map[string]any, at string) string {
	properties, ok := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	switch {
	case !ok:
		return fmt.Sprintf("In context=%s, object schema missing properties.", at)
	case schema["additionalProperties"] != false:
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", at)
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(required, any(name)) {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", at, name)
		}
		property, _ := properties[name].(map[string]any)
		if fault := strictFault(property, at+"."+name); fault != "" {
			return fault
		}
	}
	return ""
}
