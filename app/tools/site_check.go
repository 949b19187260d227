package tools

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/sites"
	"vivra/app/untrusted"
)

type siteCheckIn struct {
	BuildID string `json:"build_id" jsonschema:"the build that site_fill_and_build returned"`
}

type siteCheckOut struct {
	BuildID   string          `json:"build_id"`
	Passed    bool            `json:"passed"`
	Links     int             `json:"links"`
	Addresses int             `json:"addresses"`
	Weight    int64           `json:"weight"` // bytes without images
	Problems  []sites.Problem `json:"problems"`
}

// SiteCheck lets an agent hold a build against the rules. Only a build that
// passed can be published.
func SiteCheck(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "site_check",
		Description: "Check a built site: the official address and no other, links, alternative texts, markup, weight. Returns the figures and every problem.",
		Agents:      []string{webdev},
		Risk:        agent.Write,
	}, func(ctx context.Context, scope agent.Scope, in siteCheckIn) (out siteCheckOut, err error) {
		_, site, err := d.loadBuild(ctx, scope, "site", in.BuildID)
		if err != nil {
			return out, err
		}
		report := d.checkSite(scope, site)
		if err := d.Builds.SaveReport(ctx, scope, in.BuildID, report, report.Passed()); err != nil {
			return out, fmt.Errorf("save report: %w", err)
		}
		out = siteCheckOut{in.BuildID, report.Passed(), report.Links, report.Addresses, report.Weight, []sites.Problem{}}
		for _, p := range report.Problems { // they quote the page, and the page the token's name
			out.Problems = append(out.Problems, sites.Problem{Rule: p.Rule, Detail: untrusted.Escape(p.Detail), Path: p.Path})
		}
		return out, nil
	})
}

func (d Deps) checkSite(scope agent.Scope, site app.Bundle) sites.Report {
	venue := d.Venue(scope.Token.Ref)
	var hosts []string
	for _, place := range append(d.guard(scope).Links, venue.BuyURL, venue.ChartURL, venue.ExplorerURL) {
		if u, err := url.Parse(place); err == nil && u.Host != "" {
			place = u.Host
		}
		host, _, _ := strings.Cut(strings.ToLower(place), "/")
		hosts = append(hosts, host)
	}
	return sites.Check(site, sites.CheckInput{OfficialAddress: d.EIP55(scope.Token.Ref.Address), AllowedHosts: hosts})
}

// loadBuild reads a build of the operation and holds its files against the hash
// they were kept under.
func (d Deps) loadBuild(ctx context.Context, scope agent.Scope, kind, id string) (app.Build, app.Bundle, error) {
	build, files, err := d.Builds.LoadBuild(ctx, scope.OperationID, id)
	switch {
	case err != nil && app.KindOf(err) == app.NotFound, err == nil && build.Kind != kind:
		return build, app.Bundle{}, app.Errorf(app.Invalid, "This operation has no %s of that build_id.", kind)
	case err != nil:
		return build, app.Bundle{}, fmt.Errorf("load %s: %w", kind, err)
	}
	bundle := app.NewBundle(files)
	if bundle.ManifestSHA256 != build.ManifestSHA256 {
		return build, bundle, app.Errorf(app.Conflict, "The files of this build are not those that were built: build again.")
	}
	return build, bundle, nil
}
