package sites

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"

	"vivra/app"
	"vivra/app/palette"
)

// CheckFields holds an agent's words against the template's manifest. The
// error names every field that is wrong, and how to mend it.
func CheckFields(name string, f Fields) error {
	t, err := find(name)
	if err != nil {
		return err
	}
	return joined(t.problems(f))
}

func joined(problems []string) error {
	if len(problems) == 0 {
		return nil
	}
	return app.Errorf(app.Invalid, "%s", strings.Join(problems, " "))
}

func (t Template) problems(f Fields) []string {
	single := map[string]string{"hero": f.Hero, "tagline": f.Tagline}
	lists := map[string][]string{"lore": f.Lore, "how_to_buy": f.HowToBuy, "socials": labels(f.Socials)}
	var problems []string
	for _, field := range t.Fields {
		if text, ok := single[field.Name]; ok {
			problems = append(problems, field.checkText(field.Name, text)...)
		} else {
			problems = append(problems, field.checkList(lists[field.Name])...)
		}
	}
	for i, link := range f.Socials {
		if u, err := url.Parse(link.URL); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
			problems = append(problems, fmt.Sprintf("socials[%d].url: %q is not a full https address.", i, link.URL))
		}
	}
	return problems
}

func labels(links []Link) []string {
	out := make([]string, len(links))
	for i, l := range links {
		out[i] = l.Label
	}
	return out
}

func (field Field) checkText(name, text string) []string {
	switch n := utf8.RuneCountInString(strings.TrimSpace(text)); {
	case n == 0 && field.Required:
		return []string{fmt.Sprintf("%s: is missing; it holds %s.", name, field.Hint)}
	case n > field.Max:
		return []string{fmt.Sprintf("%s: has %d characters, the most is %d.", name, n, field.Max)}
	}
	return nil
}

func (field Field) checkList(items []string) []string {
	if len(items) < field.MinItems || len(items) > field.MaxItems {
		return []string{fmt.Sprintf("%s: has %s, it takes %d to %d; each is %s.", field.Name, app.Count(len(items), "item", "items"), field.MinItems, field.MaxItems, field.Hint)}
	}
	var problems []string
	each := field
	each.Required = true
	for i, item := range items {
		problems = append(problems, each.checkText(fmt.Sprintf("%s[%d]", field.Name, i), item)...)
	}
	return problems
}

// problems of the facts are faults of our own code or settings.
func (f Facts) problems() []string {
	var problems []string
	if _, err := app.ParseAddress(f.Address); err != nil {
		problems = append(problems, "address: "+err.Error())
	}
	if strings.TrimSpace(f.Name) == "" || strings.TrimSpace(f.Ticker) == "" {
		problems = append(problems, "name and ticker: neither may be empty.")
	}
	for name, raw := range map[string]string{"public_url": f.PublicURL, "site_url": f.SiteURL, "takeover.url": f.Takeover.URL} {
		if u, err := url.Parse(raw); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
			problems = append(problems, fmt.Sprintf("%s: %q is not a full address.", name, raw))
		}
	}
	return problems
}

func (k Kit) problems() []string {
	if k.Palette == nil {
		return nil
	}
	return palette.Problems(k.Palette)
}
