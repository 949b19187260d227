package market_test

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/market"
	"vivra/app/rehearsal/chainsim"
	"vivra/app/rehearsal/marketsim"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

type world struct {
	chain  *chainsim.Server
	sim    *marketsim.Server
	client *market.Client
}

func open(t *testing.T) world {
	t.Helper()
	c, err := chainsim.New(chainsim.Options{Seed: 7, Start: start})
	fatal(t, err)
	t.Cleanup(func() { _ = c.Close() })
	sim, err := marketsim.New(marketsim.Options{RPCURL: c.URL(), Factory: c.Factory(), Quote: c.Quote(), QuoteUSD: c.QuoteUSD(), Now: c.Now})
	fatal(t, err)
	t.Cleanup(sim.Close)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	return world{c, sim, market.New(market.Config{
		DexScreenerURL: server.URL + "/dexscreener", GeckoTerminalURL: server.URL + "/geckoterminal", Now: c.Now,
	})}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }

// What the market services say is what the chain says.
func TestSnapshotAgreesWithTheChain(t *testing.T) {
	t.Parallel()
	w := open(t)
	reader, err := chain.New(chain.Config{
		RPCURL: w.chain.URL(), Factories: []app.Address{w.chain.Factory()}, Quote: w.chain.Quote(), Now: w.chain.Now,
		QuoteUSD: func(ctx context.Context) (float64, error) {
			return w.client.PriceUSD(ctx, app.TokenRef{ChainID: chainsim.ChainID, Address: w.chain.Quote()})
		},
	})
	fatal(t, err)
	for _, at := range []time.Time{start, start.Add(6 * day)} {
		fatal(t, w.chain.Advance(at))
		got, err := w.client.Snapshot(t.Context(), w.chain.Ref())
		fatal(t, err)
		liquidity, err := reader.Liquidity(t.Context(), w.chain.Ref())
		fatal(t, err)
		trades, err := reader.Transactions(t.Context(), w.chain.Ref(), 1)
		fatal(t, err)
		if got.Source != "dexscreener" || !near(got.LiquidityUSD, liquidity.USD) || !strings.EqualFold(got.Pool, liquidity.Pool) ||
			!near(got.Volume24hUSD, trades.VolumeUSD) || got.Buyers24h != trades.Buyers || !got.At.Equal(at) {
			t.Errorf("at %s the market says %+v, the chain %+v and %+v", at, got, liquidity, trades)
		}
		if supply := 960e6; got.MarketCapUSD > got.PriceUSD*supply*1.000001 || got.MarketCapUSD < got.PriceUSD*supply*0.9 {
			t.Errorf("market cap $%f at a price of $%f", got.MarketCapUSD, got.PriceUSD)
		}
	}
}

func TestSecondSource(t *testing.T) {
	t.Parallel()
	w := open(t)
	fatal(t, w.chain.Advance(start.Add(5*day)))
	first, err := w.client.Snapshot(t.Context(), w.chain.Ref())
	fatal(t, err)
	for name, f := range map[string]marketsim.Fault{
		"error":      {Service: "dexscreener", Status: 500},
		"rate limit": {Service: "dexscreener", Status: 429},
		"web page":   {Service: "dexscreener", Status: 200},
		"closed":     {Service: "dexscreener", Close: true, Times: 2},
	} {
		w.sim.Fail(f)
		got, err := w.client.Snapshot(t.Context(), w.chain.Ref())
		if err != nil || got.Source != "geckoterminal" || !near(got.PriceUSD, first.PriceUSD) || !near(got.LiquidityUSD, first.LiquidityUSD) ||
			!near(got.Volume24hUSD, first.Volume24hUSD) || got.Buyers24h != first.Buyers24h {
			t.Errorf("%s: got %+v (%v), DexScreener said %+v", name, got, err, first)
		}
		w.sim.Fail(marketsim.Fault{Service: "none"})
	}
}

