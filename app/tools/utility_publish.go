package tools

import (
	"context"
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

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
		risk := d.guard(scope).Risk(fmt.Sprintf("Deploys %s anew with this utility under /%s (template %s, %s, %d kB), compares every file there with this build, then marks the step done. Costs nothing.",
			scope.SiteHost, template.Path, build.Template, app.Count(len(files.Files), "file", "files"), (files.Bytes+999)/1000), 0, utilityTexts(build, files)...)
		if err := faults(risk.Problems).err(); err != nil {
			return validationOut{}, err
		}
		return d.propose(ctx, scope, app.KindUtility, app.UtilityPayload{
			Host: scope.SiteHost, Path: "/" + template.Path, BuildID: build.ID, Template: build.Template,
			Config: build.Fields, ManifestSHA256: build.ManifestSHA256,
		}, risk)
	})
}

// utilityTexts are the words of the config and of the page, and every address
// in the other files. Those are the template's own.
func utilityTexts(build app.Build, bundle app.Bundle) []string {
	texts := stringsIn(string(build.Fields))
	for _, name := range slices.Sorted(maps.Keys(bundle.Files)) {
		content := string(bundle.Files[name])
		if strings.HasSuffix(name, ".html") {
			texts = append(texts, pageTexts(content)...)
			content = tags.ReplaceAllString(content, "")
		}
		texts = append(texts, each(preflight.PlainAddresses, []string{content})...)
	}
	return texts
}

// pageTexts are the words of a built page: those between its tags, and those of
// the data that its script reads.
func pageTexts(page string) (texts []string) {
	for _, m := range pageData.FindAllStringSubmatch(page, -1) {
		texts = append(texts, stringsIn(m[1])...)
	}
	page = ownWords.ReplaceAllString(scripts.ReplaceAllString(page, "\n"), " ")
	for _, text := range strings.Split(tags.ReplaceAllString(inline.ReplaceAllString(page, ""), "\n"), "\n") {
		if text = strings.TrimSpace(html.UnescapeString(text)); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

var (
	pageData = regexp.MustCompile(`(?s)<script type="application/json"[^>]*>(.*?)</script>`)
	scripts  = regexp.MustCompile(`(?s)<script[^>]*>.*?</script>`)
	ownWords = regexp.MustCompile(`<code>/[a-z]+[^<]*</code>`) // the template says what its bot listens to
	inline   = regexp.MustCompile(`</?(?:b|i|em|strong|span|bdi|code)\b[^>]*>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)
