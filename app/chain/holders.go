package chain

import (
	"bytes"
	"cmp"
	"context"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// origin is who made a token and who gets its fees, and the launchpad that says
// so; zero when unknown.
type origin struct{ deployer, feeRecipient, launchpad common.Address }

// Holders adds up the token's transfers. Shares are of the circulating supply:
// what stands neither at a burn address, nor in the pool, nor in a locker.
func (c *Client) Holders(ctx context.Context, ref app.TokenRef) (app.Holders, error) {
	l, conn, err := c.ledgerOf(ctx, ref)
	if err != nil {
		return app.Holders{}, err
	}
	defer l.mu.Unlock()
	from, err := c.originOf(ctx, conn, l, common.Address(ref.Address))
	if err != nil {
		return app.Holders{}, err
	}
	supply := ask(common.Address(ref.Address), "totalSupply")
	if err := c.readAll(ctx, conn, uint64(l.tip.Number), supply); err != nil {
		return app.Holders{}, err
	}
	if supply.number(0) == nil {
		return app.Holders{}, app.Errorf(app.Invalid, "%s is no ERC-20 token: totalSupply() gives no usable answer.", Checksum(ref.Address))
	}
	return l.holders(supply.number(0), c.locked(), from), nil
}

type holding struct {
	who   common.Address
	value *big.Int
}

func (l *ledger) holders(supply *big.Int, locked []common.Address, from origin) app.Holders {
	const shown, top = 20, 10
	circulating, all := l.circulation(supply, locked)
	h := app.Holders{Count: len(all), Top: []app.Holder{}, Block: uint64(l.tip.Number)}
	for i, one := range all {
		if !l.sold[one.who] {
			h.NeverSold++
		}
		share := ratio(one.value, circulating)
		kind := "holder"
		if one.who == from.deployer || one.who == from.feeRecipient {
			kind = "deployer"
			h.DeployerShare += share
		}
		if i < top {
			h.Top10Share += share
		}
		if i < shown {
			h.Top = append(h.Top, app.Holder{Address: one.who.Hex(), Share: share, Kind: kind})
		}
	}
	return h
}

// circulation returns the circulating supply and who holds it, largest first.
func (l *ledger) circulation(supply *big.Int, locked []common.Address) (*big.Int, []holding) {
	if l.pool != nil {
		locked = append(locked, l.pool.address)
	}
	circulating, out := new(big.Int).Set(supply), map[common.Address]bool{}
	for _, a := range locked {
		if b := l.balances[a]; b != nil && !out[a] && a != (common.Address{}) {
			circulating.Sub(circulating, b)
		}
		out[a] = true
	}
	var all []holding
	for who, value := range l.balances {
		if value.Sign() > 0 && !out[who] {
			all = append(all, holding{who, value})
		}
	}
	slices.SortFunc(all, func(a, b holding) int {
		return cmp.Or(b.value.Cmp(a.value), bytes.Compare(a.who[:], b.who[:]))
	})
	return circulating, all
}

// origin returns who made the token.
func (c *Client) origin(ctx context.Context, ref app.TokenRef) (origin, error) {
	l, conn, err := c.ledgerOf(ctx, ref)
	if err != nil {
		return origin{}, err
	}
	defer l.mu.Unlock()
	return c.originOf(ctx, conn, l, common.Address(ref.Address))
}

// originOf believes the launchers that are set up; a token of another origin
// was made by whoever sent the transaction that made its first tokens.
func (c *Client) originOf(ctx context.Context, conn *rpc.Client, l *ledger, token common.Address) (origin, error) {
	if l.origin != nil {
		return *l.origin, nil
	}
	from, err := c.launched(ctx, conn, token, uint64(l.tip.Number))
	if err != nil {
		return origin{}, err
	}
	if from.deployer == (common.Address{}) && l.firstTx != (common.Hash{}) {
		if from.deployer, err = senderOf(ctx, conn, l.firstTx); err != nil {
			return origin{}, err
		}
	}
	l.origin = &from
	return from, nil
}

// launched asks the launchers about a token.
func (c *Client) launched(ctx context.Context, conn *rpc.Client, token common.Address, at uint64) (origin, error) {
	for _, a := range c.cfg.Launchers {
		record, locker := ask(common.Address(a), "getLaunchedToken", token), ask(common.Address(a), "locker")
		if err := c.readAll(ctx, conn, at, record, locker); err != nil {
			return origin{}, err
		}
		known, ok := launchOf(record)
		if !ok || !known.Exists {
			continue
		}
		fees := ask(locker.address(), "feeRedirects", token)
		if err := c.readAll(ctx, conn, at, fees); err != nil {
			return origin{}, err
		}
		return origin{deployer: known.Deployer, feeRecipient: fees.address(), launchpad: common.Address(a)}, nil
	}
	return origin{}, nil
}

func senderOf(ctx context.Context, conn *rpc.Client, hash common.Hash) (common.Address, error) {
	var tx *struct {
		From common.Address `json:"from"`
	}
	if err := conn.CallContext(ctx, &tx, "eth_getTransactionByHash", hash); err != nil {
		return common.Address{}, failed("read the first transaction", err)
	}
	if tx == nil {
		return common.Address{}, nil
	}
	return tx.From, nil
}
