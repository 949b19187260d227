package chain

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// Transactions sums the trades of the last days. The first and last trade and
// the deployer's last doing are those of the token's whole life. Volume is
// valued at today's price of the quote.
func (c *Client) Transactions(ctx context.Context, ref app.TokenRef, days int) (app.Transactions, error) {
	if days < 1 {
		return app.Transactions{}, app.Errorf(app.Invalid, "%d days is no window: it must be at least 1.", days)
	}
	l, conn, err := c.ledgerOf(ctx, ref)
	if err != nil {
		return app.Transactions{}, err
	}
	defer l.mu.Unlock()
	if l.pool == nil {
		return app.Transactions{}, c.noPool(ref)
	}
	t, quote := l.window(days, c.cfg.Now())
	if t.VolumeUSD, err = c.valued(ctx, conn, quote, l.tip); err != nil {
		return app.Transactions{}, err
	}
	from, err := c.originOf(ctx, conn, l, common.Address(ref.Address))
	if err != nil {
		return app.Transactions{}, err
	}
	t.DeployerLastAt, err = l.lastOf(ctx, conn, from)
	return t, err
}

// window sums the trades of the days before now, and returns their volume in the quote.
func (l *ledger) window(days int, now time.Time) (app.Transactions, *big.Int) {
	t := app.Transactions{Days: days, Block: uint64(l.tip.Number)}
	since := now.Add(-time.Duration(days) * 24 * time.Hour).Unix()
	quote, buyers := new(big.Int), map[common.Address]bool{}
	for _, one := range l.trades {
		if int64(one.at) <= since {
			continue
		}
		t.Trades++
		quote.Add(quote, one.quote)
		if one.buys {
			buyers[one.who] = true
		}
	}
	t.Buyers = len(buyers)
	if n := len(l.trades); n > 0 {
		t.FirstTradeAt, t.LastTradeAt = instant(l.trades[0].at), instant(l.trades[n-1].at)
	}
	return t, quote
}

func (c *Client) valued(ctx context.Context, conn *rpc.Client, quote *big.Int, head block) (float64, error) {
	if quote.Sign() == 0 {
		return 0, nil
	}
	coins, err := c.quoteWhole(ctx, conn, quote, head)
	if err != nil {
		return 0, err
	}
	price, err := c.quoteUSD(ctx)
	return coins * price, err
}

// lastOf returns when the deployer or the fee recipient last sent or bought
// tokens, nil when neither ever did.
func (l *ledger) lastOf(ctx context.Context, conn *rpc.Client, from origin) (*time.Time, error) {
	last := l.active[from.deployer]
	if fees := l.active[from.feeRecipient]; fees.block > last.block {
		last = fees
	}
	if last == (moment{}) {
		return nil, nil
	}
	if last.at == 0 {
		b, err := blockAt(ctx, conn, hex(last.block))
		if err != nil || b == nil {
			return nil, err
		}
		last.at = uint64(b.Time)
	}
	return instant(last.at), nil
}

func instant(unix uint64) *time.Time {
	t := time.Unix(int64(unix), 0).UTC()
	return &t
}
