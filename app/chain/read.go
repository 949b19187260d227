package chain

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/rpc"
)

// errSilent: the contract has no such function, or refuses to answer.
var errSilent = errors.New("the contract does not answer")

// read is one question to a contract.
type read struct {
	to     common.Address
	method string
	args   []any

	raw hexutil.Bytes
	out []any
	err error // errSilent, or an answer that does not fit
}

func ask(to common.Address, method string, args ...any) *read {
	return &read{to: to, method: method, args: args}
}

// readAll asks all questions at one block.
func (c *Client) readAll(ctx context.Context, conn *rpc.Client, at uint64, reads ...*read) error {
	const batch = 50
	for len(reads) > 0 {
		n := min(batch, len(reads))
		if err := c.readBatch(ctx, conn, at, reads[:n]); err != nil {
			return err
		}
		reads = reads[n:]
	}
	return nil
}

func (c *Client) readBatch(ctx context.Context, conn *rpc.Client, at uint64, reads []*read) error {
	elems := make([]rpc.BatchElem, len(reads))
	for i, r := range reads {
		data, err := c.abi.Pack(r.method, r.args...)
		if err != nil {
			return fmt.Errorf("encode %s: %w", r.method, err)
		}
		call := map[string]any{"to": r.to, "data": hexutil.Bytes(data)}
		elems[i] = rpc.BatchElem{Method: "eth_call", Args: []any{call, hex(at)}, Result: &r.raw}
	}
	if err := conn.BatchCallContext(ctx, elems); err != nil {
		return failed("read contracts", err)
	}
	for i, r := range reads {
		if err := elems[i].Error; err != nil && !reverted(err) {
			return failed("read "+r.method, err)
		} else if err != nil || len(r.raw) == 0 {
			r.err = errSilent
			continue
		}
		r.out, r.err = c.abi.Unpack(r.method, r.raw)
	}
	return nil
}

// number returns the answer as a number, nil when there is none.
func (r *read) number(i int) *big.Int {
	if r.err != nil || i >= len(r.out) {
		return nil
	}
	n, _ := r.out[i].(*big.Int)
	return n
}

// address returns the answer as an address, zero when there is none.
func (r *read) address() common.Address {
	if r.err != nil || len(r.out) == 0 {
		return common.Address{}
	}
	a, _ := r.out[0].(common.Address)
	return a
}

// whole turns smallest units into whole tokens, which is for showing and for ratios.
func whole(n *big.Int, decimals int) float64 {
	if n == nil {
		return 0
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	f, _ := new(big.Rat).SetFrac(n, unit).Float64()
	return f
}

// ratio returns a/b, 0 when b is not positive.
func ratio(a, b *big.Int) float64 {
	if a == nil || b == nil || b.Sign() <= 0 {
		return 0
	}
	f, _ := new(big.Rat).SetFrac(a, b).Float64()
	return f
}
