package modelsim

import (
	"fmt"
	"strings"
)

func webdevScripts() map[string][]stage {
	return map[string][]stage{
		"webdev.build": {
			needs("identity", "scan"),
			reads(func(*talk) []ToolCall {
				return []ToolCall{NewCall("site_templates", struct{}{}), NewCall("market_snapshot", struct{}{})}
			}),
			does(func(t *talk) []ToolCall { return one("site_fill_and_build", t.siteDraft()) }),
			does(func(t *talk) []ToolCall {
				return one("site_check", map[string]any{"build_id": t.last("site_fill_and_build").at("build_id").v})
			}),
			writes(func(t *talk) map[string]any {
				return map[string]any{"host": t.host(), "tagline": t.said("site_fill_and_build").at("tagline").v}
			}),
			ends(siteBuild),
		},
		"webdev.publish": {
			needs("site"),
			does(func(t *talk) []ToolCall {
				return one("site_publish", map[string]any{"build_id": t.file("site", "webdev.build", "build_id").v})
			}),
			ends(func(t *talk) map[string]any {
				return map[string]any{"validation_id": t.last("site_publish").at("validation_id").v}
			}),
		},
	}
}

func (t *talk) host() string {
	return t.operation("site_host").or(t.input("site_host").or(t.file("site", "host").str()))
}

// siteTemplate goes with the direction; another one after a rejection.
func (t *talk) siteTemplate() string {
	names := []string{}
	for _, template := range t.last("site_templates").at("templates").list() {
		names = append(names, template.at("name").str())
	}
	if len(names) == 0 {
		names = []string{"signal", "classic", "terminal", "playful"}
	}
	return names[(t.direction()+t.shift(len(names)))%len(names)]
}

// limit is the most characters of a field of the chosen template.
func (t *talk) limit(field string, otherwise int) int {
	for _, template := range t.last("site_templates").at("templates").list() {
		if template.at("name").str() != t.siteTemplate() {
			continue
		}
		for _, f := range template.at("fields").list() {
			if most := f.at("max").int(); f.at("name").str() == field && most > 0 {
				return most
			}
		}
	}
	return otherwise
}

func (t *talk) siteDraft() map[string]any {
	most := t.limit("lore", 500)
	lore := []string{
		clip(fmt.Sprintf("%s was left alone, and its holders stayed.", t.name()), most),
		clip(t.report("why_it_died"), most),
		clip("Then six agents took over, in public and for 30 days. What they do, what it costs and what a person approved can be read line by line.", most),
	}
	socials := []any{}
	if live := t.live(); strings.HasPrefix(live, "https://") {
		socials = append(socials, map[string]string{"label": "The log", "url": live})
	}
	return map[string]any{
		"template": t.siteTemplate(),
		"hero":     clip(fmt.Sprintf("%s, taken over in public", t.name()), t.limit("hero", 50)),
		"tagline":  clip(t.chosen().at("concept").or("A forgotten token, measured daily, with every cost on show."), t.limit("tagline", 110)),
		"lore":     strings.Join(lore, "\n\n"),
		"how_to_buy": []string{
			"Compare any contract address you see with the official one on this page, character by character.",
			"Have a wallet of your own and some of the chain's own coin for fees.",
			"Try a small amount first, and look at what the trade would return before you sign it.",
			"Know that a token like this may lose all its value, and that nobody here says when to trade.",
		},
		"socials": socials,
	}
}

func siteBuild(t *talk) map[string]any {
	built, checked := t.last("site_fill_and_build"), t.last("site_check")
	checks := []any{map[string]any{"rule": "site_check", "passed": checked.at("passed").yes(), "detail": fmt.Sprintf("%d problems", len(checked.at("problems").list()))}}
	for _, rule := range []string{"links", "addresses", "weight"} {
		if found := checked.at(rule); found.has() {
			checks = append(checks, map[string]any{"rule": rule, "passed": checked.at("passed").yes(), "detail": clip(describe(found), 280)})
		}
	}
	return map[string]any{
		"build_id": built.at("build_id").v, "template": built.at("template").v,
		"pages": built.at("pages").v, "bytes": built.at("bytes").v, "checks": checks,
	}
}

// describe writes a figure, or counts a list.
func describe(x value) string {
	if items := x.list(); len(items) > 0 {
		return fmt.Sprintf("%d found", len(items))
	}
	return x.or(encode(x.v))
}
