package chain

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

//go:embed contracts/TradeProbe.json
var probeJSON []byte

// probe is the code that buys and sells inside one eth_call. Nearly every node
// takes state overrides there; eth_simulateV1, which few have, is not needed.
type probe struct {
	ABI      abi.ABI       `json:"abi"`
	Deployed hexutil.Bytes `json:"deployed"`
}

// probeResult is TradeProbe.Result.
type probeResult struct {
	CanBuy, CanSell        bool
	Owed, Got, Sent, Taken *big.Int
}

func loadProbe() (probe, error) {
	var p probe
	if err := json.Unmarshal(probeJSON, &p); err != nil {
		return p, fmt.Errorf("read the trade probe: %w", err)
	}
	return p, nil
}

// SimulateTrade buys for a thousandth of the pool and sells what arrived,
// without sending anything. A tax is what was missing on arrival. It needs a
// quote that wraps the chain's coin; where it can't be tried, the answer is an
// error (unknown), never "can sell".
func (c *Client) SimulateTrade(ctx context.Context, ref app.TokenRef) (app.TradeSimulation, error) {
	conn, err := c.open(ctx, ref)
	if err != nil {
		return app.TradeSimulation{}, err
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return app.TradeSimulation{}, err
	}
	token := common.Address(ref.Address)
	p, err := c.findPool(ctx, conn, token, head)
	if err != nil {
		return app.TradeSimulation{}, err
	}
	if p == nil {
		return app.TradeSimulation{}, c.noPool(ref)
	}
	held, _, err := c.readPool(ctx, conn, p, head)
	if err != nil {
		return app.TradeSimulation{}, err
	}
	spend := new(big.Int).Div(held.quote, big.NewInt(1000))
	if spend.Sign() == 0 {
		return app.TradeSimulation{}, app.Errorf(app.NotFound, "The pool %s is empty, so no trade can be tried.", p.address.Hex())
	}
	r, err := c.runProbe(ctx, conn, p.address, token, spend, head)
	if err != nil {
		return app.TradeSimulation{}, err
	}
	return app.TradeSimulation{
		CanBuy: r.CanBuy, CanSell: r.CanSell, Block: uint64(head.Number),
		BuyTax: missing(r.Got, r.Owed), SellTax: missing(r.Taken, r.Sent),
	}, nil
}

// runProbe puts the probe's code and some coins at an address nobody has, for
// the length of one call.
func (c *Client) runProbe(ctx context.Context, conn *rpc.Client, pool, token common.Address, spend *big.Int, head block) (probeResult, error) {
	data, err := c.probe.ABI.Pack("probe", pool, token, common.Address(c.cfg.Quote), spend)
	if err != nil {
		return probeResult{}, fmt.Errorf("encode the trade probe: %w", err)
	}
	who := common.BytesToAddress(crypto.Keccak256([]byte("trade probe")))
	call := map[string]any{"from": who, "to": who, "data": hexutil.Bytes(data), "gas": hexutil.Uint64(5_000_000)}
	override := map[common.Address]any{who: map[string]any{
		"code": c.probe.Deployed, "balance": (*hexutil.Big)(new(big.Int).Mul(spend, big.NewInt(2))),
	}}
	var raw hexutil.Bytes
	if err := conn.CallContext(ctx, &raw, "eth_call", call, hex(uint64(head.Number)), override); err != nil {
		return probeResult{}, failed("try a trade", err)
	}
	out, err := c.probe.ABI.Unpack("probe", raw)
	if err != nil || len(out) != 1 {
		return probeResult{}, app.Errorf(app.Unavailable, "The RPC endpoint ignores state overrides, so no trade can be tried.")
	}
	return *abi.ConvertType(out[0], new(probeResult)).(*probeResult), nil
}

// missing is the share of sent that did not arrive.
func missing(arrived, sent *big.Int) float64 {
	if sent.Sign() <= 0 {
		return 0
	}
	return max(1-ratio(arrived, sent), 0)
}
