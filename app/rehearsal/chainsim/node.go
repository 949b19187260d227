package chainsim

import (
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/consensus/beacon"
	"github.com/ethereum/go-ethereum/consensus/ethash"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/rawdb"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/eth"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/eth/filters"
	"github.com/ethereum/go-ethereum/ethdb"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/p2p"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/triedb"
)

// ChainID is the id of the local chain.
const ChainID = 1337

// evm is a whole Ethereum node without network or disk. It is made of the
// parts of go-ethereum's simulated backend, but seals blocks itself: that
// backend stamps them with the machine's clock, and here the time is simulated.
type evm struct {
	stack   *node.Node
	eth     *eth.Ethereum
	rpc     *rpc.Server
	config  *params.ChainConfig
	scratch ethdb.Database // where blocks are built before the node gets them
	engine  *beacon.Beacon
}

// newEVM starts a chain whose genesis holds alloc and is dated at (unix seconds).
func newEVM(alloc types.GenesisAlloc, at uint64) (*evm, error) {
	genesis := genesisOf(alloc, at)
	stack, err := node.New(&node.Config{P2P: p2p.Config{NoDiscovery: true, NoDial: true}})
	if err != nil {
		return nil, fmt.Errorf("make node: %w", err)
	}
	conf := ethconfig.Defaults
	conf.Genesis, conf.SyncMode, conf.LogNoHistory = genesis, ethconfig.FullSync, true
	conf.TxPool.NoLocals = true
	conf.DatabaseCache, conf.TrieCleanCache, conf.TrieDirtyCache, conf.SnapshotCache = 16, 16, 16, 8
	backend, err := eth.New(stack, &conf)
	if err != nil {
		return nil, fmt.Errorf("make chain: %w", err)
	}
	if err := stack.Start(); err != nil {
		return nil, fmt.Errorf("start node: %w", err)
	}
	e := &evm{stack: stack, eth: backend, config: genesis.Config, scratch: rawdb.NewMemoryDatabase(), engine: beacon.New(ethash.NewFaker())}
	if _, err := genesis.Commit(e.scratch, triedb.NewDatabase(e.scratch, triedb.HashDefaults), nil); err != nil {
		return nil, fmt.Errorf("write genesis: %w", err)
	}
	return e, e.serveRPC()
}

// genesisOf leaves out the forks that no public chain has yet: they change
// what gas costs.
func genesisOf(alloc types.GenesisAlloc, at uint64) *core.Genesis {
	config := *params.AllDevChainProtocolChanges
	config.ChainID = big.NewInt(ChainID)
	config.AmsterdamTime, config.BogotaTime, config.UBTTime = nil, nil, nil
	all := core.SystemContractAllocs()
	for address, account := range alloc {
		all[address] = account
	}
	return &core.Genesis{Config: &config, GasLimit: 60_000_000, Timestamp: at, Alloc: all, BaseFee: big.NewInt(1_000_000)}
}

// serveRPC opens the namespaces that public endpoints have, and no others.
func (e *evm) serveRPC() error {
	e.rpc = rpc.NewServer()
	apis := append(e.eth.APIs(), rpc.API{
		Namespace: "eth",
		Service:   filters.NewFilterAPI(filters.NewFilterSystem(e.eth.APIBackend, filters.Config{})),
	})
	for _, api := range apis {
		if api.Namespace != "eth" && api.Namespace != "net" {
			continue
		}
		if err := e.rpc.RegisterName(api.Namespace, api.Service); err != nil {
			return fmt.Errorf("register %s calls: %w", api.Namespace, err)
		}
	}
	return nil
}

// seal adds one block for each instant (unix seconds, rising), filled by fill.
func (e *evm) seal(at []uint64, fill func(i int, b *core.BlockGen)) ([]*types.Block, []types.Receipts, error) {
	head := e.eth.BlockChain().CurrentBlock()
	parent := e.eth.BlockChain().GetBlock(head.Hash(), head.Number.Uint64())
	blocks, receipts := core.GenerateChain(e.config, parent, e.engine, e.scratch, len(at), func(i int, b *core.BlockGen) {
		b.OffsetTime(int64(at[i]) - int64(b.Timestamp()))
		b.SetPoS()
		fill(i, b)
	})
	if _, err := e.eth.BlockChain().InsertChain(blocks); err != nil {
		return nil, nil, fmt.Errorf("add blocks: %w", err)
	}
	if err := e.eth.TxPool().Sync(); err != nil {
		return nil, nil, fmt.Errorf("follow head: %w", err)
	}
	return blocks, receipts, nil
}

// rewind drops every block after number, as a reorganisation would.
func (e *evm) rewind(number uint64) error { return e.eth.BlockChain().SetHead(number) }

// now returns the head's number and time (unix seconds).
func (e *evm) now() (number, at uint64) {
	head := e.eth.BlockChain().CurrentBlock()
	return head.Number.Uint64(), head.Time
}

func (e *evm) close() error {
	e.rpc.Stop()
	return e.stack.Close()
}
