package agents

import (
	"encoding/json"

	"vivra/app"
	"vivra/app/agent"
)

// SiteCheck is one rule that site_check looked at.
type SiteCheck struct {
	Rule   string `json:"rule" jsonschema:"the rule's name, such as links, addresses or weight"`
	Passed bool   `json:"passed" jsonschema:"whether site_check found nothing against it"`
	Detail string `json:"detail" jsonschema:"the figure or the problem, at most 300 characters"`
}

// SiteBuild is the output of webdev.build.
type SiteBuild struct {
	BuildID  string      `json:"build_id" jsonschema:"of the build that passed site_check"`
	Template string      `json:"template" jsonschema:"signal, classic, terminal or playful"`
	Pages    int         `json:"pages" jsonschema:"from site_fill_and_build"`
	Bytes    int64       `json:"bytes" jsonschema:"from site_fill_and_build"`
	Checks   []SiteCheck `json:"checks" jsonschema:"what site_check reported, one entry a rule"`
}

func siteBuildOutput() agent.Output {
	return agent.NewOutput("site_build", limits{
		"build_id":        text(1, 80),
		"template":        oneOf("signal", "classic", "terminal", "playful"),
		"pages":           number(1, 200),
		"bytes":           atLeast(1),
		"checks":          list(1, 40),
		"checks[].rule":   text(1, 60),
		"checks[].detail": text(0, 300),
	}.tighten, func(b SiteBuild) []string {
		var f faults
		for _, c := range b.Checks {
			f.when(!c.Passed, "check %s has not passed: mend the build and check it again", c.Rule)
		}
		return f
	})
}

// SitePublish is the output of webdev.publish.
type SitePublish struct {
	ValidationID string `json:"validation_id" jsonschema:"what site_publish returned"`
}

func sitePublishOutput() agent.Output {
	return agent.NewOutput[SitePublish]("site_publish", limits{"validation_id": text(1, 80)}.tighten, nil)
}

// Tests counts what a utility's tests said.
type Tests struct {
	Passed int `json:"passed" jsonschema:"from utility_build_and_test"`
	Failed int `json:"failed" jsonschema:"from utility_build_and_test"`
}

// Utility is the output of builder.utility. Without a build every template that
// was tried has failed, and the step is skipped.
type Utility struct {
	Template     string  `json:"template" jsonschema:"the template that was built"`
	Config       string  `json:"config" jsonschema:"the configuration it was built with: a JSON object, written as a string"`
	BuildID      *string `json:"build_id" jsonschema:"of the build that passed, from utility_build_and_test; null when none did"`
	Tests        Tests   `json:"tests" jsonschema:"from utility_build_and_test"`
	ValidationID *string `json:"validation_id" jsonschema:"what utility_publish returned; null when nothing passed"`
}

func utilityOutput() agent.Output {
	return agent.NewOutput("utility", limits{
		"template":      oneOf("tg-quiz-bot", "tg-price-alerts", "web-minigame", "holders-leaderboard"),
		"config":        text(2, 20_000),
		"build_id":      text(1, 80),
		"tests.passed":  atLeast(0),
		"tests.failed":  atLeast(0),
		"validation_id": text(1, 80),
	}.tighten, func(u Utility) []string {
		var f faults
		f.when((u.BuildID == nil) != (u.ValidationID == nil), "build_id and validation_id are both given or both null")
		f.when(u.BuildID != nil && u.Tests.Failed > 0, "%s failed: only a build whose tests all pass can be published", app.Count(u.Tests.Failed, "test", "tests"))
		f.when(u.BuildID != nil && u.Tests.Passed == 0, "no test passed: a build without tests can't be published")
		var config map[string]json.RawMessage
		f.when(json.Unmarshal([]byte(u.Config), &config) != nil, "config is not a JSON object")
		return f
	})
}