func TestNoMarketData(t *testing.T) {
	t.Parallel()
	w := open(t)
	nobody := app.TokenRef{ChainID: chainsim.ChainID, Address: w.chain.EOA()}
	tests := map[string]struct {
		ref   app.TokenRef
		fault marketsim.Fault
		kind  app.Kind
		want  string
	}{
		"unknown token": {nobody, marketsim.Fault{Service: "none"}, app.NotFound, "Neither"},
		"unknown chain": {app.TokenRef{ChainID: 5}, marketsim.Fault{Service: "none"}, app.NotFound, "chain 5"},
		"both down":     {w.chain.Ref(), marketsim.Fault{Times: 2, Status: 503}, app.Unavailable, "503 Service Unavailable"},
		"both pages":    {w.chain.Ref(), marketsim.Fault{Times: 2, Status: 200}, app.Unavailable, "a web page"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w.sim.Fail(tt.fault)
			_, err := w.client.Snapshot(t.Context(), tt.ref)
			if app.KindOf(err) != tt.kind || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestChart(t *testing.T) {
	t.Parallel()
	w := open(t)
	fatal(t, w.chain.Advance(start.Add(7*day)))
	snapshot, err := w.client.Snapshot(t.Context(), w.chain.Ref())
	fatal(t, err)
	for days, width := range map[int]time.Duration{1: time.Hour, 7: 4 * time.Hour, 30: day, 90: day} {
		candles, err := w.client.Chart(t.Context(), w.chain.Ref(), "", days)
		fatal(t, err)
		if len(candles) == 0 || len(candles) > days*24 {
			t.Fatalf("%d candles over %d days", len(candles), days)
		}
		for i, c := range candles {
			if !c.At.Equal(c.At.Truncate(width)) || i > 0 && !c.At.After(candles[i-1].At) || c.Low > min(c.Open, c.Close) || c.High < max(c.Open, c.Close) || c.Volume <= 0 {
				t.Errorf("%d days: candle %d is %+v", days, i, c)
			}
		}
		if last := candles[len(candles)-1]; !near(last.Close, snapshot.PriceUSD) {
			t.Errorf("%d days: the last candle closes at %g, the price is %g", days, last.Close, snapshot.PriceUSD)
		}
	}
	dead, err := w.client.Chart(t.Context(), w.chain.Ref(), snapshot.Pool, 90)
	fatal(t, err)
	if gap := dead[len(dead)-7].At.Sub(dead[0].At); gap < 40*day {
		t.Errorf("the chart of 90 days begins %s before the takeover: it should show the first life", gap)
	}
	if _, err := w.client.Chart(t.Context(), w.chain.Ref(), "", 0); app.KindOf(err) != app.Invalid {
		t.Errorf("a chart of 0 days: %v", err)
	}
}

// Odd answers that the services have given: what is unusable is unknown, and
// the rest still counts.
func TestTolerantDecoding(t *testing.T) {
	t.Parallel()
	ref := app.TokenRef{ChainID: 4663, Address: app.Address{0x39, 0xdb}}
	const poolID = "0x8bceaa40b9acdfaedf85adf4ff01f5ad6517937f8bceaa40b9acdfaedf85adf4"
	tests := map[string]struct {
		body string
		want app.Market
	}{
		"v4 pool id, fdv only, nulls": {
			`[{"pairAddress":"` + poolID + `","baseToken":{"address":"` + strings.ToUpper(ref.Address.Hex()[2:]) + `"}},
			{"pairAddress":"` + poolID + `","baseToken":{"address":"` + ref.Address.Hex() + `"},"priceUsd":"0.002","marketCap":null,"fdv":2000,"liquidity":null,"volume":{},"new":{"field":1}}]`,
			app.Market{PriceUSD: 0.002, MarketCapUSD: 2000, Pool: poolID},
		},
		"deepest pair, other bases ignored": {
			`[{"pairAddress":"0x1","baseToken":{"address":"0x00"},"priceUsd":"9","liquidity":{"usd":1e9}},
			{"pairAddress":"0x2","baseToken":{"address":"` + ref.Address.Hex() + `"},"priceUsd":"1","liquidity":{"usd":10}},
			{"pairAddress":"0x3","baseToken":{"address":"` + ref.Address.Hex() + `"},"priceUsd":1.5,"liquidity":{"usd":"20"},"volume":{"h24":"7"},"txns":{"h24":{"buys":3}}}]`,
			app.Market{PriceUSD: 1.5, LiquidityUSD: 20, Volume24hUSD: 7, Buyers24h: 3, Pool: "0x3"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("User-Agent") == "" || strings.Contains(r.URL.Path, "/networks/") {
					http.NotFound(w, r)
					return
				}
				_, _ = w.Write([]byte(tt.body))
			}))
			defer server.Close()
			c := market.New(market.Config{DexScreenerURL: server.URL, GeckoTerminalURL: server.URL, Now: func() time.Time { return start }})
			got, err := c.Snapshot(t.Context(), ref)
			tt.want.Source, tt.want.At = "dexscreener", start
			if err != nil || got != tt.want {
				t.Errorf("got %+v (%v), want %+v", got, err, tt.want)
			}
		})
	}
}

func TestTooLargeAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("[" + strings.Repeat(" ", 5<<20) + "]"))
	}))
	defer server.Close()
	c := market.New(market.Config{DexScreenerURL: server.URL, GeckoTerminalURL: server.URL, Now: func() time.Time { return start }})
	_, err := c.Snapshot(t.Context(), app.TokenRef{ChainID: 1})
	if app.KindOf(err) != app.Unavailable || !strings.Contains(err.Error(), "more than") {
		t.Errorf("got %v", err)
	}
}
