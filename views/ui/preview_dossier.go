package ui

import (
	"cmp"
	"fmt"

	"vivra/app"
)

// filled says how many of a form's fields have a value.
func filled(fields []app.DossierField) string {
	gaps := 0
	for _, f := range fields {
		if f.Value == "" {
			gaps++
		}
	}
	if gaps == 0 {
		return fmt.Sprintf("all %d fields filled", len(fields))
	}
	return fmt.Sprintf("%d of %d fields filled", len(fields)-gaps, len(fields))
}

// missing says what a gap waits for; a draft of before there were venues says it
// as the source.
func missing(f app.DossierField) string {
	return cmp.Or(f.Missing, f.Source, "You: fill it in by hand.")
}
