package marketsim

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/ethereum/go-ethereum/common"
)

// dexTokens answers a bare list of pairs, empty for tokens without one.
func (s *Server) dexTokens(w http.ResponseWriter, r *http.Request) {
	list := strings.Split(r.PathValue("addresses"), ",")
	if len(list) > 30 {
		writeJSON(w, http.StatusBadRequest, map[string]any{"error": "too many addresses"})
		return
	}
	pairs := []any{}
	for _, text := range list {
		if r.PathValue("network") != s.opts.Network || !common.IsHexAddress(text) {
			continue
		}
		p, err := s.poolOf(r.Context(), common.HexToAddress(text))
		if errors.Is(err, errUnknown) {
			continue
		}
		if err == nil {
			err = s.addDexPair(r.Context(), &pairs, p)
		}
		if err != nil {
			writeJSON(w, http.StatusBadGateway, map[string]any{"error": err.Error()})
			return
		}
	}
	writeJSON(w, http.StatusOK, pairs)
}

func (s *Server) dexPair(w http.ResponseWriter, r *http.Request) {
	pairs, text := []any{}, r.PathValue("pair")
	if r.PathValue("network") == s.opts.Network && common.IsHexAddress(text) {
		p, err := s.readPool(r.Context(), common.HexToAddress(text))
		if err == nil {
			err = s.addDexPair(r.Context(), &pairs, p)
		}
		if err != nil && !errors.Is(err, errUnknown) {
			writeJSON(w, http.StatusBadGateway, map[string]any{"error": err.Error()})
			return
		}
	}
	answer := map[string]any{"schemaVersion": "1.0.0", "pairs": nil, "pair": nil}
	if len(pairs) > 0 {
		answer["pairs"], answer["pair"] = pairs, pairs[0]
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) addDexPair(ctx context.Context, pairs *[]any, p pool) error {
	trades, created, err := s.read(ctx, p)
	if err != nil {
		return err
	}
	txns, volume, change := map[string]any{}, map[string]float64{}, map[string]float64{}
	for _, name := range []string{"m5", "h1", "h6", "h24"} {
		sum := window(trades, s.opts.Now(), spans[name])
		txns[name] = map[string]int{"buys": sum.buys, "sells": sum.sells}
		volume[name] = sum.volume * s.opts.QuoteUSD
		if sum.change != 0 {
			change[name] = sum.change
		}
	}
	usd := p.price() * s.opts.QuoteUSD
	pair := map[string]any{
		"chainId": s.opts.Network, "dexId": "local", "url": "", "pairAddress": p.address.Hex(), "labels": []string{"v2"},
		"baseToken": dexToken(p.base), "quoteToken": dexToken(p.quote),
		"priceNative": decimal(p.price()), "priceUsd": decimal(usd), "txns": txns, "volume": volume, "priceChange": change,
		"liquidity": map[string]float64{"usd": 2 * p.reserve * s.opts.QuoteUSD, "base": p.reserveBase, "quote": p.reserve},
		"fdv":       usd * p.base.supply, "marketCap": usd * p.base.supply, "pairCreatedAt": created.UnixMilli(),
	}
	if len(s.opts.Poison) > 0 {
		about := strings.Join(s.opts.Poison, "\n")
		pair["labels"] = s.opts.Poison
		pair["info"] = map[string]any{"description": about, "header": about, "websites": []any{map[string]string{"label": about, "url": "https://dodo-claim.example.net"}},
			"socials": []any{map[string]string{"platform": "telegram", "handle": about}}}
	}
	*pairs = append(*pairs, pair)
	return nil
}

func dexToken(t token) map[string]string {
	return map[string]string{"address": t.address.Hex(), "name": t.name, "symbol": t.symbol}
}

// decimal writes a price as the services do: a string without an exponent.
func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
