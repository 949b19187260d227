// Package marketsim plays DexScreener and GeckoTerminal for the local world.
// Its numbers are read from the chain's pools; it makes none up.
package marketsim

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/ethclient"

	"vivra/app"
)

// Options say which chain is shown. All but Network are required.
type Options struct {
	RPCURL   string
	Factory  app.Address // where pools are found, of the Uniswap v2 kind
	Quote    app.Address // the wrapped coin
	QuoteUSD float64     // the price of the chain's coin
	Now      func() time.Time
	// Network is what both services call the chain, "local" by default.
	Network string
	// Poison stands wherever the services repeat what a project says of itself:
	// names, labels, descriptions and links.
	Poison []string
}

// Server answers under /dexscreener and /geckoterminal.
type Server struct {
	opts   Options
	abi    abi.ABI
	client *ethclient.Client
	mux    *http.ServeMux

	mu    sync.Mutex
	tapes map[common.Address]*tape
	fault *Fault
	asked []string
}

//go:embed abi.json
var abiJSON []byte

// New returns the server; it talks to the chain when it is asked.
func New(opts Options) (*Server, error) {
	if opts.Network == "" {
		opts.Network = "local"
	}
	reads, err := abi.JSON(bytes.NewReader(abiJSON))
	if err != nil {
		return nil, fmt.Errorf("read the ABI of pools: %w", err)
	}
	client, err := ethclient.Dial(opts.RPCURL)
	if err != nil {
		return nil, fmt.Errorf("reach the local chain: %w", err)
	}
	s := &Server{opts: opts, abi: reads, client: client, mux: http.NewServeMux(), tapes: map[common.Address]*tape{}}
	s.mux.HandleFunc("GET /dexscreener/tokens/v1/{network}/{addresses}", s.dexTokens)
	s.mux.HandleFunc("GET /dexscreener/token-pairs/v1/{network}/{addresses}", s.dexTokens)
	s.mux.HandleFunc("GET /dexscreener/latest/dex/pairs/{network}/{pair}", s.dexPair)
	s.mux.HandleFunc("GET /geckoterminal/networks/{network}/tokens/{address}", s.geckoToken)
	s.mux.HandleFunc("GET /geckoterminal/networks/{network}/pools/{pool}", s.geckoPool)
	s.mux.HandleFunc("GET /geckoterminal/networks/{network}/pools/{pool}/ohlcv/{timeframe}", s.geckoOHLCV)
	return s, nil
}

// ServeHTTP answers as the services do, or fails as it was told to.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := s.noted(r); f != nil {
		f.play(w)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// Asked returns the path of every request so far.
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.asked...)
}

// Close drops the connection to the chain.
func (s *Server) Close() { s.client.Close() }

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that went away is its own business
}
