package scoring_test

import (
	"math"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/scoring"
)

func ptr[T any](v T) *T { return &v }

// good are facts that pass every check.
func good() scoring.Facts {
	return scoring.Facts{
		Holders: ptr(150), NeverSold: ptr(120), Top10Share: ptr(0.2), DeployerShare: ptr(0.01), Dangerous: &[]string{},
		LiquidityUSD: ptr(8000.0), LockedShare: ptr(1.0), CanBuy: ptr(true), CanSell: ptr(true), BuyTax: ptr(0.0), SellTax: ptr(0.0),
		TradeIdleDays: ptr(40.0), DeployerIdleDays: ptr(50.0), Volume7dUSD: ptr(0.0), AgeDays: ptr(75.0), LifeTrades: ptr(60),
		XFollowers: ptr(900), TelegramMembers: ptr(100),
	}
}

func TestPreCheckLimits(t *testing.T) {
	t.Parallel()
	set := func(change func(*scoring.Facts)) scoring.Facts {
		f := good()
		change(&f)
		return f
	}
	type facts = *scoring.Facts
	tests := []struct {
		id   string
		set  func(facts)
		want scoring.Status
	}{
		{"deployer_share", func(f facts) { *f.DeployerShare = 0.03 }, scoring.Pass},
		{"deployer_share", func(f facts) { *f.DeployerShare = 0.0301 }, scoring.Warn},
		{"deployer_share", func(f facts) { *f.DeployerShare = 0.05 }, scoring.Warn},
		{"deployer_share", func(f facts) { *f.DeployerShare = 0.0501 }, scoring.Fail},
		{"deployer_share", func(f facts) { f.DeployerShare = nil }, scoring.Unknown},
		{"top10_share", func(f facts) { *f.Top10Share = 0.30 }, scoring.Pass},
		{"top10_share", func(f facts) { *f.Top10Share = 0.301 }, scoring.Warn},
		{"top10_share", func(f facts) { *f.Top10Share = 0.50 }, scoring.Warn},
		{"top10_share", func(f facts) { *f.Top10Share = 0.501 }, scoring.Fail},
		{"top10_share", func(f facts) { f.Top10Share = nil }, scoring.Unknown},
		{"trade_tax", func(f facts) { *f.BuyTax = 0.05 }, scoring.Pass},
		{"trade_tax", func(f facts) { *f.BuyTax = 0.051 }, scoring.Warn},
		{"trade_tax", func(f facts) { *f.SellTax = 0.10 }, scoring.Warn},
		{"trade_tax", func(f facts) { *f.SellTax = 0.101 }, scoring.Fail},
		{"trade_tax", func(f facts) { f.SellTax = nil }, scoring.Unknown},
		{"trade_tax", func(f facts) { f.SellTax, *f.BuyTax = nil, 0.2 }, scoring.Fail},
		{"can_sell", func(facts) {}, scoring.Pass},
		{"can_sell", func(f facts) { *f.CanSell = false }, scoring.Fail},
		{"can_sell", func(f facts) { f.CanSell = nil }, scoring.Unknown},
		{"owner_functions", func(facts) {}, scoring.Pass},
		{"owner_functions", func(f facts) { f.Dangerous = &[]string{"mint"} }, scoring.Fail},
		{"owner_functions", func(f facts) { f.Dangerous = nil }, scoring.Unknown},
		{"liquidity_locked", func(f facts) { *f.LockedShare = 0.801 }, scoring.Pass},
		{"liquidity_locked", func(f facts) { *f.LockedShare = 0.79 }, scoring.Warn},
		{"liquidity_locked", func(f facts) { *f.LockedShare = 0.5 }, scoring.Warn},
		{"liquidity_locked", func(f facts) { *f.LockedShare = 0.49 }, scoring.Fail},
		{"liquidity_locked", func(f facts) { f.LockedShare = nil }, scoring.Unknown},
		{"liquidity_usd", func(f facts) { *f.LiquidityUSD = 1000 }, scoring.Pass},
		{"liquidity_usd", func(f facts) { *f.LiquidityUSD = 999.99 }, scoring.Warn},
		{"liquidity_usd", func(f facts) { *f.LiquidityUSD = 100 }, scoring.Warn},
		{"liquidity_usd", func(f facts) { *f.LiquidityUSD = 99.99 }, scoring.Fail},
		{"liquidity_usd", func(f facts) { f.LiquidityUSD = nil }, scoring.Unknown},
		{"liquidity_usd", func(f facts) { *f.LiquidityUSD = math.NaN() }, scoring.Unknown},
		{"holders", func(f facts) { *f.Holders = 100 }, scoring.Pass},
		{"holders", func(f facts) { *f.Holders = 99 }, scoring.Warn},
		{"holders", func(f facts) { *f.Holders = 30 }, scoring.Warn},
		{"holders", func(f facts) { *f.Holders = 29 }, scoring.Fail},
		{"holders", func(f facts) { f.Holders = nil }, scoring.Unknown},
		{"deployer_activity", func(f facts) { *f.DeployerIdleDays = 14 }, scoring.Pass},
		{"deployer_activity", func(f facts) { *f.DeployerIdleDays = 13.99 }, scoring.Warn},
		{"deployer_activity", func(f facts) { *f.DeployerIdleDays = 3 }, scoring.Warn},
		{"deployer_activity", func(f facts) { *f.DeployerIdleDays = 2.99 }, scoring.Fail},
		{"deployer_activity", func(f facts) { *f.DeployerIdleDays = math.Inf(1) }, scoring.Pass},
		{"deployer_activity", func(f facts) { f.DeployerIdleDays = nil }, scoring.Unknown},
	}
	for i, tt := range tests {
		checks := scoring.PreCheck(set(tt.set), scoring.DefaultThresholds())
		if len(checks) != 9 {
			t.Fatalf("%d checks", len(checks))
		}
		for _, c := range checks {
			want := scoring.Pass
			if c.ID == tt.id {
				want = tt.want
			}
			if c.Status != want {
				t.Errorf("case %d: %s is %s (%s), want %s", i, c.ID, c.Status, c.Value, want)
			}
			if c.Label == "" || c.Value == "" || c.Source == "" {
				t.Errorf("case %d: %+v has gaps", i, c)
			}
		}
		blocking := scoring.Blocking(checks)
		if blocked := len(blocking) == 1 && blocking[0] == tt.id; blocked != (tt.want == scoring.Fail) {
			t.Errorf("case %d: blocking %v", i, blocking)
		}
	}
}

