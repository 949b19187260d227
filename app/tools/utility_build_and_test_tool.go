package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"vivra/app/agent"
	"vivra/app/untrusted"
	"vivra/app/utilities"
)

// maxLog is how many bytes of a test log the model gets: its end.
const maxLog = 4000

type utilityBuildAndTestIn struct {
	Template string `json:"template" jsonschema:"tg-quiz-bot, tg-price-alerts, web-minigame or holders-leaderboard"`
	Config   string `json:"config" jsonschema:"the template's config: one JSON object that fits its schema, written as a string"`
}

type utilityBuildAndTestOut struct {
	BuildID  string `json:"build_id"`
	Template string `json:"template"`
	Passed   int    `json:"passed"`
	Failed   int    `json:"failed"`
	Log      string `json:"log"`
}

// utilityReport is what is kept of a test run.
type utilityReport struct {
	Passed int    `json:"passed"`
	Failed int    `json:"failed"`
	Log    string `json:"log"`
}

// UtilityBuildAndTest lets an agent make a utility and run its tests.
func UtilityBuildAndTest(d Deps) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "utility_build_and_test",
		Description: "Build a utility from a template with your config and run its tests. Only a build whose tests all passed can be published.",
		Agents:      []string{builder},
		Risk:        agent.Write,
		Timeout:     2 * time.Minute,
	}, func(ctx context.Context, scope agent.Scope, in utilityBuildAndTestIn) (out utilityBuildAndTestOut, err error) {
		config, err := utilities.Canonical(in.Config)
		if err != nil {
			return out, err
		}
		built, err := d.buildUtility(ctx, scope, in.Template, config)
		if err != nil {
			return out, err
		}
		passed, failed, log, err := utilities.Test(ctx, d.Runner, built)
		if err != nil {
			return out, unreachable("The test runner", err)
		}
		build, err := d.saveBuild(ctx, scope, "utility", in.Template, config, built.Bundle)
		if err != nil {
			return out, err
		}
		report := utilityReport{passed, failed, log}
		if err := d.Builds.SaveReport(ctx, scope, build.ID, report, passed > 0 && failed == 0); err != nil {
			return out, fmt.Errorf("save report: %w", err)
		}
		return utilityBuildAndTestOut{build.ID, in.Template, passed, failed, logEnd(log)}, nil
	})
}

func (d Deps) buildUtility(ctx context.Context, scope agent.Scope, template string, config json.RawMessage) (built utilities.Bundle, err error) {
	kit, err := d.kit(ctx, scope)
	if err != nil {
		return built, err
	}
	return utilities.Build(template, config, utilities.Context{
		Name: scope.Token.Name, Ticker: scope.Token.Symbol, Address: d.EIP55(scope.Token.Ref.Address),
		ChainID: scope.Token.Ref.ChainID, APIBase: strings.TrimSuffix(d.PublicURL, "/"), Palette: kit.Palette,
	})
}

// logEnd is the end of a log, where the failures of a long one stand.
func logEnd(log string) string {
	log = untrusted.Escape(log) // tests may quote the token's name
	if len(log) > maxLog {
		log = strings.ToValidUTF8(log[len(log)-maxLog:], "")
	}
	return log
}

// stringsIn are all strings in a JSON text, decoded; none when it is no JSON.
func stringsIn(raw string) (found []string) {
	dec := json.NewDecoder(strings.NewReader(raw))
	for {
		token, err := dec.Token()
		if err != nil {
			return found
		}
		if s, ok := token.(string); ok {
			found = append(found, s)
		}
	}
}
