package scoring

import "fmt"

// The verdicts on the seventh day.
const (
	Revived   = "revived"
	DeadAgain = "dead_again"
)

// Reading is one side of the verdict; a nil field is unknown and holds nothing.
type Reading struct {
	Holders *int
	// MeanVolumeUSD is a mean per day: of the 7 days before J0 in the baseline,
	// of days 5 to 7 in the current reading.
	MeanVolumeUSD *float64
	MarketCapUSD  *float64
	LiquidityUSD  *float64
	Buyers        *int // distinct, over the 7 days; not used in the baseline
}

// Criterion is one line of the verdict.
type Criterion struct {
	ID        string `json:"id"`
	Baseline  string `json:"baseline"`
	Value     string `json:"value"`
	Threshold string `json:"threshold"`
	Met       bool   `json:"met"`
}

// Verdict compares the seventh day with the last metrics before J0: revived
// when enough of the first four criteria hold and liquidity has not fallen.
func Verdict(base, now Reading, t Thresholds) (string, []Criterion) {
	criteria := []Criterion{
		holdersGrew(base, now, t), volumeGrew(base, now, t), marketCapGrew(base, now, t), buyersCame(now, t),
		liquidityStayed(base, now),
	}
	met := 0
	for _, c := range criteria[:4] {
		if c.Met {
			met++
		}
	}
	if met >= t.RevivedCriteria && criteria[4].Met {
		return Revived, criteria
	}
	return DeadAgain, criteria
}

func holdersGrew(base, now Reading, t Thresholds) Criterion {
	c := Criterion{ID: "holders", Baseline: number(base.Holders), Value: number(now.Holders),
		Threshold: fmt.Sprintf("≥ %+.0f %%", (t.RevivedHolders-1)*100)}
	c.Met = reached(count(now.Holders), count(base.Holders), t.RevivedHolders)
	return c
}

func volumeGrew(base, now Reading, t Thresholds) Criterion {
	c := Criterion{ID: "volume", Baseline: dollars(base.MeanVolumeUSD), Value: dollars(now.MeanVolumeUSD),
		Threshold: fmt.Sprintf("≥ %g × and ≥ $%s", t.RevivedVolume, grouped(t.RevivedVolumeMinUSD))}
	c.Met = reached(now.MeanVolumeUSD, base.MeanVolumeUSD, t.RevivedVolume) && *now.MeanVolumeUSD >= t.RevivedVolumeMinUSD
	return c
}

func marketCapGrew(base, now Reading, t Thresholds) Criterion {
	c := Criterion{ID: "mcap", Baseline: dollars(base.MarketCapUSD), Value: dollars(now.MarketCapUSD),
		Threshold: fmt.Sprintf("≥ %g ×", t.RevivedMarketCap)}
	c.Met = reached(now.MarketCapUSD, base.MarketCapUSD, t.RevivedMarketCap)
	return c
}

func buyersCame(now Reading, t Thresholds) Criterion {
	c := Criterion{ID: "buyers", Baseline: "–", Value: number(now.Buyers), Threshold: fmt.Sprintf("≥ %d", t.RevivedBuyers)}
	c.Met = now.Buyers != nil && *now.Buyers >= t.RevivedBuyers
	return c
}

func liquidityStayed(base, now Reading) Criterion {
	c := Criterion{ID: "liquidity", Baseline: dollars(base.LiquidityUSD), Value: dollars(now.LiquidityUSD), Threshold: "not fallen"}
	c.Met = reached(now.LiquidityUSD, base.LiquidityUSD, 1)
	return c
}

// reached tells whether v is at least factor times base. The tolerance is that
// of floats: 115 is 15 % more than 100.
func reached(v, base *float64, factor float64) bool {
	return v != nil && base != nil && *v >= *base*factor*(1-1e-12)
}
