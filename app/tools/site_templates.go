package tools

import (
	"context"
	"fmt"

	"vivra/app/agent"
	"vivra/app/sites"
)

type siteField struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"` // text, list or links
	Required bool   `json:"required"`
	Max      int    `json:"max"` // characters, of each item of a list
	Help     string `json:"help"`
}

type siteTemplate struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Fields      []siteField `json:"fields"`
}

type siteTemplatesOut struct {
	Templates []siteTemplate `json:"templates"`
}

// SiteTemplates lets an agent see the designs of sites and what they ask for.
func SiteTemplates() agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "site_templates",
		Description: "List the site templates with their fields, limits and help.",
		Agents:      []string{webdev},
		Risk:        agent.Read,
	}, func(context.Context, agent.Scope, struct{}) (siteTemplatesOut, error) {
		out := siteTemplatesOut{Templates: []siteTemplate{}}
		for _, t := range sites.Templates() {
			shown := siteTemplate{Name: t.Name, Description: t.Description, Fields: []siteField{}}
			for _, f := range t.Fields {
				shown.Fields = append(shown.Fields, shownField(f))
			}
			out.Templates = append(out.Templates, shown)
		}
		return out, nil
	})
}

func shownField(f sites.Field) siteField {
	shown := siteField{Name: f.Name, Kind: "text", Required: f.Required || f.MinItems > 0, Max: f.Max, Help: f.Hint}
	if f.MaxItems > 0 {
		shown.Kind = "list"
		shown.Help = fmt.Sprintf("%d to %d items, each %s", f.MinItems, f.MaxItems, f.Hint)
	}
	if f.Name == "socials" {
		shown.Kind = "links"
	}
	return shown
}
