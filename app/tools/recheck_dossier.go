package tools

import (
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/edits"
)

// dossier is what is seen of the forms that a person submits by hand. No tool
// makes one: what a person wrote into it may lead anywhere, but to no other token.
func (g Guard) dossier(p app.DossierPayload) (app.Risk, error) {
	var f faults
	var texts []string
	for _, field := range p.Fields {
		if !vouched(field) {
			texts = append(texts, field.Value)
		}
		if field.Source != edits.Entered {
			continue
		}
		if field.Account && field.Value != "" {
			f.need(oneAddress(field.Value), "%s: enter one address, 0x and 40 hex digits, and nothing else.", field.Label)
			continue
		}
		for _, v := range g.alone(field.Value) {
			if v.Rule == agent.RuleAddress || v.Rule == agent.RuleHidden {
				f.once(field.Label + ": " + v.Detail)
			}
		}
	}
	return app.Risk{Addresses: g.Addresses(texts...), Links: g.URLs(texts...), Problems: []string{}, Sources: []string{}}, f.err()
}

// vouched tells whether code wrote a field's addresses and links itself: they
// belong to accounts, pools and pages, and none of them is the token's.
func vouched(f app.DossierField) bool {
	return f.Fixed && (f.Account || strings.HasPrefix(f.Value, "https://") || strings.HasPrefix(f.Value, "http://"))
}

func oneAddress(text string) bool {
	_, err := app.ParseAddress(text)
	return err == nil
}
