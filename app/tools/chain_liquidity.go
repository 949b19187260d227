package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// ChainLiquidity lets an agent read what stands in the token's pools.
func ChainLiquidity(chain Chain) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_liquidity",
		Description: "Read the token's largest pool: its liquidity in dollars and the share of it that is locked or burned.",
		Agents:      []string{scanner},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (app.Liquidity, error) {
		liquidity, err := chain.Liquidity(ctx, scope.Token.Ref)
		if err != nil {
			return app.Liquidity{}, unreachable("The chain", err)
		}
		return liquidity, nil
	})
}
