package scoring

import (
	"fmt"
	"strings"
	"time"

	"vivra/app"
)

// Report is what code found of a token at an instant: what a pre-report shows.
// No word of it is a model's.
type Report struct {
	At     time.Time         `json:"at"`
	Checks []Check           `json:"checks"`
	Rules  map[string]string `json:"rules"` // by check: where it warns and blocks, for people
	Score  int               `json:"score"`
	Parts  []Part            `json:"parts"`
	// Dead is yes, no or unknown.
	Dead string `json:"dead"`
}

// ReportAt judges the facts of an instant.
func ReportAt(f Facts, t Thresholds, at time.Time) Report {
	r := Report{At: at, Checks: PreCheck(f, t), Rules: Rules(t), Dead: "unknown"}
	r.Score, r.Parts = Score(f)
	if dead, known := Dead(f, t); known && dead {
		r.Dead = "yes"
	} else if known {
		r.Dead = "no"
	}
	return r
}

// Blocking returns the checks that forbid the takeover.
func (r Report) Blocking() []Check { return r.with(Fail) }

// Unknown returns the checks that had no data.
func (r Report) Unknown() []Check { return r.with(Unknown) }

// Decision is what the checks come to.
type Decision string

// The decisions: a check without data is never taken for good.
const (
	Go      Decision = "go"
	Unclear Decision = "unclear"
	NoGo    Decision = "no_go"
)

// Decision is what the checks come to, before a model or a person has looked.
func (r Report) Decision() Decision {
	switch {
	case len(r.Blocking()) > 0:
		return NoGo
	case len(r.Unknown()) > 0:
		return Unclear
	}
	return Go
}

// Sentence is the decision in words.
func (r Report) Sentence() string {
	switch blocking, unknown := r.Blocking(), r.Unknown(); r.Decision() {
	case NoGo:
		return app.Count(len(blocking), "check forbids", "checks forbid") + " a takeover: " + labels(blocking) + "."
	case Unclear:
		return "No check forbids a takeover, and " + app.Count(len(unknown), "check", "checks") + " had no data, which is never taken for good: " + labels(unknown) + "."
	}
	return "No check forbids a takeover. That is where a person begins, not where one ends."
}

func labels(checks []Check) string {
	all := make([]string, len(checks))
	for i, c := range checks {
		all[i] = strings.ToLower(c.Label[:1]) + c.Label[1:] + " (" + c.Value + ")"
	}
	return strings.Join(all, ", ")
}

func (r Report) with(s Status) (found []Check) {
	for _, c := range r.Checks {
		if c.Status == s {
			found = append(found, c)
		}
	}
	return found
}

// Rules says of each check where it warns and where it blocks.
func Rules(t Thresholds) map[string]string {
	more := func(l Limit) string {
		return fmt.Sprintf("warns above %.4g %%, blocks above %.4g %%", 100*l.Warn, 100*l.Block)
	}
	less := func(l Limit, unit func(*float64) string) string {
		return fmt.Sprintf("warns below %s, blocks below %s", unit(&l.Warn), unit(&l.Block))
	}
	days := func(d *float64) string { return fmt.Sprintf("%g days", *d) }
	plain := func(n *float64) string { return grouped(*n) }
	return map[string]string{
		"deployer_share": more(t.DeployerShare), "top10_share": more(t.Top10Share), "trade_tax": more(t.TradeTax), "liquidity_locked": more(t.UnlockedShare),
		"can_sell": "blocks when it can't", "owner_functions": "blocks when there is one",
		"liquidity_usd": less(t.LiquidityUSD, dollars), "holders": less(t.Holders, plain), "deployer_activity": less(t.DeployerIdleDays, days),
	}
}
