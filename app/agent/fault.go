package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// validate holds a value to a schema and says the same of it every time: the
// library visits properties in the order of a map and so names either of two
// faults, while a run that is played again must be told what it was told.
func validate(schema *jsonschema.Resolved, v any) error {
	err := schema.Validate(v)
	if err == nil {
		return nil
	}
	if first := firstFault(schema.Schema(), v, ""); first != nil {
		return first
	}
	return err
}

// firstFault looks at children first, by name, then at the value itself.
func firstFault(s *jsonschema.Schema, v any, at string) error {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			property, known := s.Properties[name]
			if !known && s.Properties != nil {
				return fmt.Errorf("at %s: there is no property %q", place(at), name)
			}
			if known {
				if err := firstFault(property, v[name], at+"/"+name); err != nil {
					return err
				}
			}
		}
	case []any:
		for i, each := range v {
			if s.Items == nil {
				break
			}
			if err := firstFault(s.Items, each, fmt.Sprint(at, "/", i)); err != nil {
				return err
			}
		}
	}
	return own(s, v, at)
}

// own is what is wrong with a value when nothing is wrong with its children.
func own(s *jsonschema.Schema, v any, at string) error {
	alone, err := s.Resolve(nil)
	if err == nil {
		err = alone.Validate(v)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("at %s: %s", place(at), strings.TrimPrefix(err.Error(), "validating root: "))
}

func place(at string) string {
	if at == "" {
		return "the top"
	}
	return at
}
