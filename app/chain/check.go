package chain

import (
	"context"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
)

// Checkup is what an endpoint says of itself.
type Checkup struct {
	ChainID int64
	Node    string // its software, as it names it: outside text; empty when it does not say
	Block   uint64
	At      time.Time // of that block
	// Logs is why it gives no logs, nil when it does.
	Logs error
}

// behind is how far below the newest block logs are asked for: the servers
// behind one address are not all at the same block.
const behind = 5

// Check asks for the newest block, and for the logs of one: some endpoints
// serve everything else and not those.
func (c *Client) Check(ctx context.Context) (Checkup, error) {
	conn, err := c.connect(ctx)
	if err != nil {
		return Checkup{}, err
	}
	head, err := headOf(ctx, conn)
	if err != nil {
		return Checkup{}, err
	}
	out := Checkup{ChainID: c.chainID, Block: uint64(head.Number), At: time.Unix(int64(head.Time), 0).UTC()}
	if err := conn.CallContext(ctx, &out.Node, "web3_clientVersion"); err != nil {
		out.Node = "" // many providers keep it to themselves
	}
	at := new(big.Int).SetUint64(out.Block - min(behind, out.Block))
	if _, err := eth(conn).FilterLogs(ctx, ethereum.FilterQuery{FromBlock: at, ToBlock: at, Addresses: []common.Address{common.Address(c.cfg.Quote)}}); err != nil {
		out.Logs = failed("read logs", err)
	}
	return out, nil
}
