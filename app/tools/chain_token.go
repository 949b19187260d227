package tools

import (
	"context"

	"vivra/app"
	"vivra/app/agent"
)

// ChainToken lets an agent read what the chain says of the token.
func ChainToken(chain Chain) agent.Tool {
	return agent.NewTool(agent.About{
		Name:        "chain_token",
		Description: "Read the token on its chain: name, symbol, supply, burned, owner, deployer, and dangerous functions that an owner can still call.",
		Agents:      []string{scanner, webdev},
		Risk:        agent.Read,
		Source:      "chain", // its deployer chose name and symbol
	}, func(ctx context.Context, scope agent.Scope, _ struct{}) (app.TokenFacts, error) {
		facts, err := chain.Token(ctx, scope.Token.Ref)
		if err != nil {
			return app.TokenFacts{}, unreachable("The chain", err)
		}
		facts.Dangerous = list(facts.Dangerous)
		return facts, nil
	})
}
