package scoring_test

import (
	"testing"
	"time"

	"vivra/app"
	"vivra/app/scoring"
)

// TestReport: each check has its rule, the parts add up, and what is not known is
// said to be unknown.
func TestReport(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	nothing := scoring.ReportAt(scoring.Facts{}, scoring.DefaultThresholds(), at)
	if nothing.Dead != "unknown" || nothing.Score != 0 || len(nothing.Unknown()) != len(nothing.Checks) || len(nothing.Blocking()) != 0 || nothing.At != at {
		t.Errorf("of nothing known it says %+v", nothing)
	}
	for _, c := range nothing.Checks {
		if nothing.Rules[c.ID] == "" {
			t.Errorf("%s has no rule", c.ID)
		}
	}
	if len(nothing.Rules) != len(nothing.Checks) || nothing.Rules["deployer_share"] != "warns above 3 %, blocks above 5 %" || nothing.Rules["liquidity_usd"] != "warns below $1,000, blocks below $100" || nothing.Rules["deployer_activity"] != "warns below 14 days, blocks below 3 days" {
		t.Errorf("the rules are %v", nothing.Rules)
	}
	long := at.AddDate(0, 0, -60)
	some := scoring.ReportAt(scoring.FactsAt(scoring.Readings{
		Token: &app.TokenFacts{Deployer: "0x1", Dangerous: []string{"mint"}}, Holders: &app.Holders{Count: 900, NeverSold: 500, Top10Share: 0.2, DeployerShare: 0.06},
		Week: &app.Transactions{LastTradeAt: &long, DeployerLastAt: &long},
	}, at), scoring.DefaultThresholds(), at)
	sum := 0
	for _, p := range some.Parts {
		sum += p.Points
	}
	var blocking []string
	for _, c := range some.Blocking() {
		blocking = append(blocking, c.ID)
	}
	if some.Dead != "yes" || sum != some.Score || len(blocking) != 2 || blocking[0] != "deployer_share" || blocking[1] != "owner_functions" {
		t.Errorf("it is dead: %s, scores %d of parts %d, blocked by %v", some.Dead, some.Score, sum, blocking)
	}
}