func TestNothingKnown(t *testing.T) {
	t.Parallel()
	for _, c := range scoring.PreCheck(scoring.FactsAt(scoring.Readings{}, time.Time{}), scoring.DefaultThresholds()) {
		if c.Status != scoring.Unknown {
			t.Errorf("%s is %s without any data", c.ID, c.Status)
		}
	}
}

func TestFactsAt(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 20, 0, 0, 0, 0, time.UTC)
	ago := func(days int) *time.Time { return ptr(now.AddDate(0, 0, -days)) }
	r := scoring.Readings{
		Token:     &app.TokenFacts{Deployer: "0x1"},
		Holders:   &app.Holders{Count: 5, DeployerShare: 0.2},
		Week:      &app.Transactions{LastTradeAt: ago(9), DeployerLastAt: ago(4), VolumeUSD: 3},
		Life:      &app.Transactions{FirstTradeAt: ago(90), Trades: 12},
		Trade:     &app.TradeSimulation{CanBuy: true, SellTax: 0},
		Liquidity: &app.Liquidity{USD: 7, LockedShare: 0.5},
	}
	f := scoring.FactsAt(r, now)
	if *f.TradeIdleDays != 9 || *f.DeployerIdleDays != 4 || *f.AgeDays != 90 || *f.DeployerShare != 0.2 || *f.LiquidityUSD != 7 {
		t.Errorf("facts: %+v", f)
	}
	if f.SellTax != nil {
		t.Error("a sale that failed has a tax")
	}
	r.Token.Deployer = ""
	r.Week.LastTradeAt = nil
	f = scoring.FactsAt(r, now)
	if f.DeployerShare != nil || f.DeployerIdleDays != nil {
		t.Error("without a deployer, nothing is known of one")
	}
	if !math.IsInf(*f.TradeIdleDays, 1) {
		t.Errorf("no trade ever is %g days ago", *f.TradeIdleDays)
	}
}
