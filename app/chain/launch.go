package chain

import (
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

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
