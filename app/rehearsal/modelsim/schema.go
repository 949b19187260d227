package modelsim

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func checkTools(a accepted) *apiError {
	seen := map[string]bool{}
	for i, t := range a.Tools {
		name := t.Function.Name
		if t.Type != "function" || !functionName.MatchString(name) || seen[name] {
			return fail("tools", "Invalid 'tools[%d]': the type must be function, and each name its own and of letters, digits, _ and -.", i)
		}
		seen[name] = true
		var schema map[string]any
		if json.Unmarshal(t.Function.Parameters, &schema) != nil || schema["type"] != "object" {
			return fail("tools", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"'.", name)
		}
		if !t.Function.Strict {
			continue
		}
		if fault := strictFault(schema, "()"); fault != "" {
			return fail(fmt.Sprintf("tools[%d].function.parameters", i), "Invalid schema for function '%s': %s", name, fault)
		}
	}
	return nil
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
