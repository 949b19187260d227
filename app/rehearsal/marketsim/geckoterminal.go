package marketsim

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"
)

// geckoError answers in the shape of JSON:API.
func geckoError(w http.ResponseWriter, status int, title string) {
	writeJSON(w, status, map[string]any{"errors": []any{map[string]string{"status": strconv.Itoa(status), "title": title}}})
}

// geckoFail answers 404 for what the chain does not have.
func geckoFail(w http.ResponseWriter, err error) {
	if errors.Is(err, errUnknown) {
		geckoError(w, http.StatusNotFound, "Not Found")
		return
	}
	geckoError(w, http.StatusBadGateway, err.Error())
}

// address reads a path value of the right network.
func (s *Server) address(r *http.Request, key string) (common.Address, error) {
	text := r.PathValue(key)
	if r.PathValue("network") != s.opts.Network || !common.IsHexAddress(text) {
		return common.Address{}, errUnknown
	}
	return common.HexToAddress(text), nil
}

func (s *Server) geckoToken(w http.ResponseWriter, r *http.Request) {
	address, err := s.address(r, "address")
	if err != nil {
		geckoFail(w, err)
		return
	}
	if address == common.Address(s.opts.Quote) {
		s.geckoQuote(w, r)
		return
	}
	p, err := s.poolOf(r.Context(), address)
	if err != nil {
		geckoFail(w, err)
		return
	}
	shown, err := s.geckoPoolData(r.Context(), p)
	if err != nil {
		geckoFail(w, err)
		return
	}
	answer := map[string]any{"data": s.geckoTokenData(p.base, p.price()*s.opts.QuoteUSD)}
	if strings.Contains(r.URL.Query().Get("include"), "top_pools") {
		answer["included"] = []any{shown}
	}
	writeJSON(w, http.StatusOK, answer)
}

// geckoQuote shows the wrapped coin, which has a price and no pool of its own.
func (s *Server) geckoQuote(w http.ResponseWriter, r *http.Request) {
	t, err := s.readToken(r.Context(), common.Address(s.opts.Quote))
	if err != nil {
		geckoFail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": s.geckoTokenData(t, s.opts.QuoteUSD)})
}

func (s *Server) geckoTokenData(t token, usd float64) map[string]any {
	address := strings.ToLower(t.address.Hex())
	return map[string]any{"id": s.opts.Network + "_" + address, "type": "token", "attributes": map[string]any{
		"address": address, "name": t.name, "symbol": t.symbol, "decimals": t.decimals, "image_url": nil, "coingecko_coin_id": nil,
		"normalized_total_supply": decimal(t.supply), "price_usd": decimal(usd), "fdv_usd": decimal(usd * t.supply), "market_cap_usd": nil,
	}}
}

func (s *Server) geckoPool(w http.ResponseWriter, r *http.Request) {
	p, err := s.poolAt(r)
	if err != nil {
		geckoFail(w, err)
		return
	}
	shown, err := s.geckoPoolData(r.Context(), p)
	if err != nil {
		geckoFail(w, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"data": shown})
}

func (s *Server) poolAt(r *http.Request) (pool, error) {
	address, err := s.address(r, "pool")
	if err != nil {
		return pool{}, err
	}
	return s.readPool(r.Context(), address)
}

func (s *Server) geckoPoolData(ctx context.Context, p pool) (map[string]any, error) {
	trades, created, err := s.read(ctx, p)
	if err != nil {
		return nil, err
	}
	volume, change, txns := map[string]string{}, map[string]string{}, map[string]any{}
	for name, d := range spans {
		sum := window(trades, s.opts.Now(), d)
		volume[name], change[name] = decimal(sum.volume*s.opts.QuoteUSD), strconv.FormatFloat(sum.change, 'f', 2, 64)
		txns[name] = map[string]int{"buys": sum.buys, "sells": sum.sells, "buyers": sum.buyers, "sellers": sum.sellers}
	}
	usd, address := p.price()*s.opts.QuoteUSD, strings.ToLower(p.address.Hex())
	return map[string]any{"id": s.opts.Network + "_" + address, "type": "pool", "attributes": map[string]any{
		"address": address, "name": p.base.symbol + " / " + p.quote.symbol + strings.Join(s.opts.Poison, " "), "pool_created_at": created.Format(time.RFC3339),
		"base_token_price_usd": decimal(usd), "base_token_price_quote_token": decimal(p.price()), "base_token_price_native_currency": decimal(p.price()),
		"quote_token_price_usd": decimal(s.opts.QuoteUSD), "reserve_in_usd": decimal(2 * p.reserve * s.opts.QuoteUSD),
		"fdv_usd": decimal(usd * p.base.supply), "market_cap_usd": nil, "volume_usd": volume, "price_change_percentage": change, "transactions": txns,
	}}, nil
}
