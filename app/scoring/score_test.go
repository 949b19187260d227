package scoring_test

import (
	"testing"

	"vivra/app/scoring"
)

func TestScoreParts(t *testing.T) {
	t.Parallel()
	type facts = *scoring.Facts
	tests := []struct {
		part   string
		set    func(facts)
		points int
		known  bool
	}{
		{"never_sold", func(f facts) { *f.NeverSold, *f.Holders = 150, 150 }, 25, true},
		{"never_sold", func(f facts) { *f.NeverSold, *f.Holders = 75, 150 }, 13, true},
		{"never_sold", func(f facts) { *f.NeverSold = 0 }, 0, true},
		{"never_sold", func(f facts) { f.NeverSold = nil }, 0, false},
		{"never_sold", func(f facts) { *f.Holders = 0 }, 0, false},
		{"holders", func(f facts) { *f.Holders = 30 }, 0, true},
		{"holders", func(f facts) { *f.Holders = 300 }, 8, true},
		{"holders", func(f facts) { *f.Holders = 3000 }, 15, true},
		{"holders", func(f facts) { *f.Holders = 1_000_000 }, 15, true},
		{"holders", func(f facts) { f.Holders = nil }, 0, false},
		{"liquidity", func(f facts) { *f.LiquidityUSD = 0 }, 0, true},
		{"liquidity", func(f facts) { *f.LiquidityUSD = 100 }, 0, true},
		{"liquidity", func(f facts) { *f.LiquidityUSD = 1000 }, 5, true},
		{"liquidity", func(f facts) { *f.LiquidityUSD = 100_000 }, 15, true},
		{"liquidity", func(f facts) { f.LiquidityUSD = nil }, 0, false},
		{"distribution", func(f facts) { *f.Top10Share = 0.10 }, 15, true},
		{"distribution", func(f facts) { *f.Top10Share = 0.30 }, 8, true},
		{"distribution", func(f facts) { *f.Top10Share = 0.50 }, 0, true},
		{"distribution", func(f facts) { *f.Top10Share = 0.90 }, 0, true},
		{"distribution", func(f facts) { f.Top10Share = nil }, 0, false},
		{"safety", func(facts) {}, 15, true},
		{"safety", func(f facts) { f.Dangerous = &[]string{"mint"} }, 10, true},
		{"safety", func(f facts) { *f.CanSell = false }, 12, true},
		{"safety", func(f facts) { *f.LockedShare = 0 }, 12, true},
		{"safety", func(f facts) { *f.SellTax = 0.10 }, 11, true},
		{"safety", func(f facts) { f.Dangerous, f.CanSell, f.LockedShare, f.BuyTax = nil, nil, nil, nil }, 0, false},
		{"audience", func(f facts) { *f.XFollowers, *f.TelegramMembers = 50, 50 }, 0, true},
		{"audience", func(f facts) { *f.XFollowers, *f.TelegramMembers = 900, 100 }, 5, true},
		{"audience", func(f facts) { *f.XFollowers, f.TelegramMembers = 10_000, nil }, 10, true},
		{"audience", func(f facts) { f.XFollowers, f.TelegramMembers = nil, nil }, 0, false},
		{"age", func(facts) {}, 5, true},
		{"age", func(f facts) { *f.AgeDays, *f.LifeTrades = 30, 0 }, 3, true},
		{"age", func(f facts) { *f.AgeDays, *f.LifeTrades = 0, 0 }, 0, true},
		{"age", func(f facts) { f.AgeDays = nil }, 0, false},
	}
	for i, tt := range tests {
		f := good()
		tt.set(&f)
		total, parts := scoring.Score(f)
		sum, most := 0, 0
		for _, p := range parts {
			sum, most = sum+p.Points, most+p.Max
			if p.ID == tt.part && (p.Points != tt.points || p.Known != tt.known) {
				t.Errorf("case %d: %+v, want %d points, known %v", i, p, tt.points, tt.known)
			}
		}
		if total != sum || most != 100 || len(parts) != 7 {
			t.Errorf("case %d: total %d of parts that add up to %d of %d", i, total, sum, most)
		}
	}
	if total, _ := scoring.Score(scoring.Facts{}); total != 0 {
		t.Errorf("a score of %d from nothing", total)
	}
}

