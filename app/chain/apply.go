package chain

import (
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// apply adds one log to the ledger. Logs come in the order of the chain.
func (c *Client) apply(l *ledger, token common.Address, log *types.Log) {
	if log.Removed || len(log.Topics) != 3 {
		return
	}
	switch {
	case log.Address == token && log.Topics[0] == c.abi.Events["Transfer"].ID && len(log.Data) == 32:
		l.transfer(log)
	case l.pool != nil && log.Address == l.pool.address && log.Topics[0] == c.abi.Events["Swap"].ID && len(log.Data) == 4*32:
		l.swap(log)
	}
}

// transfer moves a balance. Transfers of nothing are ignored: anybody can make
// one in the name of anybody.
func (l *ledger) transfer(log *types.Log) {
	value := new(big.Int).SetBytes(log.Data)
	if value.Sign() == 0 {
		return
	}
	from, to := common.BytesToAddress(log.Topics[1][:]), common.BytesToAddress(log.Topics[2][:])
	if l.firstTx == (common.Hash{}) {
		l.firstTx = log.TxHash
	}
	if from != (common.Address{}) {
		l.add(from, new(big.Int).Neg(value))
		l.active[from] = momentOf(log)
	}
	l.add(to, value)
	if l.pool == nil {
		return
	}
	switch l.pool.address {
	case from:
		l.active[to] = momentOf(log)
	case to:
		if l.inboundTx != log.TxHash {
			l.inbound, l.inboundTx = nil, log.TxHash
		}
		l.inbound = append(l.inbound, from)
	}
}

func (l *ledger) add(who common.Address, value *big.Int) {
	if b, ok := l.balances[who]; ok {
		value.Add(value, b)
	}
	l.balances[who] = value
}

// swap records a trade. Who sold is known from the transfer into the pool: the
// event itself only names where the coins went.
func (l *ledger) swap(log *types.Log) {
	in, out := word(log, 0), word(log, 2)
	quoteIn, quoteOut := word(log, 1), word(log, 3)
	if !l.pool.token0 {
		in, out, quoteIn, quoteOut = quoteIn, quoteOut, in, out
	}
	t := trade{moment: momentOf(log), buys: out.Cmp(in) > 0, who: common.BytesToAddress(log.Topics[2][:]), quote: quoteIn}
	if !t.buys {
		t.quote = quoteOut
		if l.inboundTx == log.TxHash && len(l.inbound) > 0 {
			t.who = l.inbound[0]
			for _, who := range l.inbound {
				l.sold[who] = true
			}
		}
	}
	l.trades = append(l.trades, t)
}

func word(log *types.Log, i int) *big.Int { return new(big.Int).SetBytes(log.Data[32*i : 32*(i+1)]) }

func momentOf(log *types.Log) moment { return moment{log.BlockNumber, log.BlockTimestamp} }
