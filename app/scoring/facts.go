// Package scoring holds the numbers that decide: the pre-check, the takeover
// score, whether a token is dead, and the verdict. It is pure.
package scoring

import (
	"math"
	"time"

	"vivra/app"
)

// Facts are what is known of a token. A nil field is unknown, which is never
// taken for good. Shares and taxes are 0..1, money is US dollars.
type Facts struct {
	Holders       *int
	NeverSold     *int
	Top10Share    *float64
	DeployerShare *float64 // deployer, fee recipient and declared bundle wallets
	Dangerous     *[]string
	LiquidityUSD  *float64
	LockedShare   *float64
	CanBuy        *bool
	CanSell       *bool
	BuyTax        *float64
	SellTax       *float64
	// TradeIdleDays is how long ago the last trade was, +Inf when there never was one.
	TradeIdleDays *float64
	// DeployerIdleDays is the same for the deployer and the fee recipient.
	DeployerIdleDays *float64
	Volume7dUSD      *float64
	AgeDays          *float64 // since the first trade
	LifeTrades       *int     // trades of the whole life that is known
	XFollowers       *int
	TelegramMembers  *int
}

// Readings are what the outside said; nil where it could not be read. Week and
// Life are the trades of the last 7 days and of the longest window read.
type Readings struct {
	Token           *app.TokenFacts
	Holders         *app.Holders
	Liquidity       *app.Liquidity
	Week            *app.Transactions
	Life            *app.Transactions
	Trade           *app.TradeSimulation
	XFollowers      *int
	TelegramMembers *int
}

// FactsAt turns readings into facts as of now.
func FactsAt(r Readings, now time.Time) Facts {
	f := Facts{XFollowers: r.XFollowers, TelegramMembers: r.TelegramMembers}
	if r.Token != nil {
		f.Dangerous = &r.Token.Dangerous
	}
	if h := r.Holders; h != nil {
		f.Holders, f.NeverSold, f.Top10Share = &h.Count, &h.NeverSold, &h.Top10Share
		if knownDeployer(r) {
			f.DeployerShare = &h.DeployerShare
		}
	}
	if l := r.Liquidity; l != nil {
		f.LiquidityUSD, f.LockedShare = &l.USD, &l.LockedShare
	}
	f.addTrade(r.Trade)
	f.addHistory(r, now)
	return f
}

// knownDeployer: without one, a share of 0 says nothing.
func knownDeployer(r Readings) bool { return r.Token != nil && r.Token.Deployer != "" }

func (f *Facts) addTrade(t *app.TradeSimulation) {
	if t == nil {
		return
	}
	f.CanBuy, f.CanSell = &t.CanBuy, &t.CanSell
	if t.CanBuy {
		f.BuyTax = &t.BuyTax
	}
	if t.CanSell {
		f.SellTax = &t.SellTax
	}
}

func (f *Facts) addHistory(r Readings, now time.Time) {
	if r.Week != nil {
		f.Volume7dUSD = &r.Week.VolumeUSD
		f.TradeIdleDays = idle(r.Week.LastTradeAt, now)
		if knownDeployer(r) {
			f.DeployerIdleDays = idle(r.Week.DeployerLastAt, now)
		}
	}
	if r.Life != nil {
		f.LifeTrades = &r.Life.Trades
		f.AgeDays = new(float64)
		if r.Life.FirstTradeAt != nil {
			*f.AgeDays = now.Sub(*r.Life.FirstTradeAt).Hours() / 24
		}
	}
}

// idle returns the days since at, +Inf when it never happened.
func idle(at *time.Time, now time.Time) *float64 {
	days := math.Inf(1)
	if at != nil {
		days = now.Sub(*at).Hours() / 24
	}
	return &days
}
