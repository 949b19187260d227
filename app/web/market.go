package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"vivra/app"
)

// marketAnswer is what the widgets of relaunched sites read.
type marketAnswer struct {
	PriceUSD     float64 `json:"price_usd"`
	MarketCapUSD float64 `json:"mcap_usd"`
	LiquidityUSD float64 `json:"liquidity_usd"`
	Volume24hUSD float64 `json:"volume_24h_usd"`
	Holders      int     `json:"holders"`
	At           string  `json:"at"`
	AgeSeconds   int64   `json:"age_seconds"`
	Source       string  `json:"source"`
}

// GET /api/v1/tokens/:chain/:address/market is the last measurement, open to any site.
func (s *Server) showTokenMarket(c echo.Context) error {
	open(c)
	ref, err := tokenRef(c)
	if err != nil {
		return err
	}
	m, source, err := s.Store.LatestMetrics(c.Request().Context(), ref)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=30")
	if known(c, strconv.FormatInt(m.At.UnixMilli(), 10)) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSON(http.StatusOK, marketAnswer{
		m.PriceUSD, m.MarketCapUSD, m.LiquidityUSD, m.Volume24hUSD, m.Holders,
		m.At.UTC().Format("2006-01-02T15:04:05Z"), int64(max(s.Now().Sub(m.At), 0).Seconds()), source,
	})
}

func tokenRef(c echo.Context) (app.TokenRef, error) {
	chain, err := strconv.ParseInt(c.Param("chain"), 10, 64)
	if err != nil {
		return app.TokenRef{}, app.Errorf(app.Invalid, "%q is not a chain id.", c.Param("chain"))
	}
	address, err := app.ParseAddress(c.Param("address"))
	return app.TokenRef{ChainID: chain, Address: address}, err
}
