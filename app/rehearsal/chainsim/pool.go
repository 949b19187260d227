package chainsim

import (
	"math"
	"math/big"

	"github.com/ethereum/go-ethereum/core"
)

// amount is a number of smallest units; nil is none.
type amount = *big.Int

// pool follows the reserves of the token's pair, so that a whole day can be
// planned without asking the chain after each trade.
type pool struct{ coins, tokens *big.Int }

// out is what a trade of in gets, by the pair's own rule (0.3 % fee).
func out(in, reserveIn, reserveOut *big.Int) *big.Int {
	paid := new(big.Int).Mul(in, big.NewInt(997))
	total := new(big.Int).Add(new(big.Int).Mul(reserveIn, big.NewInt(1000)), paid)
	return paid.Mul(paid, reserveOut).Div(paid, total)
}

var forever = big.NewInt(math.MaxInt64)

// buy spends coins of one person.
func (s *Server) buy(b *core.BlockGen, who int, coins *big.Int) {
	path := addresses(s.places.weth, s.places.token)
	s.send(b, who, &s.places.router, coins, s.contracts.call("Router", "swapExactETHForTokensSupportingFeeOnTransferTokens",
		new(big.Int), path, s.people[who].address, forever))
	got := out(coins, s.pool.coins, s.pool.tokens)
	s.pool.coins = new(big.Int).Add(s.pool.coins, coins)
	s.pool.tokens = new(big.Int).Sub(s.pool.tokens, got)
	s.give(who, got)
}

// sell sells tokens of one person, who lets the router take them the first time.
func (s *Server) sell(b *core.BlockGen, who int, tokens *big.Int) {
	if !s.ready[who] {
		s.send(b, who, &s.places.token, nil, s.contracts.call("Token", "approve", s.places.router, new(big.Int).Lsh(big.NewInt(1), 200)))
		s.ready[who] = true
	}
	path := addresses(s.places.token, s.places.weth)
	s.send(b, who, &s.places.router, nil, s.contracts.call("Router", "swapExactTokensForETHSupportingFeeOnTransferTokens",
		tokens, new(big.Int), path, s.people[who].address, forever))
	got := out(tokens, s.pool.tokens, s.pool.coins)
	s.pool.tokens = new(big.Int).Add(s.pool.tokens, tokens)
	s.pool.coins = new(big.Int).Sub(s.pool.coins, got)
	s.give(who, new(big.Int).Neg(tokens))
}

// give follows one person's balance.
func (s *Server) give(who int, tokens *big.Int) {
	if s.held[who] == nil {
		s.held[who] = new(big.Int)
	}
	s.held[who] = new(big.Int).Add(s.held[who], tokens)
}

// worth is how many tokens of a person sell for about coins, at most share of what they hold.
func (s *Server) worth(who int, coins *big.Int, share float64) *big.Int {
	most := scaled(s.held[who], share)
	wanted := new(big.Int).Mul(coins, s.pool.tokens)
	wanted.Div(wanted, s.pool.coins)
	if wanted.Cmp(most) > 0 {
		return most
	}
	return wanted
}

// scaled is a share of an amount, true to a millionth.
func scaled(a amount, share float64) *big.Int {
	if a == nil {
		return new(big.Int)
	}
	part := new(big.Int).Mul(a, big.NewInt(int64(share*1e6)))
	return part.Div(part, big.NewInt(1e6))
}
