package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// ChainSimulateTrade lets an agent learn whether the token can be bought and sold.
func ChainSimulateTrade(chain Trades) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_simulate_trade",
		Description: "Try a buy and a sell of the token without sending them: whether each works and what tax it pays.",
		Agents:      []string{scanner},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (app.TradeSimulation, error) {
		simulation, err := chain.SimulateTrade(ctx, scope.Token.Ref)
		if err != nil {
			return app.TradeSimulation{}, unreachable("The chain", err)
		}
		return simulation, nil
	})
}
