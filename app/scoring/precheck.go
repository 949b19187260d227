package scoring

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Status is how a check came out.
type Status string

// The statuses of a check. Unknown counts as a warning, never as a pass; a
// failed check blocks the takeover whatever a model says.
const (
	Pass    Status = "pass"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Unknown Status = "unknown"
)

// Check is one row of the go/no-go pre-check.
type Check struct {
	ID     string `json:"id"`
	Label  string `json:"label"`
	Status Status `json:"status"`
	Value  string `json:"value"` // for people
	Source string `json:"source"`
}

// PreCheck judges every row of the go/no-go table.
func PreCheck(f Facts, t Thresholds) []Check {
	return []Check{
		{"deployer_share", "Deployer, fee recipient and bundle wallets hold", above(f.DeployerShare, t.DeployerShare), share(f.DeployerShare), "chain"},
		{"top10_share", "Top 10 holders hold", above(f.Top10Share, t.Top10Share), share(f.Top10Share), "chain"},
		{"trade_tax", "Tax on buying or selling", tax(f, t.TradeTax), taxes(f), "simulation"},
		{"can_sell", "Can be sold again", sellable(f), canSell(f), "simulation"},
		{"owner_functions", "Harmful functions an owner can still call", ownerStatus(f), ownerValue(f), "chain"},
		{"liquidity_locked", "Liquidity not locked or burned", above(unlocked(f), t.UnlockedShare), share(unlocked(f)), "chain"},
		{"liquidity_usd", "Liquidity", below(f.LiquidityUSD, t.LiquidityUSD), dollars(f.LiquidityUSD), "chain"},
		{"holders", "Holders", below(count(f.Holders), t.Holders), number(f.Holders), "chain"},
		{"deployer_activity", "Deployer or fee recipient last traded", below(f.DeployerIdleDays, t.DeployerIdleDays), ago(f.DeployerIdleDays), "chain"},
	}
}

// Blocking returns the ids of the checks that forbid the takeover.
func Blocking(checks []Check) []string {
	ids := []string{}
	for _, c := range checks {
		if c.Status == Fail {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// above judges a reading that is worse the larger it is.
func above(v *float64, l Limit) Status {
	switch {
	case v == nil || math.IsNaN(*v):
		return Unknown
	case *v > l.Block:
		return Fail
	case *v > l.Warn:
		return Warn
	}
	return Pass
}

// below judges a reading that is worse the smaller it is.
func below(v *float64, l Limit) Status {
	switch {
	case v == nil || math.IsNaN(*v):
		return Unknown
	case *v < l.Block:
		return Fail
	case *v < l.Warn:
		return Warn
	}
	return Pass
}

// tax takes the worse of the two; one that is unknown can't be passed.
func tax(f Facts, l Limit) Status {
	order := map[Status]int{Pass: 0, Unknown: 1, Warn: 2, Fail: 3}
	buy, sell := above(f.BuyTax, l), above(f.SellTax, l)
	if cmp.Compare(order[buy], order[sell]) > 0 {
		return buy
	}
	return sell
}

func sellable(f Facts) Status {
	if f.CanSell == nil {
		return Unknown
	}
	if *f.CanSell {
		return Pass
	}
	return Fail
}

func ownerStatus(f Facts) Status {
	if f.Dangerous == nil {
		return Unknown
	}
	if len(*f.Dangerous) > 0 {
		return Fail
	}
	return Pass
}

func unlocked(f Facts) *float64 {
	if f.LockedShare == nil {
		return nil
	}
	v := max(1-*f.LockedShare, 0)
	return &v
}

func count(n *int) *float64 {
	if n == nil {
		return nil
	}
	v := float64(*n)
	return &v
}

func taxes(f Facts) string { return "buy " + share(f.BuyTax) + ", sell " + share(f.SellTax) }

func canSell(f Facts) string {
	switch {
	case f.CanSell == nil:
		return unknown
	case *f.CanSell:
		return "yes"
	case f.CanBuy != nil && !*f.CanBuy:
		return "no, nor bought"
	}
	return "no"
}

func ownerValue(f Facts) string {
	if f.Dangerous == nil {
		return unknown
	}
	return cmp.Or(strings.Join(*f.Dangerous, ", "), "none")
}

const unknown = "unknown"

func share(v *float64) string {
	if v == nil {
		return unknown
	}
	return fmt.Sprintf("%.1f %%", *v*100)
}

func dollars(v *float64) string {
	if v == nil {
		return unknown
	}
	return "$" + grouped(*v)
}

func number(n *int) string {
	if n == nil {
		return unknown
	}
	return grouped(float64(*n))
}

func ago(days *float64) string {
	switch {
	case days == nil:
		return unknown
	case math.IsInf(*days, 1):
		return "never"
	}
	return fmt.Sprintf("%.1f days ago", *days)
}

// grouped writes a whole number with commas between the thousands.
func grouped(v float64) string {
	digits := fmt.Sprintf("%.0f", math.Abs(v))
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if v <= -0.5 {
		return "-" + digits
	}
	return digits
}
