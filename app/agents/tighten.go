package agents

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// limits narrow the schema that was derived from a struct. The key is the path
// of a field: "directions[].palette" is the palette of each direction.
type limits map[string]func(*jsonschema.Schema)

// Patterns that several outputs share.
const (
	hexColour = `^#[0-9a-f]{6}$`
	sha256Hex = `^[0-9a-f]{64}$`
	day8601   = `^\d{4}-\d{2}-\d{2}$`
	instant   = `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`
)

// tighten returns what agent.NewOutput takes. A path that is not in the schema
// is a bug in the program: it panics.
func (l limits) tighten(s *jsonschema.Schema) {
	listsNotNull(s)
	for _, path := range slices.Sorted(maps.Keys(l)) {
		l[path](at(s, path))
	}
}

func at(s *jsonschema.Schema, path string) *jsonschema.Schema {
	for name := range strings.SplitSeq(path, ".") {
		field, depth := strings.TrimRight(name, "[]"), strings.Count(name, "[]")
		s = s.Properties[field]
		for range depth {
			s = s.Items
		}
		if s == nil {
			panic(fmt.Sprintf("no field %q in the schema", path))
		}
	}
	return s
}

// listsNotNull undoes what the derivation gives slices: an empty list is [].
func listsNotNull(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if slices.Contains(s.Types, "array") {
		s.Type, s.Types = "array", nil
	}
	for _, property := range s.Properties {
		listsNotNull(property)
	}
	listsNotNull(s.Items)
}

func text(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinLength, s.MaxLength = &least, &most }
}

func list(least, most int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems, s.MaxItems = &least, &most }
}

func number(least, most float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &least, &most }
}

func atLeast(least float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum = &least }
}

func pattern(expression string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Pattern = expression }
}

func oneOf(values ...any) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Enum = values }
}

// faults gathers what is wrong with an output beyond its schema.
type faults []string

func (f *faults) when(wrong bool, format string, args ...any) {
	if wrong {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// lines finds fault with a text of more lines than most.
func (f *faults) lines(field, text string, most int) {
	n := len(strings.Split(strings.TrimSpace(text), "\n"))
	f.when(n > most, "%s has %d lines, at most %d are allowed", field, n, most)
}

// distinct finds fault with a list that holds the same value twice.
func (f *faults) distinct(field string, values []string) {
	sorted := slices.Sorted(slices.Values(values))
	n := len(slices.Compact(sorted))
	f.when(n != len(values), "%s holds the same value twice: each must be its own", field)
}

// sentences counts the sentences of a text: full stops inside a number or an
// address don't end one.
func sentences(text string) int {
	n := 0
	for part := range strings.FieldsSeq(text) {
		last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(part, `"')”’`))
		if strings.ContainsRune(".!?…", last) {
			n++
		}
	}
	if tail, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(text)); !strings.ContainsRune(`.!?…"')”’`, tail) {
		n++
	}
	return n
}
