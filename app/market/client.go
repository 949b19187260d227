// Package market reads prices, volumes and charts from DexScreener and
// GeckoTerminal.
package market

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vivra/app"
)

// The public addresses of the two services.
const (
	DexScreenerURL   = "https://api.dexscreener.com"
	GeckoTerminalURL = "https://api.geckoterminal.com/api/v2"
)

// Network is what the two services call a chain.
type Network struct{ DexScreener, GeckoTerminal string }

// Networks are the chains that are known by default, by chain id. 1337 is the
// chain of the local world.
func Networks() map[int64]Network {
	return map[int64]Network{
		1:     {"ethereum", "eth"},
		56:    {"bsc", "bsc"},
		1337:  {"local", "local"},
		4663:  {"robinhood", "robinhood"},
		8453:  {"base", "base"},
		42161: {"arbitrum", "arbitrum"},
	}
}

// Config says where the services are. Only Now is required.
type Config struct {
	DexScreenerURL   string
	GeckoTerminalURL string
	Networks         map[int64]Network
	// HTTP is used for the calls, a client with a limit of 15 s by default.
	HTTP *http.Client
	Now  func() time.Time
}

// Client asks both services.
type Client struct {
	cfg Config
}

// New returns a client.
func New(cfg Config) *Client {
	if cfg.DexScreenerURL == "" {
		cfg.DexScreenerURL = DexScreenerURL
	}
	if cfg.GeckoTerminalURL == "" {
		cfg.GeckoTerminalURL = GeckoTerminalURL
	}
	if cfg.Networks == nil {
		cfg.Networks = Networks()
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Timeout: 15 * time.Second}
	}
	cfg.DexScreenerURL, cfg.GeckoTerminalURL = strings.TrimRight(cfg.DexScreenerURL, "/"), strings.TrimRight(cfg.GeckoTerminalURL, "/")
	return &Client{cfg: cfg}
}

func (c *Client) network(ref app.TokenRef) (Network, error) {
	n, ok := c.cfg.Networks[ref.ChainID]
	if !ok {
		return n, app.Errorf(app.NotFound, "No market data service is set up for chain %d.", ref.ChainID)
	}
	return n, nil
}

// Snapshot returns the state of the token's deepest pool, from DexScreener, or
// from GeckoTerminal when that has nothing or fails. DexScreener counts buys,
// not buyers: the distinct buyers are GeckoTerminal's where it answers.
func (c *Client) Snapshot(ctx context.Context, ref app.TokenRef) (app.Market, error) {
	n, err := c.network(ref)
	if err != nil {
		return app.Market{}, err
	}
	m, err := c.dexScreener(ctx, n, ref)
	if err == nil {
		if pool, poolErr := c.geckoPool(ctx, n, m.Pool); poolErr == nil {
			m.Buyers24h = pool.Attributes.Transactions["h24"].Buyers
		}
		return m, nil
	}
	if ctx.Err() != nil {
		return app.Market{}, fmt.Errorf("read market: %w", ctx.Err())
	}
	second, secondErr := c.geckoTerminal(ctx, n, ref)
	switch {
	case secondErr == nil:
		return second, nil
	case app.KindOf(err) == app.NotFound && app.KindOf(secondErr) == app.NotFound:
		return app.Market{}, app.Errorf(app.NotFound, "Neither DexScreener nor GeckoTerminal knows a market of %s.", ref.Address.Hex())
	}
	return app.Market{}, app.Errorf(app.Unavailable, "No market data: %v %v", err, secondErr)
}

// maxBody is how much of an answer is read; more is an error.
const maxBody = 4 << 20

// get reads JSON into v. Errors name the service, never the whole URL.
func (c *Client) get(ctx context.Context, service, address string, v any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("make a request to %s: %w", service, err)
	}
	req.Header.Set("User-Agent", "vivra/1.0")
	req.Header.Set("Accept", "application/json")
	if service == geckoName {
		req.Header.Set("Accept", "application/json;version=20230302")
	}
	res, err := c.cfg.HTTP.Do(req)
	if err != nil {
		return unreachable(service, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return unreachable(service, err)
	}
	return decode(service, res, body, v)
}

func decode(service string, res *http.Response, body []byte, v any) error {
	switch {
	case res.StatusCode == http.StatusNotFound:
		return app.Errorf(app.NotFound, "%s does not know it (404).", service)
	case res.StatusCode == http.StatusTooManyRequests:
		return app.Errorf(app.Unavailable, "%s is rate-limiting (429).", service)
	case res.StatusCode != http.StatusOK:
		return app.Errorf(app.Unavailable, "%s answered %d %s.", service, res.StatusCode, http.StatusText(res.StatusCode))
	case len(body) > maxBody:
		return app.Errorf(app.Unavailable, "%s answered more than %d bytes.", service, maxBody)
	case strings.HasPrefix(strings.TrimSpace(string(body[:min(len(body), 64)])), "<"):
		return app.Errorf(app.Unavailable, "%s answered a web page instead of data.", service)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return app.Errorf(app.Unavailable, "%s answered something unreadable: %v.", service, err)
	}
	return nil
}

func unreachable(service string, err error) error {
	var network *url.Error
	if errors.As(err, &network) {
		err = network.Err
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("ask %s: %w", service, err)
	}
	return app.Errorf(app.Unavailable, "%s could not be reached: %v.", service, err)
}
