package scoring

import (
	"fmt"
	"math"
)

// Part is one of the seven parts of the takeover score.
type Part struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Points int    `json:"points"`
	Max    int    `json:"max"`
	Known  bool   `json:"known"` // false: no data, so no points
	Value  string `json:"value"` // for people
}

// Score returns the takeover score, 0–100, and its parts, which add up to it.
// A part without data gets nothing.
func Score(f Facts) (int, []Part) {
	parts := []Part{
		part("never_sold", "Holders who have not sold", 25, neverSold(f), neverSoldValue(f)),
		part("holders", "Number of holders", 15, logScale(count(f.Holders), 30, 3000), number(f.Holders)),
		part("liquidity", "Depth of the liquidity", 15, logScale(f.LiquidityUSD, 100, 100_000), dollars(f.LiquidityUSD)),
		part("distribution", "Distribution", 15, distribution(f), share(f.Top10Share)+" in the top 10"),
		part("safety", "Contract safety", 15, safety(f), safetyValue(f)),
		part("audience", "Dormant audience on X and Telegram", 10, logScale(audience(f), 100, 10_000), audienceValue(f)),
		part("age", "Age with a real first life", 5, firstLife(f), ageValue(f)),
	}
	total := 0
	for _, p := range parts {
		total += p.Points
	}
	return total, parts
}

// part turns a fraction 0..1 into points; nil is no data.
func part(id, label string, most int, fraction *float64, value string) Part {
	p := Part{ID: id, Label: label, Max: most, Value: value}
	if fraction != nil {
		p.Known, p.Points = true, int(math.Round(clamp(*fraction)*float64(most)))
	}
	return p
}

// neverSold is the share of holders who have never sold.
func neverSold(f Facts) *float64 {
	if f.NeverSold == nil || f.Holders == nil || *f.Holders <= 0 {
		return nil
	}
	return ptr(float64(*f.NeverSold) / float64(*f.Holders))
}

// logScale is 0 at low and below, 1 at high and above, and even steps for even ratios between.
func logScale(v *float64, low, high float64) *float64 {
	if v == nil {
		return nil
	}
	if *v <= low {
		return ptr(0.0)
	}
	return ptr(clamp(math.Log(*v/low) / math.Log(high/low)))
}

// distribution is 1 while the top 10 hold at most 10 %, and 0 from 50 % on.
func distribution(f Facts) *float64 {
	if f.Top10Share == nil {
		return nil
	}
	return ptr(clamp((0.5 - *f.Top10Share) / 0.4))
}

// safety adds up: no harmful function 1/3, can be sold 1/5, locked liquidity
// 1/5, low taxes 4/15 (all up to 1 %, nothing from 10 % on). What is unknown
// adds nothing; when all of it is, the part is.
func safety(f Facts) *float64 {
	if f.Dangerous == nil && f.CanSell == nil && f.LockedShare == nil && f.BuyTax == nil {
		return nil
	}
	sum := 0.0
	if f.Dangerous != nil && len(*f.Dangerous) == 0 {
		sum += 5
	}
	if f.CanSell != nil && *f.CanSell {
		sum += 3
	}
	if f.LockedShare != nil {
		sum += 3 * clamp(*f.LockedShare)
	}
	if f.BuyTax != nil && f.SellTax != nil {
		sum += 4 * clamp((0.10-max(*f.BuyTax, *f.SellTax))/0.09)
	}
	return ptr(sum / 15)
}

// audience adds up the channels that are known.
func audience(f Facts) *float64 {
	if f.XFollowers == nil && f.TelegramMembers == nil {
		return nil
	}
	sum := 0.0
	for _, n := range []*int{f.XFollowers, f.TelegramMembers} {
		if n != nil {
			sum += float64(*n)
		}
	}
	return &sum
}

// firstLife is half for 30 days since the first trade and half for 50 trades.
func firstLife(f Facts) *float64 {
	if f.AgeDays == nil || f.LifeTrades == nil {
		return nil
	}
	return ptr(clamp(*f.AgeDays/30)/2 + clamp(float64(*f.LifeTrades)/50)/2)
}

func neverSoldValue(f Facts) string { return number(f.NeverSold) + " of " + number(f.Holders) }

func safetyValue(f Facts) string {
	return fmt.Sprintf("harmful functions: %s; can be sold: %s; locked: %s; tax: %s", ownerValue(f), canSell(f), share(f.LockedShare), taxes(f))
}

func audienceValue(f Facts) string {
	return number(f.XFollowers) + " on X, " + number(f.TelegramMembers) + " on Telegram"
}

func ageValue(f Facts) string {
	if f.AgeDays == nil {
		return unknown
	}
	return fmt.Sprintf("%.0f days, %s trades", *f.AgeDays, number(f.LifeTrades))
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, 0), 1)
}

func ptr[T any](v T) *T { return &v }
