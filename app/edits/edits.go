// Package edits is a person's words in place of an agent's: which fields of an
// output can be edited, what the output is with them, and what the step's own
// record of it is then. What it makes is checked elsewhere, as the tool's own is.
package edits

import (
	"encoding/json"
	"slices"
	"strings"

	"vivra/app"
)

// Field is one text of an output that a person may change.
type Field struct {
	Name, Label, Hint, Text string
	// Rows is how many lines a form shows; one row holds one line.
	Rows int
	// Limit is the most it holds: in characters, or as X counts them when Weighted.
	Limit    int
	Weighted bool
}

// Entered is the source of what a person wrote into a dossier.
const Entered = "entered by the team"

// Fields are what can be edited in a payload, none when its kind can't be.
func Fields(kind app.ValidationKind, payload json.RawMessage) ([]Field, error) {
	f, err := read(kind, payload)
	if err != nil {
		return nil, err
	}
	fields := make([]Field, len(f.slots))
	for i, s := range f.slots {
		fields[i] = s.Field
	}
	return fields, nil
}

// Apply returns the payload with the values of all its fields, by their names.
func Apply(kind app.ValidationKind, payload json.RawMessage, values map[string]string) (any, error) {
	f, err := read(kind, payload)
	if err != nil {
		return nil, err
	}
	if len(f.slots) == 0 {
		return nil, app.Errorf(app.Invalid, "This output can't be edited. Reject it with a reason: the next draft is written from it.")
	}
	changed, faults := f.enter(values)
	switch {
	case len(faults) > 0:
		return nil, app.Errorf(app.Invalid, "%s", strings.Join(faults, " "))
	case !changed:
		return nil, errUnchanged
	}
	return f.payload(), nil
}

var errUnchanged = app.Errorf(app.Invalid, "Nothing was changed. Change a field, or decide on the output as it is.")

// Changed are the labels of the fields in which two payloads of a kind differ, what
// was dropped among them; an edit that differs in none is refused.
func Changed(kind app.ValidationKind, before, after json.RawMessage) ([]string, error) {
	was, err := Fields(kind, before)
	if err != nil {
		return nil, err
	}
	is, err := Fields(kind, after)
	if err != nil {
		return nil, err
	}
	var labels []string
	for _, field := range is {
		if text, ok := textOf(was, field.Name); !ok || text != field.Text {
			labels = append(labels, field.Label)
		}
	}
	for _, field := range was {
		if _, ok := textOf(is, field.Name); !ok {
			labels = append(labels, field.Label+" (dropped)")
		}
	}
	if len(labels) == 0 {
		return nil, errUnchanged
	}
	return labels, nil
}

func textOf(fields []Field, name string) (text string, ok bool) {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return "", false
	}
	return fields[i].Text, true
}
