package chainsim

import (
	"fmt"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/crypto"

	"vivra/app"
)

// Hostile shapes a token that the pre-check must refuse.
type Hostile struct {
	BuyTax, SellTax int  // basis points; a SellTax of 10,000 lets nobody sell
	Renounced       bool // the owner gave the contract up
}

// DeployHostile puts up a token whose owner can mint, pause, ban and tax, with
// a pool of one coin whose liquidity the owner can take out.
func (s *Server) DeployHostile(h Hostile) (app.Address, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := s.nextContract(s.people[builder].address)
	pair := s.nextContract(s.places.factory)
	return app.Address(token), s.once("put up a hostile token", func(b *core.BlockGen) {
		s.send(b, builder, nil, nil, s.contracts.creation("HostileToken", "Honey", "HNY", millions(10)))
		s.send(b, builder, &s.places.factory, nil, s.contracts.call("Factory", "createPair", token, s.places.weth))
		s.send(b, builder, &token, nil, s.contracts.call("HostileToken", "transfer", pair, millions(5)))
		s.send(b, builder, &s.places.weth, ether(1), s.contracts.call("Weth", "deposit"))
		s.send(b, builder, &s.places.weth, nil, s.contracts.call("Weth", "transfer", pair, ether(1)))
		s.send(b, builder, &pair, nil, s.contracts.call("Pair", "mint", s.people[builder].address))
		s.send(b, builder, &token, nil, s.contracts.call("HostileToken", "setPool", pair))
		s.send(b, builder, &token, nil, s.contracts.call("HostileToken", "setFees", big.NewInt(int64(h.BuyTax)), big.NewInt(int64(h.SellTax))))
		if h.Renounced {
			s.send(b, builder, &token, nil, s.contracts.call("HostileToken", "renounceOwnership"))
		}
	})
}

// DeployCounter puts up a contract that is no token.
func (s *Server) DeployCounter() (app.Address, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	address := s.nextContract(s.people[builder].address)
	return app.Address(address), s.once("put up a contract", func(b *core.BlockGen) {
		s.send(b, builder, nil, nil, s.contracts.creation("Counter"))
	})
}

// Buy lets somebody who never traded buy for coins, one second after the head.
func (s *Server) Buy(coins float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh++
	return s.once("buy", func(b *core.BlockGen) { s.buy(b, s.fresh-1, ether(coins)) })
}

// DeployerSells lets the deployer sell a share of the bag, one second after the head.
func (s *Server) DeployerSells(share float64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.once("sell the deployer's tokens", func(b *core.BlockGen) { s.sell(b, deployer, scaled(s.held[deployer], share)) })
}

// Rewind drops the newest blocks, as a reorganisation does. The crowd does not
// notice: Advance may not follow.
func (s *Server) Rewind(blocks uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	number, _ := s.evm.now()
	if err := s.evm.rewind(number - blocks); err != nil {
		return fmt.Errorf("rewind %d blocks: %w", blocks, err)
	}
	return nil
}

// once seals one block, a second after the head.
func (s *Server) once(what string, do func(*core.BlockGen)) error {
	if err := s.play([]deed{{s.Now().Add(time.Second), do}}); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// nextContract is where from will create its next contract.
func (s *Server) nextContract(from common.Address) common.Address {
	state, err := s.evm.eth.BlockChain().State()
	if err != nil {
		panic(err) // the head's state is always there
	}
	return crypto.CreateAddress(from, state.GetNonce(from))
}
