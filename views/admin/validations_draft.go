package admin

import (
	"fmt"

	"vivra/app"
	"vivra/views/layout"
	"vivra/views/ui"
)

// DraftForm is the form that writes a person's words over an output.
type DraftForm struct {
	layout.Team
	Current app.Validation
	Fields  []DraftField
	Problem string // that belongs to no field
	Preview ui.Preview
	Mention *app.MentionRow // that it replies to, nil for none
	Looks   bool            // the preview is of what was entered
}

// DraftField is one text of the output, as it was entered.
type DraftField struct {
	Name, Label, Hint, Text string
	Rows, Limit             int
	Weighted                bool // counted as X counts
	Fixed                   bool // it is out already
	Count                   int  // of Text, as the limit counts
	Problems                []string
}

func (f DraftField) id() string { return "field-" + f.Name }

func (f DraftField) count() string {
	if f.Weighted {
		return fmt.Sprintf("%d / %d as X counts", f.Count, f.Limit)
	}
	return fmt.Sprintf("%d / %d", f.Count, f.Limit)
}

// tone is the colour of the count beside the field.
func (f DraftField) tone() string {
	if f.Count > f.Limit {
		return "down"
	}
	return "dim"
}

// first tells whether f is where the reader goes on: the first field with a
// problem, or the first of all.
func (d DraftForm) first(f DraftField) bool {
	for _, other := range d.Fields {
		if len(other.Problems) > 0 {
			return other.Name == f.Name
		}
	}
	for _, other := range d.Fields {
		if !other.Fixed {
			return d.Problem == "" && other.Name == f.Name
		}
	}
	return false
}

// refused tells whether something was sent and not taken.
func (d DraftForm) refused() bool {
	for _, f := range d.Fields {
		if len(f.Problems) > 0 {
			return true
		}
	}
	return d.Problem != ""
}
