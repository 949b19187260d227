package boot

import (
	"context"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/scan"
)

// Scan judges a token by what its chain says, with no database, no model and no
// account. Its errors are sentences for whoever asked.
func Scan(ctx context.Context, cfg Config, address string) (scan.Result, error) {
	cfg = cfg.withDefaults()
	at, err := chain.ParseAddress(address)
	if err != nil {
		return scan.Result{}, err
	}
	if cfg.RPCURL == "" {
		return scan.Result{}, app.Errorf(app.Invalid, "RPC_URL names no endpoint of %s to read it from.", cfg.Chain.Name)
	}
	tokens, _, err := cfg.onChain()
	if err != nil {
		return scan.Result{}, err
	}
	return scan.Token(ctx, tokens, tokens, app.TokenRef{ChainID: cfg.Chain.ChainID, Address: at}, cfg.Clock.Now())
}
