package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/sites"
)

type sitePublishIn struct {
	BuildID string `json:"build_id" jsonschema:"a build that passed site_check"`
}

// SitePublish lets an agent propose a site that passed its check.
func SitePublish(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "site_publish",
		Description: "Propose a built site that passed site_check. A person approves before it goes online.",
		Agents:      []string{webdev},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in sitePublishIn) (validationOut, error) {
		build, site, err := d.loadBuild(ctx, scope, "site", in.BuildID)
		if err != nil {
			return validationOut{}, err
		}
		if !build.Passed {
			return validationOut{}, app.Errorf(app.Invalid, "This build has not passed site_check.")
		}
		// Settings may have changed since: no site goes online on an old word.
		if problems := d.checkSite(scope, site).Problems; len(problems) > 0 {
			return validationOut{}, app.Errorf(app.Invalid, "This build does not pass any more: run site_check.")
		}
		official := d.EIP55(scope.Token.Ref.Address)
		var fields sites.Fields
		if err := json.Unmarshal(build.Fields, &fields); err != nil {
			return validationOut{}, fmt.Errorf("read the fields of the build: %w", err)
		}
		risk := d.guard(scope).Risk(fmt.Sprintf("Deploys %s (%s, %d kB, template %s) to %s, compares every file there with this build, then marks the step done. Costs nothing.",
			app.Count(build.Pages, "page", "pages"), app.Count(len(site.Files), "file", "files"), (site.Bytes+999)/1000, build.Template, scope.SiteHost), 0, append(wordsOf(fields), official)...)
		if err := faults(risk.Problems).err(); err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindSite, app.SitePayload{
			Host: scope.SiteHost, BuildID: build.ID, Template: build.Template, ManifestSHA256: build.ManifestSHA256, OfficialAddress: official,
		}, risk)
	})
}

// wordsOf are the words that an agent wrote for a site.
func wordsOf(f sites.Fields) []string {
	words := append(append([]string{f.Hero, f.Tagline}, f.Lore...), f.HowToBuy...)
	for _, link := range f.Socials {
		words = append(words, link.Label, link.URL)
	}
	return words
}
