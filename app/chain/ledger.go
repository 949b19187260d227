package chain

import (
	"context"
	"math/big"
	"sync"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"vivra/app"
)

// ledger is what the logs of one token and its pool add up to. It is kept
// between calls and only the new blocks are read.
type ledger struct {
	mu   sync.Mutex
	next uint64 // first block not yet read
	tip  block  // head when all was read; zero while a scan is unfinished
	pool *pool

	balances map[common.Address]*big.Int
	sold     map[common.Address]bool
	active   map[common.Address]moment // last time tokens were sent or bought
	firstTx  common.Hash               // made the first tokens
	trades   []trade
	origin   *origin

	inbound   []common.Address // who sent tokens to the pool in inboundTx
	inboundTx common.Hash
}

// moment is a block and its time (unix seconds, 0 while unknown).
type moment struct{ block, at uint64 }

// trade is one swap, seen from the token.
type trade struct {
	moment
	buys  bool
	who   common.Address
	quote *big.Int
}

// maxLedgers bounds the memory: one token can take some megabytes.
const maxLedgers = 64

// ledgerOf returns the token's ledger, locked and read up to the head.
func (c *Client) ledgerOf(ctx context.Context, ref app.TokenRef) (*ledger, *rpc.Client, error) {
	conn, err := c.open(ctx, ref)
	if err != nil {
		return nil, nil, err
	}
	l := c.keep(ref.Address)
	l.mu.Lock()
	if err := c.refresh(ctx, conn, l, common.Address(ref.Address)); err != nil {
		l.mu.Unlock()
		return nil, nil, err
	}
	return l, conn, nil
}

func (c *Client) keep(token app.Address) *ledger {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.ledgers[token]; ok {
		return l
	}
	for other := range c.ledgers {
		if len(c.ledgers) < maxLedgers {
			break
		}
		delete(c.ledgers, other)
	}
	l := &ledger{}
	l.reset(c.cfg.FirstBlock, nil)
	c.ledgers[token] = l
	return l
}

func (l *ledger) reset(first uint64, p *pool) {
	l.next, l.tip, l.pool = first, block{}, p
	l.balances, l.sold, l.active = map[common.Address]*big.Int{}, map[common.Address]bool{}, map[common.Address]moment{}
	l.firstTx, l.trades, l.origin, l.inbound = common.Hash{}, nil, nil, nil
}

// refresh reads what is new, or everything again when the chain took back a
// block that was read or the token got its pool since.
func (c *Client) refresh(ctx context.Context, conn *rpc.Client, l *ledger, token common.Address) error {
	head, err := headOf(ctx, conn)
	if err != nil {
		return err
	}
	if l.tip.Hash != (common.Hash{}) && l.tip.Hash == head.Hash {
		return nil
	}
	stale, err := l.stale(ctx, conn, head)
	if err != nil {
		return err
	}
	p := l.pool
	if stale || p == nil {
		if p, err = c.findPool(ctx, conn, token, head); err != nil {
			return err
		}
	}
	if stale || p != l.pool {
		l.reset(c.cfg.FirstBlock, p)
	}
	if err := c.scan(ctx, conn, l, token, uint64(head.Number)); err != nil {
		return err
	}
	l.tip = head
	return nil
}

// stale tells whether the chain no longer holds what was read last.
func (l *ledger) stale(ctx context.Context, conn *rpc.Client, head block) (bool, error) {
	if l.next > uint64(head.Number)+1 {
		return true, nil
	}
	if l.tip.Hash == (common.Hash{}) {
		return false, nil
	}
	now, err := blockAt(ctx, conn, hex(uint64(l.tip.Number)))
	if err != nil {
		return false, err
	}
	return now == nil || now.Hash != l.tip.Hash, nil
}

// scan reads logs up to the head in ranges that shrink by half whenever the
// node refuses one (what it caps differs, and so does what it says) and grow
// again after.
func (c *Client) scan(ctx context.Context, conn *rpc.Client, l *ledger, token common.Address, head uint64) error {
	l.tip = block{}
	for span := c.cfg.MaxSpan; l.next <= head; {
		to := min(head, l.next+span-1)
		logs, err := c.logs(ctx, conn, l, token, l.next, to)
		switch {
		case err == nil:
			span = min(2*span, c.cfg.MaxSpan)
		case span > 1 && ctx.Err() == nil && refusedByNode(err):
			span = max(min(span, to-l.next+1)/2, 1)
			continue
		default:
			return failed("read transfers and trades", err)
		}
		if err := dateTrades(ctx, conn, logs); err != nil {
			return err
		}
		for i := range logs {
			c.apply(l, token, &logs[i])
		}
		l.next = to + 1
	}
	return nil
}

func (c *Client) logs(ctx context.Context, conn *rpc.Client, l *ledger, token common.Address, from, to uint64) ([]types.Log, error) {
	q := ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(from), ToBlock: new(big.Int).SetUint64(to),
		Addresses: []common.Address{token},
		Topics:    [][]common.Hash{{c.abi.Events["Transfer"].ID, c.abi.Events["Swap"].ID}},
	}
	if l.pool != nil {
		q.Addresses = append(q.Addresses, l.pool.address)
	}
	return eth(conn).FilterLogs(ctx, q)
}

// dateTrades fills in the times that the node left out of its logs.
func dateTrades(ctx context.Context, conn *rpc.Client, logs []types.Log) error {
	const batch = 100
	missing := map[uint64]*block{}
	for _, log := range logs {
		if log.BlockTimestamp == 0 && len(log.Data) == 4*32 {
			missing[log.BlockNumber] = &block{}
		}
	}
	var elems []rpc.BatchElem
	for number, b := range missing {
		elems = append(elems, rpc.BatchElem{Method: "eth_getBlockByNumber", Args: []any{hexutil.EncodeUint64(number), false}, Result: b})
	}
	for len(elems) > 0 {
		n := min(batch, len(elems))
		if err := conn.BatchCallContext(ctx, elems[:n]); err != nil {
			return failed("read block times", err)
		}
		for _, e := range elems[:n] {
			if e.Error != nil {
				return failed("read block times", e.Error)
			}
		}
		elems = elems[n:]
	}
	for i := range logs {
		if b, ok := missing[logs[i].BlockNumber]; ok {
			logs[i].BlockTimestamp = uint64(b.Time)
		}
	}
	return nil
}
