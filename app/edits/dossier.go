package edits

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vivra/app"
)

// dossier leaves out what was read off the chain or the operation. A value that
// several venues ask for stands once. What a person writes is theirs: nothing
// else vouches for it any more.
func dossier(p *app.DossierPayload) (slots []slot) {
	for i := range p.Fields {
		f := &p.Fields[i]
		if known(*f) {
			continue
		}
		s := at(Field{Name: fmt.Sprintf("field.%d", i), Label: f.Label, Rows: rows(*f), Limit: maxDossier, Hint: hint(*f)}, &f.Value)
		s.set = func(text string) { f.Value, f.Source, f.At, f.Link = text, Entered, nil, "" }
		slots = append(slots, s)
	}
	return slots
}

// maxDossier is the most that one field of a form takes.
const maxDossier = 1000

// rows are at least three where several lines are welcome.
func rows(f app.DossierField) int {
	n := 1 + len(f.Value)/80
	if f.Long {
		n = max(n, 3)
	}
	return n
}

func hint(f app.DossierField) string {
	if f.Value == "" && f.Missing != "" {
		return f.Missing
	}
	return "Source: " + cmp.Or(f.Source, "none") + "."
}

// known tells whether code knows a field better than a person: from the token,
// its chain or the operation. In a draft of before there were venues, addresses
// and accounts are never typed.
func known(f app.DossierField) bool {
	if f.Key != "" {
		return f.Fixed
	}
	_, err := app.ParseAddress(strings.ToLower(f.Value))
	facts := []string{"database", "chain", "operation"}
	return f.Value != "" && f.Source != Entered && (err == nil || strings.HasPrefix(f.Value, "@") || slices.Contains(facts, f.Source))
}
