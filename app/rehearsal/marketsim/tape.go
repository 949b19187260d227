package marketsim

import (
	"context"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// tape is the list of a pool's trades, read on from where it ended last.
type tape struct {
	mu      sync.Mutex
	next    uint64
	created time.Time // the pool's first event
	trades  []trade
	price   float64 // after the last event
}

// trade is one trade: its amounts and the price before and after it, in the quote.
type trade struct {
	at            time.Time
	buys          bool
	who           common.Address
	quote         float64
	before, after float64
}

// read returns the pool's trades and when it was made.
func (s *Server) read(ctx context.Context, p pool) ([]trade, time.Time, error) {
	t := s.tapeOf(p.address)
	t.mu.Lock()
	defer t.mu.Unlock()
	head, err := s.client.BlockNumber(ctx)
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read the head: %w", err)
	}
	if head < t.next {
		return t.trades, t.created, nil
	}
	logs, err := s.client.FilterLogs(ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int).SetUint64(t.next), ToBlock: new(big.Int).SetUint64(head), Addresses: []common.Address{p.address},
		Topics: [][]common.Hash{{s.abi.Events["Swap"].ID, s.abi.Events["Sync"].ID}},
	})
	if err != nil {
		return nil, time.Time{}, fmt.Errorf("read trades: %w", err)
	}
	if err := s.append(ctx, t, p, logs); err != nil {
		return nil, time.Time{}, err
	}
	t.next = head + 1
	return t.trades, t.created, nil
}

func (s *Server) tapeOf(address common.Address) *tape {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tapes[address] == nil {
		s.tapes[address] = &tape{}
	}
	return s.tapes[address]
}

// append adds new logs: a pair says its new reserves first (Sync), then the trade (Swap).
func (s *Server) append(ctx context.Context, t *tape, p pool, logs []types.Log) error {
	before, price, created, fresh := t.price, t.price, t.created, []trade{}
	for _, log := range logs {
		at := time.Unix(int64(log.BlockTimestamp), 0).UTC()
		if created.IsZero() {
			created = at
		}
		if log.Topics[0] == s.abi.Events["Sync"].ID {
			base, quote := p.sides(word(log, 0), word(log, 1))
			before, price = price, whole(quote, p.quote.decimals)/whole(base, p.base.decimals)
			continue
		}
		who, err := s.sender(ctx, log)
		if err != nil {
			return err
		}
		_, in := p.sides(word(log, 0), word(log, 1))
		_, out := p.sides(word(log, 2), word(log, 3))
		one := trade{at: at, who: who, before: before, after: price, buys: in.Cmp(out) > 0}
		one.quote = whole(new(big.Int).Abs(new(big.Int).Sub(in, out)), p.quote.decimals)
		fresh = append(fresh, one)
	}
	t.trades, t.price, t.created = append(t.trades, fresh...), price, created
	return nil
}

// sides puts the two amounts of an event in the order base, quote.
func (p pool) sides(first, second *big.Int) (base, quote *big.Int) {
	if p.baseFirst {
		return first, second
	}
	return second, first
}

// sender is who signed the trade.
func (s *Server) sender(ctx context.Context, log types.Log) (common.Address, error) {
	tx, _, err := s.client.TransactionByHash(ctx, log.TxHash)
	if err != nil {
		return common.Address{}, fmt.Errorf("read a trade: %w", err)
	}
	who, err := s.client.TransactionSender(ctx, tx, log.BlockHash, log.TxIndex)
	if err != nil {
		return common.Address{}, fmt.Errorf("read a trader: %w", err)
	}
	return who, nil
}

func word(log types.Log, i int) *big.Int { return new(big.Int).SetBytes(log.Data[32*i : 32*(i+1)]) }

// sums of a window.
type sums struct {
	buys, sells, buyers, sellers int
	volume                       float64 // in the quote
	change                       float64 // of the price, in percent
}

// window sums the trades of the last d before now.
func window(trades []trade, now time.Time, d time.Duration) sums {
	var w sums
	buyers, sellers, open, last := map[common.Address]bool{}, map[common.Address]bool{}, 0.0, 0.0
	for _, p := range trades {
		if !p.at.After(now.Add(-d)) || p.at.After(now) {
			continue
		}
		if open == 0 {
			open = p.before
		}
		w.volume, last = w.volume+p.quote, p.after
		if p.buys {
			w.buys, buyers[p.who] = w.buys+1, true
		} else {
			w.sells, sellers[p.who] = w.sells+1, true
		}
	}
	w.buyers, w.sellers = len(buyers), len(sellers)
	if open > 0 {
		w.change = (last/open - 1) * 100
	}
	return w
}

// spans are the windows that the services show.
var spans = map[string]time.Duration{
	"m5": 5 * time.Minute, "m15": 15 * time.Minute, "m30": 30 * time.Minute,
	"h1": time.Hour, "h6": 6 * time.Hour, "h24": 24 * time.Hour,
}
