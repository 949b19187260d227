// Package scan reads a token wherever something is known of it and has code judge
// it: for an operation's steps and for whoever asks before there is one.
package scan

import (
	"context"
	"time"

	"vivra/app"
	"vivra/app/scoring"
)

// Chain reads a token on its chain.
type Chain interface {
	Token(ctx context.Context, ref app.TokenRef) (app.TokenFacts, error)
	Holders(ctx context.Context, ref app.TokenRef) (app.Holders, error)
	Liquidity(ctx context.Context, ref app.TokenRef) (app.Liquidity, error)
}

// Trades reads what was traded, and tries a trade.
type Trades interface {
	Transactions(ctx context.Context, ref app.TokenRef, days int) (app.Transactions, error)
	SimulateTrade(ctx context.Context, ref app.TokenRef) (app.TradeSimulation, error)
}

// Gap is something that could not be read, and is unknown therefore.
type Gap struct {
	Of  string `json:"of"`
	Why string `json:"why"`
}

// Read asks every source on chain; one that can't answer is unknown, never zero.
func Read(ctx context.Context, chain Chain, trades Trades, ref app.TokenRef) (scoring.Readings, []Gap) {
	var gaps []Gap
	r := scoring.Readings{
		Token:     read(&gaps, "the token", func() (app.TokenFacts, error) { return chain.Token(ctx, ref) }),
		Holders:   read(&gaps, "its holders", func() (app.Holders, error) { return chain.Holders(ctx, ref) }),
		Liquidity: read(&gaps, "its liquidity", func() (app.Liquidity, error) { return chain.Liquidity(ctx, ref) }),
		Week:      read(&gaps, "the trades of a week", func() (app.Transactions, error) { return trades.Transactions(ctx, ref, 7) }),
		Life:      read(&gaps, "the trades of a year", func() (app.Transactions, error) { return trades.Transactions(ctx, ref, 365) }),
		Trade:     read(&gaps, "a trade, simulated", func() (app.TradeSimulation, error) { return trades.SimulateTrade(ctx, ref) }),
	}
	return r, gaps
}

func read[T any](gaps *[]Gap, of string, ask func() (T, error)) *T {
	v, err := ask()
	if err != nil {
		*gaps = append(*gaps, Gap{of, err.Error()})
		return nil
	}
	return &v
}

// Check is one row of the pre-check with the rule that it was held to.
type Check struct {
	scoring.Check
	Rule string `json:"rule"`
}

// Result is a pre-report of a token, from its chain alone.
type Result struct {
	Token    app.TokenFacts   `json:"token"` // its name and symbol are outside text
	At       time.Time        `json:"at"`
	Checks   []Check          `json:"checks"`
	Score    int              `json:"score"` // of 100
	Parts    []scoring.Part   `json:"parts"`
	Dead     string           `json:"dead"` // yes, no or unknown
	Decision scoring.Decision `json:"decision"`
	Sentence string           `json:"sentence"` // the decision in words
	// Partial tells that something could not be read: Gaps say what and why.
	Partial bool  `json:"partial"`
	Gaps    []Gap `json:"gaps"`
}

// Token judges the token at ref as of now. Without the token itself there is no
// report: the error says what stands at that address.
func Token(ctx context.Context, chain Chain, trades Trades, ref app.TokenRef, now time.Time) (Result, error) {
	if _, err := chain.Token(ctx, ref); err != nil {
		return Result{}, err
	}
	readings, gaps := Read(ctx, chain, trades, ref)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if readings.Token == nil {
		return Result{}, app.Errorf(app.Unavailable, "%s", gaps[0].Why)
	}
	t := scoring.DefaultThresholds()
	report := scoring.ReportAt(scoring.FactsAt(readings, now), t, now)
	r := Result{
		Token: *readings.Token, At: now.UTC(), Score: report.Score, Parts: report.Parts, Dead: report.Dead,
		Decision: report.Decision(), Sentence: report.Sentence(), Partial: len(gaps) > 0, Gaps: append([]Gap{}, gaps...),
	}
	for _, c := range report.Checks {
		r.Checks = append(r.Checks, Check{c, report.Rules[c.ID]})
	}
	return r, nil
}
