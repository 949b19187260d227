package market

import (
	"context"
	"strings"

	"vivra/app"
)

const dexName = "DexScreener"

// dexPair is a pair of GET /tokens/v1/{chain}/{address}.
type dexPair struct {
	PairAddress string `json:"pairAddress"` // 32 bytes for a Uniswap v4 pool
	BaseToken   struct {
		Address string `json:"address"`
	} `json:"baseToken"`
	PriceUSD number `json:"priceUsd"`
	Txns     map[string]struct {
		Buys int `json:"buys"`
	} `json:"txns"`
	Volume    map[string]number `json:"volume"`
	Liquidity *struct {
		USD number `json:"usd"`
	} `json:"liquidity"`
	FDV       number `json:"fdv"`
	MarketCap number `json:"marketCap"`
}

func (p dexPair) depth() float64 {
	if p.Liquidity == nil {
		return 0
	}
	return p.Liquidity.USD.value
}

func (c *Client) dexScreener(ctx context.Context, n Network, ref app.TokenRef) (app.Market, error) {
	var pairs []dexPair
	if err := c.get(ctx, dexName, c.cfg.DexScreenerURL+"/tokens/v1/"+n.DexScreener+"/"+ref.Address.Hex(), &pairs); err != nil {
		return app.Market{}, err
	}
	best := -1
	for i, p := range pairs {
		if strings.EqualFold(p.BaseToken.Address, ref.Address.Hex()) && p.PriceUSD.known && (best < 0 || p.depth() > pairs[best].depth()) {
			best = i
		}
	}
	if best < 0 {
		return app.Market{}, app.Errorf(app.NotFound, "%s knows no pair of %s.", dexName, ref.Address.Hex())
	}
	p := pairs[best]
	return app.Market{
		PriceUSD: p.PriceUSD.value, MarketCapUSD: p.MarketCap.or(p.FDV), LiquidityUSD: p.depth(), Volume24hUSD: p.Volume["h24"].value,
		Buyers24h: p.Txns["h24"].Buys, Pool: p.PairAddress, Source: "dexscreener", At: c.cfg.Now().UTC(),
	}, nil
}
