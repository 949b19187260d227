// Package chain reads tokens, their holders and their pools from an EVM chain
// by JSON-RPC. It sends no transactions and holds no keys.
package chain

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// Config says which chain is read and what is known about it. Only Now is
// required: without RPCURL every read says so. What is not known is reported as
// unknown, never as zero.
type Config struct {
	RPCURL string
	// ChainID refuses an endpoint of another chain; 0 takes the endpoint's.
	ChainID int64
	// Factories are exchanges of the Uniswap v2 kind, asked in order for the
	// pool of a token and Quote.
	Factories []app.Address
	// Quote is the wrapped coin that pools trade against.
	Quote app.Address
	// QuoteUSD returns the price of one Quote in US dollars.
	QuoteUSD func(context.Context) (float64, error)
	// Launchers are factories of the pons v1 kind, believed about who deployed
	// a token and who gets its fees.
	Launchers []app.Address
	// Lockers hold tokens and LP that nobody can move.
	Lockers []app.Address
	// FirstBlock is where the search for logs starts.
	FirstBlock uint64
	// MaxSpan is the most blocks asked for in one eth_getLogs, 2,000,000 by default.
	MaxSpan uint64
	Now     func() time.Time
	// HTTP is used for the calls, a client with a limit of 30 s by default.
	HTTP *http.Client
}

// Client reads one chain. It connects at the first use, so that a program can
// start while the endpoint is down.
type Client struct {
	cfg   Config
	abi   abi.ABI
	probe probe

	mu      sync.Mutex
	rpc     *rpc.Client
	chainID int64
	ledgers map[app.Address]*ledger
}

//go:embed reads.json
var readsJSON []byte

// New returns a client; it does not connect yet.
func New(cfg Config) (*Client, error) {
	if cfg.Now == nil {
		return nil, app.Errorf(app.Invalid, "A chain client needs a clock.")
	}
	if cfg.MaxSpan == 0 {
		cfg.MaxSpan = 2_000_000
	}
	if cfg.HTTP == nil {
		cfg.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	reads, err := abi.JSON(bytes.NewReader(readsJSON))
	if err != nil {
		return nil, fmt.Errorf("read the ABI of tokens and pools: %w", err)
	}
	p, err := loadProbe()
	if err != nil {
		return nil, err
	}
	return &Client{cfg: cfg, abi: reads, probe: p, ledgers: map[app.Address]*ledger{}}, nil
}

// ChainID returns the id of the chain that the endpoint serves.
func (c *Client) ChainID(ctx context.Context) (int64, error) {
	if _, err := c.connect(ctx); err != nil {
		return 0, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.chainID, nil
}

// connect returns the connection, checked once to be to the right chain.
func (c *Client) connect(ctx context.Context) (*rpc.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rpc != nil {
		return c.rpc, nil
	}
	if c.cfg.RPCURL == "" {
		return nil, app.Errorf(app.Unavailable, "No chain is set up here: RPC_URL is missing.")
	}
	conn, err := rpc.DialOptions(ctx, c.cfg.RPCURL, rpc.WithHTTPClient(c.cfg.HTTP))
	if err != nil {
		return nil, failed("connect", err)
	}
	var id hexutil.Uint64
	if err := conn.CallContext(ctx, &id, "eth_chainId"); err != nil {
		conn.Close()
		return nil, failed("read the chain id", err)
	}
	if c.cfg.ChainID != 0 && int64(id) != c.cfg.ChainID {
		conn.Close()
		return nil, app.Errorf(app.Unavailable, "The RPC endpoint serves chain %d, not chain %d.", id, c.cfg.ChainID)
	}
	c.rpc, c.chainID = conn, int64(id)
	return conn, nil
}

// open connects and refuses a token of another chain.
func (c *Client) open(ctx context.Context, ref app.TokenRef) (*rpc.Client, error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	if ref.ChainID != c.chainID {
		return nil, app.Errorf(app.Invalid, "The token is on chain %d, but chain %d is set up here.", ref.ChainID, c.chainID)
	}
	return conn, nil
}

// block is what is needed of a block's header.
type block struct {
	Number hexutil.Uint64 `json:"number"`
	Hash   common.Hash    `json:"hash"`
	Time   hexutil.Uint64 `json:"timestamp"`
}

// blockAt reads a header by number or by name; nil when there is none.
func blockAt(ctx context.Context, conn *rpc.Client, at string) (*block, error) {
	var raw json.RawMessage
	if err := conn.CallContext(ctx, &raw, "eth_getBlockByNumber", at, false); err != nil {
		return nil, failed("read block "+at, err)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var b block
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, failed("read block "+at, err)
	}
	return &b, nil
}

func headOf(ctx context.Context, conn *rpc.Client) (block, error) {
	b, err := blockAt(ctx, conn, "latest")
	if err != nil {
		return block{}, err
	}
	if b == nil {
		return block{}, app.Errorf(app.Unavailable, "The RPC endpoint has no newest block.")
	}
	return *b, nil
}

// hex is the number as JSON-RPC wants it.
func hex(number uint64) string { return hexutil.EncodeUint64(number) }

func eth(conn *rpc.Client) *ethclient.Client { return ethclient.NewClient(conn) }
