package tools

import (
	"context"
	"fmt"

	"vivra/app"
	"vivra/app/agent"
)

// MarketSnapshot lets an agent read the token's market as it is now.
func MarketSnapshot(market Market) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "market_snapshot",
		Description: "Read the token's market now: price, market cap, liquidity, 24 h volume and buyers, all in dollars, with source and instant.",
		Agents:      []string{scanner, webdev, cm, tgBot, builder},
		Risk:        agent.Read,
		Source:      "market",
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (app.Market, error) {
		snapshot, err := market.Snapshot(ctx, scope.Token.Ref)
		if err != nil {
			return app.Market{}, fmt.Errorf("read the market: %w", err)
		}
		return snapshot, nil
	})
}
