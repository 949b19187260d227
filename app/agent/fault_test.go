package agent

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestFaultsAreNamedTheSameEveryTime: of several faults it is always the same
// one that a model is told of.
func TestFaultsAreNamedTheSameEveryTime(t *testing.T) {
	t.Parallel()
	type part struct {
		Name string `json:"name" jsonschema:"a name"`
		Size int    `json:"size" jsonschema:"a size"`
	}
	type whole struct {
		Title string   `json:"title" jsonschema:"a title"`
		Parts []part   `json:"parts" jsonschema:"the parts"`
		Note  *string  `json:"note" jsonschema:"a note, or null"`
		Tags  []string `json:"tags" jsonschema:"tags"`
	}
	out := NewOutput("test", func(s *jsonschema.Schema) { s.Properties["title"].MinLength = new(int) }, func(whole) []string { return nil })
	for given, want := range map[string]string{
		`{"title":"a","parts":[],"note":null,"tags":[]}`:                        "",
		`{"title":1,"parts":2,"note":3,"tags":4}`:                               `at /note: type: 3 has type "integer", want one of "null, string"`,
		`{"title":"a","parts":[{"name":"x","size":1},{"name":2,"size":"x"}]}`:   `at /parts/1/name: type: 2 has type "integer", want "string"`,
		`{"title":"a","parts":[{"name":"x"},{"size":1}],"note":null,"tags":[]}`: `at /parts/0: required: missing properties: ["size"]`,
		`{"title":"a","parts":[],"note":null,"tags":[],"z":1,"b":2,"y":3}`:      `at the top: there is no property "b"`,
		`{"zz":1}`: `at the top: there is no property "zz"`,
		`{}`:       `at the top: required: missing properties: ["title" "parts" "note" "tags"]`,
		`[]`:       `at the top: type: [] has type "array", want "object"`,
	} {
		for range 20 {
			_, problems := out.Parse(json.RawMessage(`{"output":` + given + `}`))
			if got := joined(problems); got != want {
				t.Fatalf("%s: %q, want %q", given, got, want)
			}
		}
	}
}

func joined(problems []string) string {
	if len(problems) == 0 {
		return ""
	}
	return problems[0]
}
