package modelsim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

func scannerScripts() map[string][]stage {
	null := map[string]any{"handle": nil}
	return map[string][]stage{
		"scanner.full_report": {
			reads(func(t *talk) []ToolCall {
				return []ToolCall{
					NewCall("chain_token", struct{}{}), NewCall("chain_holders", struct{}{}), NewCall("chain_liquidity", struct{}{}),
					NewCall("chain_transfers", map[string]int{"days": 90}), NewCall("chain_simulate_trade", struct{}{}),
					NewCall("market_snapshot", struct{}{}), NewCall("socials_profile", null),
					NewCall("socials_posts", map[string]any{"handle": nil, "max": 20}),
				}
			}),
			writes(scanFacts),
			ends(func(t *talk) map[string]any {
				return map[string]any{
					"checks": t.input("checks").v, "score": t.input("score").v,
					"timeline": t.timeline(), "why_it_died": t.whyItDied(), "cm_summary": t.cmSummary(),
				}
			}),
		},
		"scanner.go_nogo": {needs("scan"), ends(goNoGo)},
		"scanner.daily_metrics": {
			reads(func(*talk) []ToolCall {
				return []ToolCall{NewCall("market_snapshot", struct{}{}), NewCall("chain_holders", struct{}{}), NewCall("chain_token", struct{}{})}
			}),
			ends(dailyMetrics),
		},
		"scanner.verdict": {
			ends(verdict),
		},
	}
}

var nowLine = regexp.MustCompile(`Now: (\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})`)

// now is the run's instant: the market's, or the one the system prompt names.
func (t *talk) now() time.Time {
	if at, err := time.Parse(time.RFC3339Nano, t.last("market_snapshot").at("at").str()); err == nil {
		return at.UTC()
	}
	for _, m := range t.req.Messages {
		if m.Role != "system" || m.Content == nil {
			continue
		}
		if found := nowLine.FindStringSubmatch(*m.Content); found != nil {
			if at, err := time.Parse("2006-01-02T15:04:05", found[1]); err == nil {
				return at
			}
		}
	}
	return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
}

func scanFacts(t *talk) map[string]any {
	holders, liquidity, trades, trial, profile := t.last("chain_holders"), t.last("chain_liquidity"), t.last("chain_transfers"), t.last("chain_simulate_trade"), t.last("socials_profile")
	return map[string]any{
		"facts": map[string]any{
			"holders": holders.at("count").v, "never_sold": holders.at("never_sold").v,
			"top10_share": holders.at("top10_share").v, "deployer_share": holders.at("deployer_share").v,
			"liquidity_usd": liquidity.at("usd").v, "locked_share": liquidity.at("locked_share").v,
			"can_sell": trial.at("can_sell").v, "buy_tax": trial.at("buy_tax").v, "sell_tax": trial.at("sell_tax").v,
			"last_trade_at": trades.at("last_trade_at").v, "supply": t.last("chain_token").at("supply").v,
			"burned": t.last("chain_token").at("burned").v, "block": holders.at("block").v,
		},
		"socials": map[string]any{"found": profile.at("found").yes(), "followers": profile.at("profile", "followers").int(), "posts": len(t.last("socials_posts").at("posts").list())},
	}
}

// timeline tells what the tools have dates for, and fills up with today's findings.
func (t *talk) timeline() []map[string]string {
	trades, holders, liquidity := t.last("chain_transfers"), t.last("chain_holders"), t.last("chain_liquidity")
	today := t.now().Format(time.DateOnly)
	var out []map[string]string
	add := func(day, format string, args ...any) {
		if day != "" && day <= today && len(out) < 6 {
			out = append(out, map[string]string{"date": day, "event": fmt.Sprintf(format, args...)})
		}
	}
	add(date(trades.at("first_trade_at")), "First trade in the window of %d days that was read.", trades.at("days").int())
	add(date(trades.at("deployer_last_at")), "Last act of the deployer or the fee recipient.")
	add(date(trades.at("last_trade_at")), "Last trade: %d trades and %s of volume in %d days.", trades.at("trades").int(), usd(trades.at("volume_usd").num()), trades.at("days").int())
	add(today, "%d holders are left, %d of them never sold.", holders.at("count").int(), holders.at("never_sold").int())
	add(today, "%s of liquidity stands in the pool, %s of it locked or burned.", usd(liquidity.at("usd").num()), percent(liquidity.at("locked_share").num()))
	add(today, "The ten largest holders have %s of the circulating supply.", percent(holders.at("top10_share").num()))
	if len(out) < 4 {
		add(today, "The deployer's circle has %s of the circulating supply.", percent(holders.at("deployer_share").num()))
	}
	slices.SortStableFunc(out, func(a, b map[string]string) int { return strings.Compare(a["date"], b["date"]) })
	return out
}

