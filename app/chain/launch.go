package chain

import (
	"context"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"

	"vivra/app"
)

// Launch returns what the launchpads that are set up keep of a token; without
// one that has it only the deployer is known.
func (c *Client) Launch(ctx context.Context, ref app.TokenRef) (app.Launch, error) {
	l, conn, err := c.ledgerOf(ctx, ref)
	if err != nil {
		return app.Launch{}, err
	}
	defer l.mu.Unlock()
	from, err := c.originOf(ctx, conn, l, common.Address(ref.Address))
	if err != nil {
		return app.Launch{}, err
	}
	return app.Launch{Launchpad: named(from.launchpad), Deployer: named(from.deployer), FeeRecipient: named(from.feeRecipient), Block: uint64(l.tip.Number)}, nil
}

// launch is a launcher's record of a token, in the layout of the pons v1
// factory's getLaunchedToken.
type launch struct {
	Token                common.Address
	Deployer             common.Address
	PairedToken          common.Address
	PositionManager      common.Address
	PositionId           *big.Int //nolint:revive // named by the ABI
	DexId                *big.Int //nolint:revive // named by the ABI
	LaunchConfigId       *big.Int //nolint:revive // named by the ABI
	RestrictionsEndBlock *big.Int
	Supply               *big.Int
	IsToken0             bool
	PoolFee              *big.Int
	Exists               bool
	InitialBuyAmount     *big.Int
}

func launchOf(r *read) (launch, bool) {
	if r.err != nil || len(r.out) != 1 {
		return launch{}, false
	}
	return *abi.ConvertType(r.out[0], new(launch)).(*launch), true
}
