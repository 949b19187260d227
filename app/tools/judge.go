package tools

import (
	"slices"

	"vivra/app"
	"vivra/app/preflight"
)

// part is one text of an output, by the name that people know it by.
type part struct{ name, text string }

// partsOf are all the words of a post that the world will read. name is the
// post's, "" when it is the only one.
func partsOf(name string, p app.PostPayload) []part {
	parts := []part{{name, p.Text}}
	if name == "" {
		parts[0].name = "Text"
	}
	for i, m := range p.Media {
		parts = append(parts, part{app.AltLabel(name, i), m.Alt})
	}
	return parts
}

// judge is what a person sees before deciding on an output of these parts, and
// all that is wrong with its words: of each part by its name, then of the whole.
func (g Guard) judge(effect string, price app.Nano, parts ...part) (risk app.Risk, f faults) {
	var texts []string
	var found violations
	for _, p := range parts {
		texts = append(texts, p.text)
		for _, v := range g.alone(p.text) {
			found.add(v.Rule, "%s", v.Detail)
			f.once(p.name + ": " + v.Detail)
		}
	}
	for _, v := range g.together(texts) {
		if !found.broken(v.Rule) {
			f.once(v.Detail)
		}
	}
	return app.Risk{Addresses: g.Addresses(texts...), Links: g.URLs(texts...), Problems: []string{}, Sources: []string{}, PublishPrice: price, Effect: effect}, f
}

// once notes a fault that may have been noted already.
func (f *faults) once(fault string) { f.need(slices.Contains(*f, fault), "%s", fault) }

// alts need the pictures of a post to have something that stands for them.
func (f *faults) alts(name string, p app.PostPayload) {
	for i, m := range p.Media {
		f.text(app.AltLabel(name, i), m.Alt, 1, app.MaxAlt)
	}
}

// broken notes the platform's rules that a post breaks. Addresses and links are
// the guard's: it knows pages and disguises that the platform does not mind.
func (f *faults) broken(name string, rules []preflight.Problem) {
	if name != "" {
		name += ": "
	}
	for _, p := range rules {
		if p.Rule == preflight.RulePoll { // which names the option
			f.need(false, "%s", p.Detail)
			continue
		}
		f.need(p.Rule == preflight.RuleAddress || p.Rule == preflight.RuleLink, "%s", name+p.Detail)
	}
}
