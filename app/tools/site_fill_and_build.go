package tools

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/sites"
)

type siteLink struct {
	Label string `json:"label" jsonschema:"where the link goes, such as X or Telegram"`
	URL   string `json:"url" jsonschema:"full https address of an official account"`
}

type siteFillAndBuildIn struct {
	Template string     `json:"template" jsonschema:"signal, classic, terminal or playful"`
	Hero     string     `json:"hero" jsonschema:"the headline, plain text"`
	Tagline  string     `json:"tagline" jsonschema:"one sentence under the headline"`
	Lore     string     `json:"lore" jsonschema:"the token's story in plain paragraphs with an empty line between them"`
	HowToBuy []string   `json:"how_to_buy" jsonschema:"the steps in order, plain text, without addresses or links"`
	Socials  []siteLink `json:"socials" jsonschema:"the token's official accounts, empty for none"`
}

type siteFillAndBuildOut struct {
	BuildID  string   `json:"build_id"` // empty when there are problems
	Template string   `json:"template"`
	Pages    int      `json:"pages"`
	Bytes    int64    `json:"bytes"`
	Problems []string `json:"problems"`
}

// SiteFillAndBuild lets an agent build a site of its words. Address, figures
// and pictures are put in here and can't be argued about.
func SiteFillAndBuild(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "site_fill_and_build",
		Description: "Build the site from a template and your words. Address, figures, market and pictures are filled in by code. With problems there is no build: mend the words and call again.",
		Agents:      []string{webdev},
		Risk:        agent.Write,
	}, func(ctx context.Context, scope agent.Scope, in siteFillAndBuildIn) (out siteFillAndBuildOut, err error) {
		fields := in.fields()
		out = siteFillAndBuildOut{Template: in.Template, Problems: []string{}}
		if err := sites.CheckFields(in.Template, fields); err != nil {
			out.Problems = append(out.Problems, err.Error())
		}
		if len(out.Problems) > 0 {
			return out, nil
		}
		facts, err := d.siteFacts(ctx, scope)
		if err != nil {
			return out, err
		}
		kit, err := d.siteKit(ctx, scope)
		if err != nil {
			return out, err
		}
		site, err := sites.Build(sites.Input{Template: in.Template, Fields: fields, Facts: facts, Kit: kit})
		if err != nil {
			return out, err
		}
		build, err := d.saveBuild(ctx, scope, "site", in.Template, fields, site)
		if err != nil {
			return out, err
		}
		out.BuildID, out.Pages, out.Bytes = build.ID, build.Pages, build.Bytes
		return out, nil
	})
}

var emptyLine = regexp.MustCompile(`\r?\n\s*\n`)

func (in siteFillAndBuildIn) fields() sites.Fields {
	f := sites.Fields{Hero: in.Hero, Tagline: in.Tagline, HowToBuy: list(in.HowToBuy), Socials: []sites.Link{}, Lore: []string{}}
	for _, paragraph := range emptyLine.Split(in.Lore, -1) {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			f.Lore = append(f.Lore, paragraph)
		}
	}
	for _, link := range in.Socials {
		f.Socials = append(f.Socials, sites.Link(link))
	}
	return f
}

// saveBuild keeps a bundle under the words it was made of.
func (d Deps) saveBuild(ctx context.Context, scope agent.Scope, kind, template string, fields any, b app.Bundle) (app.Build, error) {
	raw, err := app.CanonicalJSON(fields)
	if err != nil {
		return app.Build{}, err
	}
	build, err := d.Builds.SaveBuild(ctx, scope, app.Build{Kind: kind, Template: template, Fields: raw, ManifestSHA256: b.ManifestSHA256, Pages: b.Pages, Bytes: b.Bytes}, b.Files)
	if err != nil {
		return app.Build{}, fmt.Errorf("save %s: %w", kind, err)
	}
	return build, nil
}
