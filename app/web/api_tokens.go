package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/views/ui"
)

// What programs may share of an answer about a token, and for how long.
const tokenSharedFor = "public, max-age=30, stale-while-revalidate=300"

const (
	// chartPoints is how many measurements a chart has at most: the newest.
	chartPoints = 1000
	// chartDays is the longest span of a chart.
	chartDays = 365
)

// madeAnswer says when something was read, how old that is, and where it is from.
type madeAnswer struct {
	At         string `json:"at"`
	AgeSeconds int64  `json:"age_seconds"`
	Source     string `json:"source"`
}

// marketAnswer is the market as it was last read.
type marketAnswer struct {
	PriceUSD     float64 `json:"price_usd"`
	MarketCapUSD float64 `json:"mcap_usd"`
	LiquidityUSD float64 `json:"liquidity_usd"`
	Volume24hUSD float64 `json:"volume_24h_usd"`
	// Holders is null when they have not been read.
	Holders *int `json:"holders"`
	madeAnswer
}

// chartAnswer are measurements, oldest first.
type chartAnswer struct {
	Points []pointAnswer `json:"points"`
	madeAnswer
}

type pointAnswer struct {
	At           string  `json:"at"`
	PriceUSD     float64 `json:"price_usd"`
	MarketCapUSD float64 `json:"mcap_usd"`
	LiquidityUSD float64 `json:"liquidity_usd"`
	Volume24hUSD float64 `json:"volume_24h_usd"`
	Holders      int     `json:"holders"`
}

// holdersAnswer is how a token is spread. Shares are of the circulating supply,
// 0 to 1; kind says who is a pool, a locker, a burn address or the deployer.
type holdersAnswer struct {
	Count      int            `json:"count"`
	NeverSold  int            `json:"never_sold"`
	Top10Share float64        `json:"top10_share"`
	Top        []holderAnswer `json:"top"`
	Block      uint64         `json:"block"`
	madeAnswer
}

type holderAnswer struct {
	Address string  `json:"address"`
	Share   float64 `json:"share"`
	Kind    string  `json:"kind"`
}

// burnedAnswer is what lies at burn addresses, in whole tokens. Share is null of
// a supply of nothing.
type burnedAnswer struct {
	Burned float64  `json:"burned"`
	Supply float64  `json:"supply"`
	Share  *float64 `json:"share"`
	Block  uint64   `json:"block"`
	madeAnswer
}

// onChain is the source of what was read there.
const onChain = "chain"

// GET /api/v1/tokens/:chain/:address/market is the last reading of the market.
func (s *Server) showTokenMarket(c echo.Context) error {
	market, at, err := tokenReading[app.Market](c, s.Store, app.ReadingMarket)
	if err != nil {
		return err
	}
	a := marketAnswer{PriceUSD: market.PriceUSD, MarketCapUSD: market.MarketCapUSD, LiquidityUSD: market.LiquidityUSD, Volume24hUSD: market.Volume24hUSD}
	holders, _, err := tokenReading[app.Holders](c, s.Store, app.ReadingHolders)
	switch {
	case err == nil:
		a.Holders = &holders.Count
	case app.KindOf(err) != app.NotFound:
		return err
	}
	a.madeAnswer = s.made(at, market.Source)
	return tokenAnswerOf(c, at, a)
}

// GET /api/v1/tokens/:chain/:address/chart are the measurements of the last days.
func (s *Server) showTokenChart(c echo.Context) error {
	ref, err := tokenRef(c)
	if err != nil {
		return err
	}
	days, err := wholeNumber(c, "days", chartDays, 1, chartDays)
	if err != nil {
		return err
	}
	measured, err := s.Store.MetricsOfToken(c.Request().Context(), ref, s.Now().AddDate(0, 0, -int(days)), chartPoints)
	if err != nil {
		return err
	}
	if len(measured) == 0 {
		return app.Errorf(app.NotFound, "Nothing was measured of this token in the last %s.", app.Count(int(days), "day", "days"))
	}
	a := chartAnswer{Points: make([]pointAnswer, len(measured))}
	for i, m := range measured {
		a.Points[i] = pointAnswer{utc(&m.At), m.PriceUSD, m.MarketCapUSD, m.LiquidityUSD, m.Volume24hUSD, m.Holders}
	}
	last := measured[len(measured)-1].At
	a.madeAnswer = s.made(last, "daily metrics")
	return tokenAnswerOf(c, last, a)
}

// GET /api/v1/tokens/:chain/:address/holders is who holds it, the largest first.
func (s *Server) showTokenHolders(c echo.Context) error {
	h, at, err := tokenReading[app.Holders](c, s.Store, app.ReadingHolders)
	if err != nil {
		return err
	}
	a := holdersAnswer{h.Count, h.NeverSold, h.Top10Share, make([]holderAnswer, len(h.Top)), h.Block, s.made(at, onChain)}
	for i, one := range h.Top {
		a.Top[i] = holderAnswer(one)
	}
	return tokenAnswerOf(c, at, a)
}

// GET /api/v1/tokens/:chain/:address/burned is how much is gone for ever.
func (s *Server) showTokenBurned(c echo.Context) error {
	f, at, err := tokenReading[app.TokenFacts](c, s.Store, app.ReadingFacts)
	if err != nil {
		return err
	}
	a := burnedAnswer{Burned: f.Burned, Supply: f.Supply, Block: f.Block, madeAnswer: s.made(at, onChain)}
	if f.Supply > 0 {
		share := f.Burned / f.Supply
		a.Share = &share
	}
	return tokenAnswerOf(c, at, a)
}

// tokenReading is what was last read of the token that an address names.
func tokenReading[T any](c echo.Context, store Reads, kind app.ReadingKind) (reading T, at time.Time, err error) {
	ref, err := tokenRef(c)
	if err != nil {
		return reading, at, err
	}
	raw, at, err := store.TokenReading(c.Request().Context(), ref, kind)
	if err != nil {
		return reading, at, err
	}
	if err := json.Unmarshal(raw, &reading); err != nil {
		return reading, at, fmt.Errorf("read a token's %s: %w", kind, err)
	}
	return reading, at, nil
}

func (s *Server) made(at time.Time, source string) madeAnswer {
	return madeAnswer{utc(&at), int64(max(s.Now().Sub(at), 0).Seconds()), source}
}

// tokenAnswerOf answers with what was read at an instant; its age alone makes it
// no other answer.
func tokenAnswerOf(c echo.Context, at time.Time, answer any) error {
	c.Response().Header().Set(echo.HeaderCacheControl, tokenSharedFor)
	if known(c, strconv.FormatInt(at.UnixMilli(), 10)) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSON(http.StatusOK, answer)
}

// tokenRef is the token that an address names, in any case; in mixed case as
// EIP-55 has it, so that a slip of the keyboard is no other token.
func tokenRef(c echo.Context) (app.TokenRef, error) {
	chain, err := strconv.ParseInt(c.Param("chain"), 10, 64)
	if err != nil || chain < 1 {
		return app.TokenRef{}, app.Errorf(app.Invalid, "%q is not a chain id.", c.Param("chain"))
	}
	text := c.Param("address")
	address, err := app.ParseAddress(text)
	if digits := strings.TrimPrefix(text, "0x"); err == nil && digits != strings.ToLower(digits) && digits != strings.ToUpper(digits) && text != ui.Checksum(address) {
		return app.TokenRef{}, app.Errorf(app.Invalid, "%q has a wrong checksum: a character is not as it was. Copy the address once more.", text)
	}
	return app.TokenRef{ChainID: chain, Address: address}, err
}
