package market

import (
	"context"

	"vivra/app"
)

// CheckDexScreener asks DexScreener for the pairs of a token. That it knows
// none is no error.
func (c *Client) CheckDexScreener(ctx context.Context, ref app.TokenRef) error {
	n, err := c.network(ref)
	if err != nil {
		return err
	}
	var pairs []dexPair
	return c.get(ctx, dexName, c.cfg.DexScreenerURL+"/tokens/v1/"+n.DexScreener+"/"+ref.Address.Hex(), &pairs)
}
