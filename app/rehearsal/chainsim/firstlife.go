package chainsim

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

const (
	day = 24 * time.Hour
	// launchedBefore and diedBefore are counted back from Start.
	launchedBefore = 75 * day
	diedBefore     = 40 * day
	firstTrades    = 60
)

// dead is where tokens are sent to be burned.
var dead = common.HexToAddress("0x000000000000000000000000000000000000dEaD")

// The supply (millions of tokens) and where it goes at the launch.
const (
	supply, pooled, burned = 1000.0, 600.0, 40.0
	// circulating is about what stands outside the pool when the first life ends.
	circulating = 460.0
	pooledCoins = 1.6
)

// deed is something that happens in a block of its own.
type deed struct {
	at time.Time
	do func(*core.BlockGen)
}

// play seals one block for each deed and demands that all of it worked.
func (s *Server) play(deeds []deed) error {
	at := make([]uint64, len(deeds))
	for i, d := range deeds {
		at[i] = unix(d.at)
	}
	_, receipts, err := s.evm.seal(at, func(i int, b *core.BlockGen) { deeds[i].do(b) })
	if err != nil {
		return err
	}
	for _, r := range slices.Concat(receipts...) {
		if r.Status != types.ReceiptStatusSuccessful {
			return fmt.Errorf("transaction %s in block %d failed", r.TxHash, r.BlockNumber)
		}
	}
	return nil
}

// liveAndDie launches the token, gives it to its first holders, lets them
// trade for 35 days, and ends at Start after 40 days of silence.
func (s *Server) liveAndDie() error {
	launch := s.opts.Start.Add(-launchedBefore)
	rng := rand.New(rand.NewPCG(uint64(s.opts.Seed), 1))
	s.foresee()
	deeds := []deed{
		{launch.Add(-time.Hour), s.putUp},
		{launch, s.launch},
		{launch.Add(3 * time.Hour), func(b *core.BlockGen) { s.airdrop(b, rng) }},
		{launch.Add(20 * day), s.burnSome},
	}
	deeds = append(deeds, s.firstLife(launch, rng)...)
	slices.SortStableFunc(deeds, func(a, b deed) int { return a.at.Compare(b.at) })
	return s.play(append(deeds, deed{s.opts.Start, func(*core.BlockGen) {}}))
}

// foresee works out the addresses that the first transactions will create.
func (s *Server) foresee() {
	from := s.people[builder].address
	s.places.weth = crypto.CreateAddress(from, 0)
	s.places.factory = crypto.CreateAddress(from, 1)
	s.places.router = crypto.CreateAddress(from, 2)
	s.places.launcher = crypto.CreateAddress(from, 3)
	s.places.token = crypto.CreateAddress(s.places.launcher, 1) // a contract's nonces start at 1
	s.places.pair = crypto.CreateAddress(s.places.factory, 1)
}

func (s *Server) putUp(b *core.BlockGen) {
	s.send(b, builder, nil, nil, s.contracts.creation("Weth"))
	s.send(b, builder, nil, nil, s.contracts.creation("Factory"))
	s.send(b, builder, nil, nil, s.contracts.creation("Router", s.places.factory, s.places.weth))
	s.send(b, builder, nil, nil, s.contracts.creation("Launcher", s.places.factory, s.places.weth))
}

func (s *Server) launch(b *core.BlockGen) {
	s.send(b, deployer, &s.places.launcher, ether(pooledCoins), s.contracts.call("Launcher", "launch",
		s.opts.Name, s.opts.Symbol, millions(supply), millions(pooled)))
	s.pool = pool{coins: ether(pooledCoins), tokens: millions(pooled)}
	s.give(deployer, millions(supply-pooled))
}

// airdrop gives away all but what is burned later and what the deployer keeps.
func (s *Server) airdrop(b *core.BlockGen, rng *rand.Rand) {
	parts, sum := make([]float64, holders), 0.0
	for i := range parts {
		parts[i] = 0.4 + 1.2*rng.Float64()
		sum += parts[i]
	}
	gift := supply - pooled - burned - circulating*s.opts.DeployerShare
	for i, part := range parts {
		s.transfer(b, deployer, firstHolder+i, millions(gift*part/sum))
	}
}

func (s *Server) transfer(b *core.BlockGen, from, to int, tokens *big.Int) {
	s.send(b, from, &s.places.token, nil, s.contracts.call("Token", "transfer", s.people[to].address, tokens))
	s.give(from, new(big.Int).Neg(tokens))
	s.give(to, tokens)
}

func (s *Server) burnSome(b *core.BlockGen) { s.burn(b, deployer, millions(burned)) }

func (s *Server) burn(b *core.BlockGen, who int, tokens *big.Int) {
	s.send(b, who, &s.places.token, nil, s.contracts.call("Token", "transfer", dead, tokens))
	s.give(who, new(big.Int).Neg(tokens))
}

// firstLife has each trader buy once, and some of them and of the first
// holders sell, fewer and fewer until the end.
func (s *Server) firstLife(launch time.Time, rng *rand.Rand) []deed {
	window := launchedBefore - diedBefore - day
	var deeds []deed
	for i := range firstTrades {
		frac := float64(i) / (firstTrades - 1)
		at := launch.Add(day + time.Duration(frac*frac*float64(window))) // crowded at first, thin at the end
		size, pick := 0.006+0.018*rng.Float64(), rng.IntN(holders)
		if bought := i - i/4; i%4 != 3 && bought < traders {
			deeds = append(deeds, deed{at, func(b *core.BlockGen) { s.buy(b, firstTrader+bought, ether(size)) }})
			continue
		}
		deeds = append(deeds, deed{at, func(b *core.BlockGen) { s.sell(b, firstHolder+pick, s.worth(firstHolder+pick, ether(size), 0.6)) }})
	}
	return deeds
}

func addresses(all ...common.Address) []common.Address { return all }

// millions returns an amount of tokens in smallest units, true to one token.
func millions(n float64) *big.Int {
	return new(big.Int).Mul(big.NewInt(int64(n*1e6)), big.NewInt(1e18))
}

func unix(t time.Time) uint64 { return uint64(t.Unix()) }
