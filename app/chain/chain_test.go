package chain_test

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/rehearsal/chainsim"
	"vivra/app/scoring"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

func world(t *testing.T, o chainsim.Options) *chainsim.Server {
	t.Helper()
	o.Start, o.Seed = start, 7
	sim, err := chainsim.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return sim
}

// config is that of the local world, read through url.
func config(sim *chainsim.Server, url string) chain.Config {
	return chain.Config{
		RPCURL: url, ChainID: chainsim.ChainID, Factories: []app.Address{sim.Factory()}, Quote: sim.Quote(),
		QuoteUSD:  func(context.Context) (float64, error) { return sim.QuoteUSD(), nil },
		Launchers: []app.Address{sim.Launcher()}, Now: sim.Now,
	}
}

func client(t *testing.T, cfg chain.Config) *chain.Client {
	t.Helper()
	c, err := chain.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// readings reads everything there is to know of a token.
func readings(t *testing.T, c *chain.Client, ref app.TokenRef) scoring.Readings {
	t.Helper()
	ctx := t.Context()
	token, err := c.Token(ctx, ref)
	fatal(t, err)
	holders, err := c.Holders(ctx, ref)
	fatal(t, err)
	liquidity, err := c.Liquidity(ctx, ref)
	fatal(t, err)
	week, err := c.Transactions(ctx, ref, 7)
	fatal(t, err)
	life, err := c.Transactions(ctx, ref, 90)
	fatal(t, err)
	trade, err := c.SimulateTrade(ctx, ref)
	fatal(t, err)
	return scoring.Readings{Token: &token, Holders: &holders, Liquidity: &liquidity, Week: &week, Life: &life, Trade: &trade}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestDeadButHealthyToken(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	r := readings(t, client(t, config(sim, sim.URL())), sim.Ref())

	if r.Token.Symbol != "MOTH" || r.Token.Decimals != 18 || r.Token.Supply != 1e9 || r.Token.Burned != 40e6 || r.Token.Owner != "" {
		t.Errorf("token: %+v", r.Token)
	}
	if r.Token.Deployer != chain.Checksum(sim.Deployer()) {
		t.Errorf("deployer %s, want %s", r.Token.Deployer, chain.Checksum(sim.Deployer()))
	}
	if r.Holders.Count < 140 || r.Holders.Count > 160 || r.Holders.NeverSold >= r.Holders.Count || len(r.Holders.Top) != 20 {
		t.Errorf("holders: %+v", r.Holders)
	}
	if r.Week.Trades != 0 || r.Life.Trades != 60 || start.Sub(*r.Life.LastTradeAt) != 40*day {
		t.Errorf("trades: week %+v, life %+v", r.Week, r.Life)
	}
	for _, c := range scoring.PreCheck(scoring.FactsAt(r, start), scoring.DefaultThresholds()) {
		if c.Status != scoring.Pass {
			t.Errorf("check %s is %s: %s", c.ID, c.Status, c.Value)
		}
	}
	if dead, known := scoring.Dead(scoring.FactsAt(r, start), scoring.DefaultThresholds()); !dead || !known {
		t.Errorf("dead = %v, known = %v", dead, known)
	}
}

// TestLaunch: the launchpad that has a token is named; without one only the
// deployer is known.
func TestLaunch(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	got, err := client(t, config(sim, sim.URL())).Launch(t.Context(), sim.Ref())
	fatal(t, err)
	if got.Launchpad != chain.Checksum(sim.Launcher()) || got.Deployer != chain.Checksum(sim.Deployer()) || got.Block == 0 {
		t.Errorf("launched: %+v", got)
	}
	cfg := config(sim, sim.URL())
	cfg.Launchers = nil
	got, err = client(t, cfg).Launch(t.Context(), sim.Ref())
	fatal(t, err)
	if got.Launchpad != "" || got.FeeRecipient != "" || got.Deployer != chain.Checksum(sim.Deployer()) {
		t.Errorf("without a launchpad: %+v", got)
	}
}

func TestDeployerBagBlocks(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{DeployerShare: 0.06})
	r := readings(t, client(t, config(sim, sim.URL())), sim.Ref())
	checks := scoring.PreCheck(scoring.FactsAt(r, start), scoring.DefaultThresholds())
	if got := strings.Join(scoring.Blocking(checks), " "); got != "deployer_share" {
		t.Errorf("blocking %q, deployer holds %.3f", got, r.Holders.DeployerShare)
	}
}

func TestRevivedOnTheSeventhDay(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	c := client(t, config(sim, sim.URL()))
	before := readings(t, c, sim.Ref())
	var volumes []float64
	for d := 1; d <= 7; d++ {
		fatal(t, sim.Advance(start.Add(time.Duration(d)*day)))
		one, err := c.Transactions(t.Context(), sim.Ref(), 1)
		fatal(t, err)
		volumes = append(volumes, one.VolumeUSD)
	}
	after := readings(t, c, sim.Ref())
	verdict, criteria := scoring.Verdict(reading(before, 0), reading(after, (volumes[4]+volumes[5]+volumes[6])/3), scoring.DefaultThresholds())
	if verdict != scoring.Revived {
		t.Errorf("verdict %s: %+v", verdict, criteria)
	}
	for _, one := range criteria {
		if !one.Met {
			t.Errorf("criterion not met: %+v", one)
		}
	}
}

// reading takes the price from the pool: with a burned LP, the market cap goes
// with the square of the liquidity.
func reading(r scoring.Readings, volume float64) scoring.Reading {
	mcap := r.Liquidity.USD * r.Liquidity.USD
	return scoring.Reading{Holders: &r.Holders.Count, MeanVolumeUSD: &volume, MarketCapUSD: &mcap,
		LiquidityUSD: &r.Liquidity.USD, Buyers: &r.Week.Buyers}
}

func TestHostileTokens(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	c := client(t, config(sim, sim.URL()))
	tests := map[string]struct {
		make      chainsim.Hostile
		want      app.TradeSimulation
		dangerous string
	}{
		"taxes":     {chainsim.Hostile{BuyTax: 400, SellTax: 1200}, app.TradeSimulation{CanBuy: true, CanSell: true, BuyTax: 0.04, SellTax: 0.12}, "mint pause blacklist set_fee"},
		"honeypot":  {chainsim.Hostile{SellTax: 10000}, app.TradeSimulation{CanBuy: true}, "mint pause blacklist set_fee"},
		"renounced": {chainsim.Hostile{Renounced: true}, app.TradeSimulation{CanBuy: true, CanSell: true}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			at, err := sim.DeployHostile(tt.make)
			fatal(t, err)
			ref := app.TokenRef{ChainID: chainsim.ChainID, Address: at}
			got, err := c.SimulateTrade(t.Context(), ref)
			fatal(t, err)
			if got.CanBuy != tt.want.CanBuy || got.CanSell != tt.want.CanSell || math.Abs(got.BuyTax-tt.want.BuyTax) > 1e-9 ||
				tt.want.CanSell && math.Abs(got.SellTax-tt.want.SellTax) > 1e-9 {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			token, err := c.Token(t.Context(), ref)
			fatal(t, err)
			if got := strings.Join(token.Dangerous, " "); got != tt.dangerous {
				t.Errorf("dangerous %q, want %q", got, tt.dangerous)
			}
			if (token.Owner == "") != tt.make.Renounced {
				t.Errorf("owner %q", token.Owner)
			}
			liquidity, err := c.Liquidity(t.Context(), ref)
			fatal(t, err)
			if liquidity.USD != 6000 || liquidity.LockedShare > 0.001 {
				t.Errorf("liquidity %+v, want $6,000 and nothing locked", liquidity)
			}
		})
	}
}

func TestNoToken(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	c := client(t, config(sim, sim.URL()))
	counter, err := sim.DeployCounter()
	fatal(t, err)
	tests := map[string]struct {
		at   app.Address
		want string
	}{
		"account":  {sim.EOA(), "plain account without code"},
		"contract": {counter, "totalSupply() gives no usable answer"},
		"exchange": {sim.Factory(), "totalSupply() gives no usable answer"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := c.Token(t.Context(), app.TokenRef{ChainID: chainsim.ChainID, Address: tt.at})
			if app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// counting passes calls on and counts those that ask for logs.
func counting(t *testing.T, sim *chainsim.Server, refuse func(body string) bool) (*httptest.Server, *atomic.Int64) {
	var logs atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := readBody(r)
		if strings.Contains(body, "eth_getLogs") {
			logs.Add(1)
			if refuse != nil && refuse(body) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":` + requestID(body) + `,"error":{"code":-32005,"message":"logs matched by query exceeds limit"}}`))
				return
			}
		}
		sim.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy, &logs
}

func TestScanIsIncremental(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	proxy, logs := counting(t, sim, nil)
	c := client(t, config(sim, proxy.URL))
	first, err := c.Holders(t.Context(), sim.Ref())
	fatal(t, err)
	for range 5 {
		_, err := c.Transactions(t.Context(), sim.Ref(), 7)
		fatal(t, err)
	}
	if n := logs.Load(); n != 1 {
		t.Errorf("%d log calls for one head, want 1", n)
	}
	fatal(t, sim.Buy(0.02))
	second, err := c.Holders(t.Context(), sim.Ref())
	fatal(t, err)
	if second.Count != first.Count+1 || logs.Load() != 2 {
		t.Errorf("%d holders after %d, %d log calls", second.Count, first.Count, logs.Load())
	}
	fatal(t, sim.Rewind(1))
	third, err := c.Holders(t.Context(), sim.Ref())
	fatal(t, err)
	if third.Count != first.Count || third.Block != first.Block {
		t.Errorf("after the chain took the block back: %+v, want %+v", third, first)
	}
}

func TestScanHalvesRanges(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	whole, err := client(t, config(sim, sim.URL())).Holders(t.Context(), sim.Ref())
	fatal(t, err)
	proxy, logs := counting(t, sim, func(body string) bool { return spanOf(body) > 8 })
	got, err := client(t, config(sim, proxy.URL)).Holders(t.Context(), sim.Ref())
	fatal(t, err)
	if got.Count != whole.Count || got.NeverSold != whole.NeverSold || logs.Load() < 8 {
		t.Errorf("got %+v in %d calls, want %+v", got, logs.Load(), whole)
	}
	never, _ := counting(t, sim, func(string) bool { return true })
	_, err = client(t, config(sim, never.URL)).Holders(t.Context(), sim.Ref())
	if app.KindOf(err) != app.Unavailable {
		t.Errorf("a node that refuses every range: %v", err)
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	c := client(t, chain.Config{RPCURL: sim.URL(), Now: sim.Now})
	for name, call := range map[string]func() error{
		"liquidity": func() error { _, err := c.Liquidity(t.Context(), sim.Ref()); return err },
		"trades":    func() error { _, err := c.Transactions(t.Context(), sim.Ref(), 7); return err },
		"simulate":  func() error { _, err := c.SimulateTrade(t.Context(), sim.Ref()); return err },
	} {
		if err := call(); app.KindOf(err) != app.NotFound {
			t.Errorf("%s without an exchange: %v, want not_found", name, err)
		}
	}
	token, err := c.Token(t.Context(), sim.Ref())
	fatal(t, err)
	if token.Deployer != chain.Checksum(sim.Deployer()) {
		t.Errorf("deployer %s without a launcher, want the sender of the first transaction", token.Deployer)
	}
	burned, err := c.Burned(t.Context(), sim.Ref())
	if err != nil || burned != 40e6 {
		t.Errorf("burned %v, %v", burned, err)
	}
}

func TestEndpointFails(t *testing.T) {
	t.Parallel()
	sim := world(t, chainsim.Options{})
	other := config(sim, sim.URL())
	other.ChainID = 4663
	tests := map[string]struct {
		fault chainsim.Fault
		cfg   chain.Config
		want  string
	}{
		"web page":      {chainsim.Fault{Status: 502}, config(sim, sim.URL()), "502 Bad Gateway"},
		"rate limit":    {chainsim.Fault{Status: 429}, config(sim, sim.URL()), "429 Too Many Requests"},
		"closed":        {chainsim.Fault{Close: true}, config(sim, sim.URL()), "could not be reached"},
		"down":          {chainsim.Fault{}, config(sim, "http://127.0.0.1:1/v2/secret-key"), "could not be reached"},
		"another chain": {chainsim.Fault{}, other, "serves chain 1337, not chain 4663"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if tt.fault != (chainsim.Fault{}) {
				sim.Fail(tt.fault)
			}
			_, err := client(t, tt.cfg).Token(t.Context(), sim.Ref())
			if app.KindOf(err) != app.Unavailable || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestWithoutAnEndpoint: a program starts without a chain and says so when one
// is needed.
func TestWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	c := client(t, chain.Config{Now: time.Now})
	_, err := c.Token(t.Context(), app.TokenRef{ChainID: 1})
	if app.KindOf(err) != app.Unavailable || !strings.Contains(err.Error(), "RPC_URL is missing") {
		t.Errorf("got %v", err)
	}
}
