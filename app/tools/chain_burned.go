package tools

import (
	"context"

	"vivra/app/agent"
)

type chainBurnedOut struct {
	Burned float64 `json:"burned"` // whole tokens
	Share  float64 `json:"share"`  // 0..1 of the supply
	Block  uint64  `json:"block"`
}

// ChainBurned lets an agent read how much of the token is burned. It takes the
// facts of one block, so that amount and share belong together.
func ChainBurned(chain Chain) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_burned",
		Description: "Read how many tokens stand at burn addresses, and their share of the supply, 0 to 1.",
		Agents:      []string{webdev, cm},
		Risk:        agent.Read,
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (chainBurnedOut, error) {
		facts, err := chain.Token(ctx, scope.Token.Ref)
		if err != nil {
			return chainBurnedOut{}, unreachable("The chain", err)
		}
		out := chainBurnedOut{Burned: facts.Burned, Block: facts.Block}
		if facts.Supply > 0 {
			out.Share = facts.Burned / facts.Supply
		}
		return out, nil
	})
}
