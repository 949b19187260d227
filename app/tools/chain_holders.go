package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// ChainHolders lets an agent read who holds the token.
func ChainHolders(chain Chain) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_holders",
		Description: "Read the token's distribution: holders with a balance, those who never sold, the largest, and the shares of the top 10 and of the deployer.",
		Agents:      []string{scanner, builder},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (app.Holders, error) {
		holders, err := chain.Holders(ctx, scope.Token.Ref)
		if err != nil {
			return app.Holders{}, unreachable("The chain", err)
		}
		holders.Top = list(holders.Top)
		return holders, nil
	})
}
