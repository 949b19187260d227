package market

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"vivra/app"
)

const geckoName = "GeckoTerminal"

// geckoToken is the answer of GET /networks/{network}/tokens/{address}.
type geckoToken struct {
	Data struct {
		Attributes struct {
			PriceUSD     number `json:"price_usd"`
			FDVUSD       number `json:"fdv_usd"`
			MarketCapUSD number `json:"market_cap_usd"`
		} `json:"attributes"`
	} `json:"data"`
	Included []geckoPool `json:"included"`
}

// geckoPool is a pool, as an answer or among what is included.
type geckoPool struct {
	Type       string `json:"type"`
	Attributes struct {
		Address           string            `json:"address"` // 32 bytes for a Uniswap v4 pool
		BaseTokenPriceUSD number            `json:"base_token_price_usd"`
		ReserveInUSD      number            `json:"reserve_in_usd"`
		FDVUSD            number            `json:"fdv_usd"`
		MarketCapUSD      number            `json:"market_cap_usd"`
		VolumeUSD         map[string]number `json:"volume_usd"`
		Transactions      map[string]struct {
			Buyers int `json:"buyers"`
		} `json:"transactions"`
	} `json:"attributes"`
}

// geckoTerminal reads the token and its pools. The depth is the pool's: what
// the token itself says reads 0 for Uniswap v4.
func (c *Client) geckoTerminal(ctx context.Context, n Network, ref app.TokenRef) (app.Market, error) {
	t, err := c.geckoToken(ctx, n, ref)
	if err != nil {
		return app.Market{}, err
	}
	pools := slices.DeleteFunc(t.Included, func(p geckoPool) bool { return p.Type != "pool" })
	if len(pools) == 0 || !t.Data.Attributes.PriceUSD.known {
		return app.Market{}, app.Errorf(app.NotFound, "%s knows no pool of %s.", geckoName, ref.Address.Hex())
	}
	best := slices.MaxFunc(pools, func(a, b geckoPool) int {
		return cmp.Compare(a.Attributes.ReserveInUSD.value, b.Attributes.ReserveInUSD.value)
	}).Attributes
	about := t.Data.Attributes
	return app.Market{
		PriceUSD: about.PriceUSD.value, MarketCapUSD: about.MarketCapUSD.or(about.FDVUSD), LiquidityUSD: best.ReserveInUSD.value,
		Volume24hUSD: best.VolumeUSD["h24"].value, Buyers24h: best.Transactions["h24"].Buyers, Pool: best.Address,
		Source: "geckoterminal", At: c.cfg.Now().UTC(),
	}, nil
}

func (c *Client) geckoToken(ctx context.Context, n Network, ref app.TokenRef) (geckoToken, error) {
	var t geckoToken
	err := c.get(ctx, geckoName, c.gecko(n, "tokens", ref.Address.Hex())+"?include=top_pools", &t)
	return t, err
}

func (c *Client) geckoPool(ctx context.Context, n Network, pool string) (geckoPool, error) {
	var answer struct {
		Data geckoPool `json:"data"`
	}
	err := c.get(ctx, geckoName, c.gecko(n, "pools", pool), &answer)
	return answer.Data, err
}

func (c *Client) gecko(n Network, kind, id string) string {
	return c.cfg.GeckoTerminalURL + "/networks/" + url.PathEscape(n.GeckoTerminal) + "/" + kind + "/" + url.PathEscape(id)
}

// PriceUSD returns the price of one token, for a quote such as the wrapped
// coin, which has no pair of its own as the base.
func (c *Client) PriceUSD(ctx context.Context, ref app.TokenRef) (float64, error) {
	n, err := c.network(ref)
	if err != nil {
		return 0, err
	}
	t, err := c.geckoToken(ctx, n, ref)
	if err != nil {
		return 0, err
	}
	if !t.Data.Attributes.PriceUSD.known {
		return 0, app.Errorf(app.NotFound, "%s knows no price of %s.", geckoName, ref.Address.Hex())
	}
	return t.Data.Attributes.PriceUSD.value, nil
}

// frame is a width of candles that GeckoTerminal has.
type frame struct {
	name      string
	aggregate int
	width     time.Duration
}

// frameFor keeps a chart to a size that can be looked at.
func frameFor(days int) frame {
	switch {
	case days <= 2:
		return frame{"hour", 1, time.Hour}
	case days <= 7:
		return frame{"hour", 4, 4 * time.Hour}
	}
	return frame{"day", 1, 24 * time.Hour}
}

// Chart returns the candles of a pool in US dollars over the last days, oldest
// first: hourly up to 2 days, of 4 hours up to 7, daily beyond. An empty pool
// means the token's deepest one. Periods without trades have no candle.
func (c *Client) Chart(ctx context.Context, ref app.TokenRef, pool string, days int) ([]app.Candle, error) {
	if days < 1 || days > 365 {
		return nil, app.Errorf(app.Invalid, "A chart of %d days can't be read: it must be 1 to 365.", days)
	}
	n, err := c.network(ref)
	if err != nil {
		return nil, err
	}
	if pool == "" {
		m, err := c.Snapshot(ctx, ref)
		if err != nil {
			return nil, err
		}
		pool = m.Pool
	}
	return c.candles(ctx, n, pool, days)
}

func (c *Client) candles(ctx context.Context, n Network, pool string, days int) ([]app.Candle, error) {
	f, span := frameFor(days), time.Duration(days)*24*time.Hour
	now := c.cfg.Now().UTC()
	address := fmt.Sprintf("%s/ohlcv/%s?aggregate=%d&limit=%d&before_timestamp=%d&currency=usd&token=base",
		c.gecko(n, "pools", pool), f.name, f.aggregate, int(span/f.width), now.Unix())
	var answer struct {
		Data struct {
			Attributes struct {
				List [][]number `json:"ohlcv_list"` // seconds, open, high, low, close, volume; newest first
			} `json:"attributes"`
		} `json:"data"`
	}
	if err := c.get(ctx, geckoName, address, &answer); err != nil {
		return nil, err
	}
	candles := []app.Candle{}
	for _, row := range answer.Data.Attributes.List {
		if len(row) < 6 || !row[0].known {
			continue
		}
		candle := app.Candle{At: time.Unix(int64(row[0].value), 0).UTC(), Open: row[1].value, High: row[2].value,
			Low: row[3].value, Close: row[4].value, Volume: row[5].value}
		if candle.At.After(now.Add(-span - f.width)) {
			candles = append(candles, candle)
		}
	}
	slices.SortFunc(candles, func(a, b app.Candle) int { return a.At.Compare(b.At) })
	return candles, nil
}
