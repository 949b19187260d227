package chain

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// pool is where a token trades against the quote.
type pool struct {
	address common.Address
	token0  bool // the token is the pair's token0
}

// findPool asks each exchange in order; nil when none has a pool.
func (c *Client) findPool(ctx context.Context, conn *rpc.Client, token common.Address, head block) (*pool, error) {
	if c.cfg.Quote.IsZero() {
		return nil, nil
	}
	asked := make([]*read, len(c.cfg.Factories))
	for i, f := range c.cfg.Factories {
		asked[i] = ask(common.Address(f), "getPair", token, common.Address(c.cfg.Quote))
	}
	if err := c.readAll(ctx, conn, uint64(head.Number), asked...); err != nil {
		return nil, err
	}
	for _, r := range asked {
		pair := r.address()
		if pair == (common.Address{}) {
			continue
		}
		first := ask(pair, "token0")
		if err := c.readAll(ctx, conn, uint64(head.Number), first); err != nil {
			return nil, err
		}
		if first.err == nil {
			return &pool{address: pair, token0: first.address() == token}, nil
		}
	}
	return nil, nil
}

// noPool says why nothing is known of a token's market.
func (c *Client) noPool(ref app.TokenRef) error {
	if len(c.cfg.Factories) == 0 || c.cfg.Quote.IsZero() {
		return app.Errorf(app.NotFound, "No exchange is set up for chain %d, so the liquidity and trades of %s are unknown.", ref.ChainID, Checksum(ref.Address))
	}
	return app.Errorf(app.NotFound, "No exchange that is set up has a pool of %s, so its liquidity and trades are unknown.", Checksum(ref.Address))
}

// reserves are what stands in a pool.
type reserves struct{ token, quote *big.Int }

func (p *pool) reserves(r *read) (reserves, bool) {
	first, second := r.number(0), r.number(1)
	if first == nil || second == nil {
		return reserves{}, false
	}
	if p.token0 {
		return reserves{first, second}, true
	}
	return reserves{second, first}, true
}

// Liquidity reads the token's pool: twice the value of its quote side, and the
// share of the LP that stands at burn addresses or in a locker. Unknown
// liquidity is an app.NotFound, never zero.
func (c *Client) Liquidity(ctx context.Context, ref app.TokenRef) (app.Liquidity, error) {
	conn, err := c.open(ctx, ref)
	if err != nil {
		return app.Liquidity{}, err
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return app.Liquidity{}, err
	}
	p, err := c.findPool(ctx, conn, common.Address(ref.Address), head)
	if err != nil {
		return app.Liquidity{}, err
	}
	if p == nil {
		return app.Liquidity{}, c.noPool(ref)
	}
	held, lp, err := c.readPool(ctx, conn, p, head)
	if err != nil {
		return app.Liquidity{}, err
	}
	coins, err := c.quoteWhole(ctx, conn, held.quote, head)
	if err != nil {
		return app.Liquidity{}, err
	}
	price, err := c.quoteUSD(ctx)
	if err != nil {
		return app.Liquidity{}, err
	}
	return app.Liquidity{Pool: p.address.Hex(), USD: 2 * coins * price, LockedShare: lp, Block: uint64(head.Number)}, nil
}

// readPool returns the reserves and the share of the LP that is locked or burned.
func (c *Client) readPool(ctx context.Context, conn *rpc.Client, p *pool, head block) (reserves, float64, error) {
	held, supply := ask(p.address, "getReserves"), ask(p.address, "totalSupply")
	reads := []*read{held, supply}
	for _, a := range c.locked() {
		reads = append(reads, ask(p.address, "balanceOf", a))
	}
	if err := c.readAll(ctx, conn, uint64(head.Number), reads...); err != nil {
		return reserves{}, 0, err
	}
	stands, ok := p.reserves(held)
	if !ok || supply.number(0) == nil {
		return reserves{}, 0, app.Errorf(app.NotFound, "The pool %s gives no usable answer, so the liquidity is unknown.", p.address.Hex())
	}
	fixed := new(big.Int)
	for _, r := range reads[2:] {
		fixed = sum(fixed, r.number(0))
	}
	return stands, ratio(fixed, supply.number(0)), nil
}

// locked are the accounts that can move nothing: burn addresses and lockers.
func (c *Client) locked() []common.Address {
	all := append([]common.Address{}, burnAddresses[:]...)
	for _, a := range append(append([]app.Address{}, c.cfg.Lockers...), c.cfg.Launchers...) {
		all = append(all, common.Address(a))
	}
	return all
}

// quoteWhole turns an amount of the quote into whole coins.
func (c *Client) quoteWhole(ctx context.Context, conn *rpc.Client, amount *big.Int, head block) (float64, error) {
	decimals := ask(common.Address(c.cfg.Quote), "decimals")
	if err := c.readAll(ctx, conn, uint64(head.Number), decimals); err != nil {
		return 0, err
	}
	if decimals.err != nil {
		return 0, app.Errorf(app.NotFound, "The quote %s gives no usable decimals(), so the liquidity is unknown.", Checksum(c.cfg.Quote))
	}
	return whole(amount, int(decimals.out[0].(uint8))), nil
}

func (c *Client) quoteUSD(ctx context.Context) (float64, error) {
	if c.cfg.QuoteUSD == nil {
		return 0, app.Errorf(app.NotFound, "No price of %s is set up, so values in dollars are unknown.", Checksum(c.cfg.Quote))
	}
	return c.cfg.QuoteUSD(ctx)
}
