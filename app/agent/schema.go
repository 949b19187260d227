package agent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// StrictSchema derives the JSON Schema of T and checks that it is one that
// OpenAI accepts with strict: true: closed objects whose every property is
// required and described. An optional field is a pointer, never omitempty; a
// list of pairs replaces a map.
func StrictSchema[T any]() (*jsonschema.Schema, error) {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	return schema, checkStrict(schema, "arguments")
}

func checkStrict(s *jsonschema.Schema, at string) error {
	if s == nil {
		return nil
	}
	if s.Properties == nil && s.AdditionalProperties != nil && s.AdditionalProperties.Type != "" {
		return fmt.Errorf("%s: a map is not allowed", at)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if !slices.Contains(s.Required, name) {
			return fmt.Errorf("%s.%s: omitempty is not allowed, use a pointer", at, name)
		}
		if s.Properties[name].Description == "" {
			return fmt.Errorf("%s.%s: no jsonschema description", at, name)
		}
		if err := checkStrict(s.Properties[name], at+"."+name); err != nil {
			return err
		}
	}
	return checkStrict(s.Items, at+"[]")
}

// Output is what a task must end with: the schema that its finish tool takes,
// and what the schema cannot say.
type Output struct {
	Name   string
	Schema *jsonschema.Schema

	resolved *jsonschema.Resolved
	check    func(raw json.RawMessage) []string
}

// NewOutput makes the output of a task out of a struct. tighten narrows the
// derived schema (lengths, counts, enums); check returns what is wrong beyond
// it, nil when all is well. Both may be nil. It panics on a bad struct.
func NewOutput[T any](name string, tighten func(*jsonschema.Schema), check func(T) []string) Output {
	schema, err := StrictSchema[T]()
	if err != nil {
		panic(fmt.Sprintf("output %s: %v", name, err))
	}
	if tighten != nil {
		tighten(schema)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(fmt.Sprintf("output %s: %v", name, err))
	}
	return Output{Name: name, Schema: schema, resolved: resolved, check: func(raw json.RawMessage) []string {
		if check == nil {
			return nil
		}
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return []string{err.Error()}
		}
		return check(v)
	}}
}

// FinishTool is the name of the tool that ends a run.
const FinishTool = "finish"

// FinishSpec is the finish tool of a task: its only argument is the output.
func (o Output) FinishSpec() ToolSpec {
	b, err := json.Marshal(&jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{"output": o.Schema},
		Required:             []string{"output"},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	})
	if err != nil {
		panic(fmt.Sprintf("output %s: %v", o.Name, err))
	}
	return ToolSpec{Name: FinishTool, Description: "End the task with its output. Call it once, when everything else is done.", Schema: b}
}

// Parse takes the arguments of finish and returns the output, or what is wrong
// with it in sentences that a model can act on.
func (o Output) Parse(args json.RawMessage) (output json.RawMessage, problems []string) {
	var outer struct {
		Output json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(args, &outer); err != nil {
		return nil, []string{"the arguments of finish are not JSON: " + err.Error()}
	}
	if len(outer.Output) == 0 {
		return nil, []string{`finish takes one argument, "output"`}
	}
	var loose any
	if err := json.Unmarshal(outer.Output, &loose); err != nil {
		return nil, []string{err.Error()}
	}
	if err := validate(o.resolved, loose); err != nil {
		return nil, []string{strings.TrimSpace(err.Error())}
	}
	return outer.Output, o.check(outer.Output)
}
