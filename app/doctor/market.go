package doctor

import (
	"context"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/market"
)

// DexScreener looks at the first source of prices; quote is the wrapped coin
// of the chain.
func DexScreener(wall clockwork.Clock, cfg market.Config, quote app.TokenRef) Check {
	s := newService(wall, "DexScreener", "DEXSCREENER_BASE_URL", "")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		if err := market.New(cfg).CheckDexScreener(ctx, quote); err != nil {
			return s.market(err)
		}
		return s.ok("lists pairs of %s", cfg.Networks[quote.ChainID].DexScreener)
	})
}

// GeckoTerminal looks at the second source of prices, the only one of charts
// and of what the chain's coin is worth. fixed is the price that VIVRA_CHAIN
// gives the coin, 0 when it is asked here.
func GeckoTerminal(wall clockwork.Clock, cfg market.Config, quote app.TokenRef, fixed float64) Check {
	s := newService(wall, "GeckoTerminal", "GECKOTERMINAL_BASE_URL", "")
	cfg.HTTP = s.client()
	return one(s.name, func(ctx context.Context) Finding {
		network := cfg.Networks[quote.ChainID].GeckoTerminal
		price, err := market.New(cfg).PriceUSD(ctx, quote)
		switch {
		case err == nil:
			return s.ok("%s, whose coin is worth $%.2f", network, price)
		case app.KindOf(err) != app.NotFound || s.seen().host == "":
			return s.market(err)
		case !s.seen().json:
			return s.broken("", "%s knows no such address (404): check %s.", s.seen().host, s.address)
		case fixed > 0:
			return s.ok("%s; the coin's price is fixed in VIVRA_CHAIN", network)
		}
		return s.warning("", "It knows no price of the coin of network %q, so nothing there can be told in dollars: check network and quote in VIVRA_CHAIN.", network)
	})
}

// market tells a chain that no service is set up for from a service that fails.
func (s service) market(err error) Finding {
	if s.seen().host == "" && app.KindOf(err) == app.NotFound {
		return broken(s.name, "", "%s: give VIVRA_CHAIN a network.", sentence(err))
	}
	return s.failed(err)
}
