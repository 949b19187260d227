package chainsim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/core"
)

// trade is what somebody will do; who it is shows when it happens.
type trade struct {
	at    time.Time
	buys  bool
	fresh bool    // by somebody who never traded
	pick  int     // where to start looking for somebody who can
	coins float64 // about
}

// Advance lets the crowd trade up to now and moves the chain's clock there.
// The trades depend on the seed alone, not on how often Advance is called.
func (s *Server) Advance(now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now = now.UTC().Truncate(time.Second)
	from := s.Now()
	if !now.After(from) {
		return nil
	}
	deeds := s.deedsBetween(from, now)
	if len(deeds) == 0 || deeds[len(deeds)-1].at.Before(now) {
		deeds = append(deeds, deed{now, func(*core.BlockGen) {}})
	}
	if err := s.play(deeds); err != nil {
		return fmt.Errorf("advance the chain to %s: %w", now.Format(time.RFC3339), err)
	}
	return nil
}

// deedsBetween returns what happens after from and not after to.
func (s *Server) deedsBetween(from, to time.Time) []deed {
	var deeds []deed
	for d := max(int(from.Sub(s.opts.Start)/day), 0); !s.opts.Start.Add(time.Duration(d) * day).After(to); d++ {
		for _, t := range s.plan(d) {
			if t.at.After(from) && !t.at.After(to) {
				deeds = append(deeds, deed{t.at, func(b *core.BlockGen) { s.make(b, t) }})
			}
		}
	}
	return deeds
}

// plan returns the trades of one day of the takeover: few on the first two
// days, a crowd from the third, and from the eighth on about as much selling
// as buying.
func (s *Server) plan(d int) []trade {
	rng := rand.New(rand.NewPCG(uint64(s.opts.Seed), uint64(1000+d)))
	growing := []int{4, 6, 10, 14, 18, 20, 22, 25, 28, 30, 32, 32, 30, 28}
	count, buying, most := 22+rng.IntN(9), 0.58, 0.028
	if d < len(growing) {
		count = growing[d]
	}
	if d < 7 {
		buying, most = 0.74, 0.018
	}
	trades := make([]trade, count)
	for i := range trades {
		at := s.opts.Start.Add(time.Duration(d)*day + time.Duration(60+rng.IntN(85_000))*time.Second)
		t := trade{at: at, buys: rng.Float64() < buying, fresh: rng.Float64() < 0.7, pick: rng.IntN(1 << 20)}
		t.coins = 0.006 + 0.019*rng.Float64()
		if !t.buys {
			t.coins = 0.006 + (most-0.006)*rng.Float64()
		}
		trades[i] = t
	}
	return spaced(trades)
}

// spaced sorts trades by time and moves them apart: a block needs its own second.
func spaced(trades []trade) []trade {
	slices.SortStableFunc(trades, func(a, b trade) int { return a.at.Compare(b.at) })
	for i := 1; i < len(trades); i++ {
		if !trades[i].at.After(trades[i-1].at) {
			trades[i].at = trades[i-1].at.Add(time.Second)
		}
	}
	return trades
}

// make carries a trade out. Once in a while a seller burns instead.
func (s *Server) make(b *core.BlockGen, t trade) {
	switch who := s.someone(t.pick); {
	case t.buys && t.fresh && s.fresh < peopleCount:
		s.buy(b, s.fresh, ether(t.coins))
		s.fresh++
	case t.buys:
		s.buy(b, who, ether(t.coins))
	case t.pick%40 == 0:
		s.burn(b, who, scaled(s.held[who], 0.2))
	case t.pick%12 == 0:
		s.sell(b, who, s.worth(who, ether(t.coins), 1))
	default:
		s.sell(b, who, s.worth(who, ether(t.coins), 0.5))
	}
}

// someone returns a holder, the deployer never among them.
func (s *Server) someone(pick int) int {
	n := s.fresh - firstHolder
	for i := range n {
		who := firstHolder + (pick+i)%n
		if s.held[who] != nil && s.held[who].Cmp(millions(0.01)) > 0 {
			return who
		}
	}
	panic("chainsim: nobody holds the token any more") // sales leave half of most bags
}
