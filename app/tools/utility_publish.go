package tools

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/preflight"
	"vivra/app/utilities"
)

type utilityPublishIn struct {
	BuildID string `json:"build_id" jsonschema:"a build whose tests all passed"`
}

// UtilityPublish lets an agent propose a utility whose tests passed.
func UtilityPublish(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "utility_publish",
		Description: "Propose a built utility whose tests all passed. A person approves before it goes online.",
		Agents:      []string{builder},
		Risk:        agent.Publish,
	}, func(ctx context.Context, scope agent.Scope, in utilityPublishIn) (validationOut, error) {
		build, files, err := d.loadBuild(ctx, scope, "utility", in.BuildID)
		if err != nil {
			return validationOut{}, err
		}
		if !build.Passed {
			return validationOut{}, app.Errorf(app.Invalid, "The tests of this build have not all passed.")
		}
		template, err := utilities.Find(build.Template)
		if err != nil {
			return validationOut{}, err
		}
		risk := d.guard(scope).Risk(fmt.Sprintf("Deploys %s anew with this utility under /%s (template %s, %d files, %d kB), compares every file there with this build, then marks the step done. Costs nothing.",
			scope.SiteHost, template.Path, build.Template, len(files.Files), (files.Bytes+999)/1000), 0, utilityTexts(build, files)...)
		if err := faults(risk.Problems).err(); err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindUtility, app.UtilityPayload{
			Host: scope.SiteHost, Path: "/" + template.Path, BuildID: build.ID, Template: build.Template,
			Config: build.Fields, ManifestSHA256: build.ManifestSHA256,
		}, risk)
	})
}

// utilityTexts are the words of the config and every address in the files.
// Links in the files are the template's own.
func utilityTexts(build app.Build, bundle app.Bundle) []string {
	texts := stringsIn(string(build.Fields))
	for _, name := range slices.Sorted(maps.Keys(bundle.Files)) {
		texts = append(texts, each(preflight.PlainAddresses, []string{string(bundle.Files[name])})...)
	}
	return texts
}