func TestDead(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		trade, volume, deployer *float64
		dead, known             bool
	}{
		"silent":                         {ptr(7.0), ptr(0.0), ptr(14.0), true, true},
		"traded 6.9 days ago, no volume": {ptr(6.9), ptr(99.9), ptr(14.0), true, true},
		"volume of $100":                 {ptr(6.9), ptr(100.0), ptr(14.0), false, true},
		"silent, deployer came":          {ptr(8.0), ptr(0.0), ptr(13.9), false, true},
		"busy, deployer unknown":         {ptr(0.1), ptr(5000.0), nil, false, true},
		"silent, deployer unknown":       {ptr(8.0), ptr(0.0), nil, false, false},
		"market unknown":                 {nil, nil, ptr(20.0), false, false},
		"volume unknown, no trade":       {ptr(7.0), nil, ptr(20.0), true, true},
		"volume unknown, a trade":        {ptr(6.0), nil, ptr(20.0), false, false},
	}
	for name, tt := range tests {
		f := scoring.Facts{TradeIdleDays: tt.trade, Volume7dUSD: tt.volume, DeployerIdleDays: tt.deployer}
		if dead, known := scoring.Dead(f, scoring.DefaultThresholds()); dead != tt.dead || known != tt.known {
			t.Errorf("%s: dead %v, known %v", name, dead, known)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	base := scoring.Reading{Holders: ptr(100), MeanVolumeUSD: ptr(60.0), MarketCapUSD: ptr(10_000.0), LiquidityUSD: ptr(5000.0)}
	// at is a reading that just meets every criterion.
	at := func() scoring.Reading {
		return scoring.Reading{Holders: ptr(115), MeanVolumeUSD: ptr(600.0), MarketCapUSD: ptr(15_000.0), LiquidityUSD: ptr(5000.0), Buyers: ptr(50)}
	}
	type reading = *scoring.Reading
	tests := map[string]struct {
		set     func(base, now reading)
		unmet   string // the criterion that no longer holds
		verdict string
	}{
		"all":             {func(_, _ reading) {}, "", scoring.Revived},
		"holders":         {func(_, n reading) { *n.Holders = 114 }, "holders", scoring.Revived},
		"volume":          {func(_, n reading) { *n.MeanVolumeUSD = 599 }, "volume", scoring.Revived},
		"volume floor":    {func(b, n reading) { *b.MeanVolumeUSD, *n.MeanVolumeUSD = 0, 499 }, "volume", scoring.Revived},
		"volume at floor": {func(b, n reading) { *b.MeanVolumeUSD, *n.MeanVolumeUSD = 0, 500 }, "", scoring.Revived},
		"market cap":      {func(_, n reading) { *n.MarketCapUSD = 14_999 }, "mcap", scoring.Revived},
		"buyers":          {func(_, n reading) { *n.Buyers = 49 }, "buyers", scoring.Revived},
		"liquidity":       {func(_, n reading) { *n.LiquidityUSD = 4999 }, "liquidity", scoring.DeadAgain},
		"no holders read": {func(_, n reading) { n.Holders = nil }, "holders", scoring.Revived},
		"no liquidity":    {func(b, _ reading) { b.LiquidityUSD = nil }, "liquidity", scoring.DeadAgain},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			b, n := base, at()
			b.MeanVolumeUSD = ptr(*base.MeanVolumeUSD)
			tt.set(&b, &n)
			verdict, criteria := scoring.Verdict(b, n, scoring.DefaultThresholds())
			if verdict != tt.verdict || len(criteria) != 5 {
				t.Errorf("verdict %s, want %s", verdict, tt.verdict)
			}
			for _, c := range criteria {
				if c.Met != (c.ID != tt.unmet) {
					t.Errorf("criterion %+v", c)
				}
			}
		})
	}
	n := at()
	*n.Holders, *n.Buyers = 114, 49
	if verdict, _ := scoring.Verdict(base, n, scoring.DefaultThresholds()); verdict != scoring.DeadAgain {
		t.Error("two of four criteria are enough")
	}
}
