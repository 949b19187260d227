package chainsim

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

//go:generate sh contracts/compile.sh

//go:embed contracts/*.json
var compiled embed.FS

// artifact is one compiled contract.
type artifact struct {
	ABI      abi.ABI       `json:"abi"`
	Bytecode hexutil.Bytes `json:"bytecode"`
}

// contracts holds what the local chain deploys and calls, by name.
type contracts map[string]artifact

func loadContracts() (contracts, error) {
	all := contracts{}
	for _, name := range []string{"Token", "HostileToken", "Weth", "Factory", "Pair", "Router", "Launcher", "Counter"} {
		raw, err := compiled.ReadFile("contracts/" + name + ".json")
		if err != nil {
			return nil, fmt.Errorf("read contract %s: %w", name, err)
		}
		var a artifact
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("decode contract %s: %w", name, err)
		}
		all[name] = a
	}
	return all, nil
}

// creation returns the data that deploys a contract.
func (c contracts) creation(name string, args ...any) []byte {
	packed, err := c[name].ABI.Pack("", args...)
	if err != nil {
		panic(fmt.Sprintf("chainsim: %s constructor: %v", name, err)) // our own call, wrong at build time
	}
	return append(append([]byte{}, c[name].Bytecode...), packed...)
}

// call returns the data of a call.
func (c contracts) call(name, method string, args ...any) []byte {
	packed, err := c[name].ABI.Pack(method, args...)
	if err != nil {
		panic(fmt.Sprintf("chainsim: %s.%s: %v", name, method, err)) // our own call, wrong at build time
	}
	return packed
}

// ether returns an amount in wei, true to a millionth of a coin.
func ether(coins float64) *big.Int {
	micro := big.NewInt(int64(coins * 1e6))
	return micro.Mul(micro, big.NewInt(1e12))
}
