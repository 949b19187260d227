package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

type chainTransfersIn struct {
	Days int `json:"days" jsonschema:"how many days back from now, 1 to 90"`
}

// ChainTransfers lets an agent read how the token was traded.
func ChainTransfers(chain Trades) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_transfers",
		Description: "Sum the token's trades of the last days: count, volume in dollars, distinct buyers, first and last trade, and the deployer's last activity.",
		Agents:      []string{scanner},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, in chainTransfersIn) (app.Transactions, error) {
		var f faults
		f.between("days", in.Days, 1, 90)
		if err := f.err(); err != nil {
			return app.Transactions{}, err
		}
		sum, err := chain.Transactions(ctx, scope.Token.Ref, in.Days)
		if err != nil {
			return app.Transactions{}, unreachable("The chain", err)
		}
		return sum, nil
	})
}