func (t *talk) whyItDied() string {
	trades, liquidity := t.last("chain_transfers"), t.last("chain_liquidity")
	first := fmt.Sprintf("In the last %d days there were %d trades worth %s by %d buyers.",
		max(trades.at("days").int(), 1), trades.at("trades").int(), usd(trades.at("volume_usd").num()), trades.at("buyers").int())
	second := "The deployer has not been seen in that time."
	if day := date(trades.at("deployer_last_at")); day != "" {
		second = "The deployer was last seen on " + day + "."
	}
	return first + " " + second + fmt.Sprintf(" What is left is %s of liquidity and nobody who speaks for the token.", usd(liquidity.at("usd").num()))
}

func (t *talk) cmSummary() string {
	holders := t.last("chain_holders")
	return strings.Join([]string{
		fmt.Sprintf("Lead with: %d holders stayed, %d never sold.", holders.at("count").int(), holders.at("never_sold").int()),
		fmt.Sprintf("Say the risk: the top ten hold %s.", percent(holders.at("top10_share").num())),
		fmt.Sprintf("Liquidity is %s; do not call it deep.", usd(t.last("chain_liquidity").at("usd").num())),
		"Do not speak about the former makers' motives, they are not known.",
		"Do not speak about where the price may go.",
	}, "\n")
}

// goNoGo follows the checks: a block is a no, anything else a go with its risk.
func goNoGo(t *talk) map[string]any {
	blocking := t.input("blocking").strs()
	reasons := []string{}
	warnings := 0
	for _, check := range t.input("checks").list() {
		switch status := check.at("status").str(); {
		case status == "fail" && !t.input("blocking").has():
			blocking = append(blocking, check.at("id").str())
			reasons = append(reasons, reasonOf("Blocks", check))
		case status == "fail":
			reasons = append(reasons, reasonOf("Blocks", check))
		case status == "warn" || status == "unknown":
			warnings++
			if len(reasons) < 2 {
				reasons = append(reasons, reasonOf("A risk", check))
			}
		}
	}
	decision := "go"
	if len(blocking) > 0 {
		decision = "no_go"
	} else {
		reasons = append([]string{fmt.Sprintf("No check blocks; %d of %d warn, and the score is %s of 100.", warnings, len(t.input("checks").list()), t.score())}, reasons...)
	}
	if len(reasons) == 0 {
		reasons = []string{fmt.Sprintf("%d checks block the takeover.", len(blocking))}
	}
	return map[string]any{"decision": decision, "reasons": reasons[:min(len(reasons), 5)], "blocking": blocking}
}

func (t *talk) score() string {
	return t.input("score").or(t.file("scan", "scanner.full_report", "score").or("not given"))
}

func reasonOf(kind string, check value) string {
	return clip(fmt.Sprintf("%s: %s %s", kind, check.at("label").or(check.at("id").str()), check.at("value").or("unknown")), 280) + "."
}

func dailyMetrics(t *talk) map[string]any {
	market, holders := t.last("market_snapshot"), t.last("chain_holders")
	note := "First measurement of the series."
	if before := t.input("previous"); before.has() {
		note = fmt.Sprintf("Holders %+d, volume %s, liquidity %s against the last measurement.",
			holders.at("count").int()-before.at("holders").int(),
			change(before.at("volume_24h_usd").num(), market.at("volume_24h_usd").num()),
			change(before.at("liquidity_usd").num(), market.at("liquidity_usd").num()))
	}
	if !market.has() {
		note = "The market could not be read: its figures are 0. " + note
	}
	return map[string]any{
		"at":        t.now().Format(time.RFC3339),
		"price_usd": number(market.at("price_usd")), "mcap_usd": number(market.at("mcap_usd")),
		"liquidity_usd": number(market.at("liquidity_usd")), "volume_24h_usd": number(market.at("volume_24h_usd")),
		"buyers_24h": number(market.at("buyers_24h")), "holders": number(holders.at("count")),
		"burned": number(t.last("chain_token").at("burned")), "note": clip(note, 280),
	}
}

// number is a figure as it was written, 0 when there is none.
func number(x value) any {
	if x.has() {
		return x.v
	}
	return 0
}

func verdict(t *talk) map[string]any {
	met, lines := 0, []string{}
	criteria := t.input("criteria").list()
	for _, c := range criteria {
		said := "missed"
		if c.at("met").yes() {
			met, said = met+1, "met"
		}
		lines = append(lines, fmt.Sprintf("%s: %s (%s, threshold %s)", criterionName(c), said, c.at("value").or("unknown"), c.at("threshold").str()))
	}
	word := t.input("verdict").or("dead_again")
	head := fmt.Sprintf("After 7 days: %s, with %d of %d criteria met.", strings.ReplaceAll(word, "_", " "), met, len(criteria))
	return map[string]any{
		"verdict": word, "criteria": t.input("criteria").v,
		"summary": strings.Join([]string{head, strings.Join(lines, "; ") + ".", "The operation goes on to day 30 either way."}, "\n"),
	}
}

func criterionName(c value) string {
	id := c.at("id").str()
	return map[string]string{"mcap": "market value"}[id] + strings.ReplaceAll(strings.TrimPrefix(id, "mcap"), "_", " ")
}
