package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

type marketChartIn struct {
	Days int `json:"days" jsonschema:"how many days back from now, 1 to 90"`
}

type marketChartOut struct {
	Candles []app.Candle `json:"candles"`
}

// MarketChart lets an agent read the token's price over time.
func MarketChart(market Market) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "market_chart",
		Description: "Read the token's price and volume over the last days as candles, oldest first.",
		Agents:      []string{scanner},
		Risk:        agent.Read,
		Source:      "market",
	}, func(ctx context.Context, scope agent.Scope, in marketChartIn) (marketChartOut, error) {
		var f faults
		f.between("days", in.Days, 1, 90)
		if err := f.err(); err != nil {
			return marketChartOut{}, err
		}
		now, err := market.Snapshot(ctx, scope.Token.Ref) // it names the pool
		if err != nil {
			return marketChartOut{}, fmt.Errorf("find the pool: %w", err)
		}
		candles, err := market.Chart(ctx, scope.Token.Ref, now.Pool, in.Days)
		if err != nil {
			return marketChartOut{}, fmt.Errorf("read the chart: %w", err)
		}
		return marketChartOut{Candles: list(candles)}, nil
	})
}
