package marketsim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// widths are the candles that GeckoTerminal has, by timeframe and aggregate.
var widths = map[string]time.Duration{
	"day/1": 24 * time.Hour, "hour/1": time.Hour, "hour/4": 4 * time.Hour, "hour/12": 12 * time.Hour,
	"minute/1": time.Minute, "minute/5": 5 * time.Minute, "minute/15": 15 * time.Minute,
}

// geckoOHLCV answers rows of seconds, open, high, low, close, volume, newest
// first; a period without a trade has no row.
func (s *Server) geckoOHLCV(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	aggregate, limit := or(q.Get("aggregate"), 1), or(q.Get("limit"), 100)
	before := or(q.Get("before_timestamp"), int(s.opts.Now().Unix()))
	width, ok := widths[r.PathValue("timeframe")+"/"+strconv.Itoa(aggregate)]
	if !ok || limit < 1 || limit > 1000 {
		geckoError(w, http.StatusBadRequest, "Invalid timeframe, aggregate or limit")
		return
	}
	p, err := s.poolAt(r)
	if err != nil {
		geckoFail(w, err)
		return
	}
	trades, _, err := s.read(r.Context(), p)
	if err != nil {
		geckoFail(w, err)
		return
	}
	scale := s.opts.QuoteUSD
	if q.Get("currency") == "token" {
		scale = 1
	}
	rows := candles(trades, width, time.Unix(int64(before), 0), scale)
	writeJSON(w, http.StatusOK, map[string]any{
		"data": map[string]any{"id": "ohlcv", "type": "ohlcv_request_response", "attributes": map[string]any{"ohlcv_list": rows[:min(limit, len(rows))]}},
		"meta": map[string]any{"base": geckoMeta(p.base), "quote": geckoMeta(p.quote)},
	})
}

// candles sums the trades before an instant into rows, newest first.
func candles(trades []trade, width time.Duration, before time.Time, scale float64) [][6]float64 {
	rows := [][6]float64{}
	for _, p := range trades {
		if p.at.After(before) {
			break
		}
		start := float64(p.at.Truncate(width).Unix())
		if n := len(rows); n == 0 || rows[n-1][0] != start {
			open := p.before * scale
			rows = append(rows, [6]float64{start, open, open, open, open, 0})
		}
		row := &rows[len(rows)-1]
		price := p.after * scale
		row[2], row[3], row[4] = max(row[2], price), min(row[3], price), price
		row[5] += p.quote * scale
	}
	slices.Reverse(rows)
	return rows
}

func geckoMeta(t token) map[string]any {
	return map[string]any{"address": strings.ToLower(t.address.Hex()), "name": t.name, "symbol": t.symbol, "coingecko_coin_id": nil}
}

// or reads a number, or takes the default.
func or(text string, other int) int {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return other
}
