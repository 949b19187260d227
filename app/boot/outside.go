package boot

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/images"
	"vivra/app/market"
)

// ChainConfig is what is known of a chain.
type ChainConfig struct {
	ChainID   int64       `json:"chain_id"`
	Name      string      `json:"name"`      // for people
	Network   string      `json:"network"`   // what market data calls it
	Factories Addresses   `json:"factories"` // exchanges of the Uniswap v2 kind
	Launchers Addresses   `json:"launchers"` // launchpads that are believed about who deployed a token
	Quote     app.Address `json:"-"`         // the wrapped coin that pools trade against
	// QuoteUSD fixes the price of the chain's coin; 0 asks the market.
	QuoteUSD float64 `json:"quote_usd"`
}

// Addresses are written as hex.
type Addresses []app.Address

type chainJSON struct {
	ChainConfig
	Factories []string `json:"factories"`
	Launchers []string `json:"launchers"`
	Quote     string   `json:"quote"`
}

// Encode writes the config as VIVRA_CHAIN takes it.
func (c ChainConfig) Encode() (string, error) {
	b, err := json.Marshal(chainJSON{c, c.Factories.hex(), c.Launchers.hex(), c.Quote.Hex()})
	return string(b), err
}

func (a Addresses) hex() []string {
	out := make([]string, len(a))
	for i, each := range a {
		out[i] = each.Hex()
	}
	return out
}

// ParseChain reads what Encode writes. Its errors say what a text is not.
func ParseChain(text string) (ChainConfig, error) {
	var in chainJSON
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return ChainConfig{}, fmt.Errorf("not the JSON of a chain: %w", err)
	}
	if dec.More() {
		return ChainConfig{}, errors.New("not the JSON of one chain: more comes behind it")
	}
	c := in.ChainConfig
	var err error
	if c.Factories, err = parseAddresses(in.Factories); err != nil {
		return c, fmt.Errorf("not the JSON of a chain: factories: %w", err)
	}
	if c.Launchers, err = parseAddresses(in.Launchers); err != nil {
		return c, fmt.Errorf("not the JSON of a chain: launchers: %w", err)
	}
	if in.Quote == "" {
		return c, nil
	}
	if c.Quote, err = chain.ParseAddress(in.Quote); err != nil {
		return c, fmt.Errorf("not the JSON of a chain: quote: %w", err)
	}
	return c, nil
}

func parseAddresses(texts []string) (Addresses, error) {
	out := make(Addresses, len(texts))
	var err error
	for i, text := range texts {
		if out[i], err = chain.ParseAddress(text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// RobinhoodChain is what the program knows by itself: the addresses of the
// exchange, the wrapped coin and the launchpads that stand there.
func RobinhoodChain() ChainConfig {
	return ChainConfig{
		ChainID: 4663, Name: "Robinhood Chain", Network: "robinhood",
		Factories: Addresses{address("0x8bceaa40b9acdfaedf85adf4ff01f5ad6517937f")},
		Launchers: Addresses{address("0xA5aAb3F0c6EeadF30Ef1D3Eb997108E976351feB"), address("0x0c37a24F5D23A486FA692d1500881d698B1F77a4")},
		Quote:     address("0x0Bd7D308f8E1639FAb988df18A8011f41EAcAD73"),
	}
}

func address(text string) app.Address {
	a, err := chain.ParseAddress(text)
	if err != nil {
		panic(err) // a mistyped constant
	}
	return a
}

// networks is what market data services call the chains, this one included.
func (c ChainConfig) networks() map[int64]market.Network {
	all := market.Networks()
	if c.Network != "" {
		all[c.ChainID] = market.Network{DexScreener: c.Network, GeckoTerminal: c.Network}
	}
	return all
}

func (a *App) outside(ctx context.Context) (outside, error) {
	cfg := a.Config
	var out outside
	var err error
	if out.chain, out.market, err = cfg.onChain(); err != nil {
		return out, err
	}
	out.images = images.New(images.Config{BaseURL: cfg.ImageBaseURL, Key: cfg.ImageAPIKey, Model: ImageModel})
	return out, nil
}

// onChain are the clients that read a token and its market.
func (c Config) onChain() (*chain.Client, *market.Client, error) {
	prices := market.New(market.Config{DexScreenerURL: c.DexscreenerBaseURL, GeckoTerminalURL: c.GeckoterminalBaseURL, Networks: c.Chain.networks(), Now: c.Clock.Now})
	tokens, err := chain.New(chain.Config{RPCURL: c.RPCURL, ChainID: c.Chain.ChainID, Factories: c.Chain.Factories, Quote: c.Chain.Quote,
		Launchers: c.Chain.Launchers, QuoteUSD: c.Chain.quoteUSD(prices), Now: c.Clock.Now})
	return tokens, prices, err
}

func (c ChainConfig) quoteUSD(m *market.Client) func(context.Context) (float64, error) {
	return func(ctx context.Context) (float64, error) {
		if c.QuoteUSD > 0 {
			return c.QuoteUSD, nil
		}
		return m.PriceUSD(ctx, app.TokenRef{ChainID: c.ChainID, Address: c.Quote})
	}
}

// FirstInvite makes the link that creates the first account, empty when there
// is an admin who can sign in.
func (a *App) FirstInvite(ctx context.Context) (string, error) {
	some, err := a.Store.HasAdmin(ctx)
	if err != nil || some {
		return "", err
	}
	return a.Invite(ctx)
}

// Invite makes the token of a link that creates one admin account, once.
func (a *App) Invite(ctx context.Context) (string, error) {
	var raw [24]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", fmt.Errorf("make invite: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(raw[:])
	now, lasts := a.Config.Clock.Now().UTC(), 48*time.Hour
	if a.Config.Pace > 1 { // whoever opens it lives by the wall clock
		lasts = time.Duration(float64(lasts) * a.Config.Pace)
	}
	return token, a.Store.CreateInvite(ctx, token, app.RoleAdmin, app.User{Name: "start"}, now.Add(lasts), now)
}
