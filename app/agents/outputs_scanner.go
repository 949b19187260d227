package agents

import (
	"slices"

	"vivra/app"
	"vivra/app/agent"
)

// Check is one check of the pre-check, as package scoring computes it.
type Check struct {
	ID     string `json:"id" jsonschema:"copied from input.checks"`
	Label  string `json:"label" jsonschema:"copied from input.checks"`
	Status string `json:"status" jsonschema:"pass, warn, fail or unknown, copied from input.checks"`
	Value  string `json:"value" jsonschema:"copied from input.checks"`
	Source string `json:"source" jsonschema:"copied from input.checks"`
}

// Moment is one line of a token's history.
type Moment struct {
	Date  string `json:"date" jsonschema:"day of the event, YYYY-MM-DD (UTC)"`
	Event string `json:"event" jsonschema:"what happened, one sentence of at most 200 characters, with its figure"`
}

// FullReport is the output of scanner.full_report: checks and score are
// computed by code, the words are the agent's.
type FullReport struct {
	Checks    []Check  `json:"checks" jsonschema:"input.checks, unchanged and in the same order"`
	Score     int      `json:"score" jsonschema:"input.score, unchanged"`
	Timeline  []Moment `json:"timeline" jsonschema:"4 to 6 moments of the token's life, oldest first"`
	WhyItDied string   `json:"why_it_died" jsonschema:"why trading stopped, at most 3 sentences, each resting on a figure"`
	CMSummary string   `json:"cm_summary" jsonschema:"what the community manager must know, at most 5 lines"`
}

func fullReportOutput() agent.Output {
	return agent.NewOutput("full_report", limits{
		"checks":           list(1, 40),
		"checks[].id":      text(1, 60),
		"checks[].status":  oneOf("pass", "warn", "fail", "unknown"),
		"score":            number(0, 100),
		"timeline":         list(4, 6),
		"timeline[].date":  pattern(day8601),
		"timeline[].event": text(8, 200),
		"why_it_died":      text(20, 600),
		"cm_summary":       text(20, 1200),
	}.tighten, func(r FullReport) []string {
		var f faults
		f.when(!slices.IsSortedFunc(r.Timeline, func(a, b Moment) int { return compare(a.Date, b.Date) }),
			"timeline must run from the oldest date to the newest")
		f.when(sentences(r.WhyItDied) > 3, "why_it_died has %d sentences, at most 3 are allowed", sentences(r.WhyItDied))
		f.lines("cm_summary", r.CMSummary, 5)
		return f
	})
}

// GoNoGo is the output of scanner.go_nogo.
type GoNoGo struct {
	Decision string   `json:"decision" jsonschema:"go or no_go"`
	Reasons  []string `json:"reasons" jsonschema:"1 to 5 reasons, the weightiest first, each one sentence of at most 300 characters with its figure"`
	Blocking []string `json:"blocking" jsonschema:"ids of the checks that block, copied from input.blocking; empty when none does"`
}

func goNoGoOutput() agent.Output {
	return agent.NewOutput("go_nogo", limits{
		"decision":   oneOf("go", "no_go"),
		"reasons":    list(1, 5),
		"reasons[]":  text(10, 300),
		"blocking":   list(0, 20),
		"blocking[]": text(1, 60),
	}.tighten, func(g GoNoGo) []string {
		var f faults
		f.when(g.Decision == "go" && len(g.Blocking) > 0, "decision is go although %s: a block is always no_go", app.Count(len(g.Blocking), "check blocks", "checks block"))
		f.distinct("blocking", g.Blocking)
		return f
	})
}

// DailyMetrics is the output of scanner.daily_metrics.
type DailyMetrics struct {
	At           string  `json:"at" jsonschema:"the market snapshot's instant, RFC 3339 in UTC, such as 2026-12-01T08:00:00Z"`
	PriceUSD     float64 `json:"price_usd" jsonschema:"from market_snapshot"`
	MarketCapUSD float64 `json:"mcap_usd" jsonschema:"from market_snapshot"`
	LiquidityUSD float64 `json:"liquidity_usd" jsonschema:"from market_snapshot"`
	Volume24hUSD float64 `json:"volume_24h_usd" jsonschema:"from market_snapshot"`
	Holders      int     `json:"holders" jsonschema:"count from chain_holders"`
	Buyers24h    int     `json:"buyers_24h" jsonschema:"from market_snapshot"`
	Burned       float64 `json:"burned" jsonschema:"whole tokens burned, from chain_token"`
	Note         string  `json:"note" jsonschema:"one remark for the team, at most 280 characters"`
}

func dailyMetricsOutput() agent.Output {
	return agent.NewOutput[DailyMetrics]("daily_metrics", limits{
		"at":             pattern(instant),
		"price_usd":      atLeast(0),
		"mcap_usd":       atLeast(0),
		"liquidity_usd":  atLeast(0),
		"volume_24h_usd": atLeast(0),
		"holders":        atLeast(0),
		"buyers_24h":     atLeast(0),
		"burned":         atLeast(0),
		"note":           text(1, 280),
	}.tighten, nil)
}

// Criterion is one line of the verdict, as package scoring computes it.
type Criterion struct {
	ID        string `json:"id" jsonschema:"copied from input.criteria"`
	Baseline  string `json:"baseline" jsonschema:"copied from input.criteria"`
	Value     string `json:"value" jsonschema:"copied from input.criteria"`
	Threshold string `json:"threshold" jsonschema:"copied from input.criteria"`
	Met       bool   `json:"met" jsonschema:"copied from input.criteria"`
}

// Verdict is the output of scanner.verdict.
type Verdict struct {
	Verdict  string      `json:"verdict" jsonschema:"copied from input.verdict: revived or dead_again"`
	Criteria []Criterion `json:"criteria" jsonschema:"input.criteria, unchanged and in the same order"`
	Summary  string      `json:"summary" jsonschema:"what the seven days showed, at most 5 lines, figures from the criteria only"`
}

func verdictOutput() agent.Output {
	return agent.NewOutput("verdict", limits{
		"verdict":       oneOf("revived", "dead_again"),
		"criteria":      list(1, 10),
		"criteria[].id": text(1, 60),
		"summary":       text(20, 1200),
	}.tighten, func(v Verdict) []string {
		var f faults
		f.lines("summary", v.Summary, 5)
		return f
	})
}
