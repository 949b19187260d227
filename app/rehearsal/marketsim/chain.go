package marketsim

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
)

// errUnknown: the chain has no such pool or token.
var errUnknown = errors.New("unknown")

// token is what is shown of one.
type token struct {
	address      common.Address
	name, symbol string
	decimals     int
	supply       float64 // whole tokens that are not burned
}

// pool is a pair as it stands now, seen from its base token.
type pool struct {
	address     common.Address
	base, quote token
	baseFirst   bool // the base is the pair's token0
	reserveBase float64
	reserve     float64 // of the quote
}

// price of the base in the quote.
func (p pool) price() float64 {
	if p.reserveBase == 0 {
		return 0
	}
	return p.reserve / p.reserveBase
}

// call asks a contract; a contract without an answer is errUnknown.
func (s *Server) call(ctx context.Context, to common.Address, method string, args ...any) ([]any, error) {
	data, err := s.abi.Pack(method, args...)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", method, err)
	}
	raw, err := s.client.CallContract(ctx, ethereum.CallMsg{To: &to, Data: data}, nil)
	if err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("%s of %s: %w", method, to, errUnknown)
	}
	return s.abi.Unpack(method, raw)
}

// poolOf finds the pool of a token and the wrapped coin.
func (s *Server) poolOf(ctx context.Context, address common.Address) (pool, error) {
	out, err := s.call(ctx, common.Address(s.opts.Factory), "getPair", address, common.Address(s.opts.Quote))
	if err != nil {
		return pool{}, err
	}
	pair := out[0].(common.Address)
	if pair == (common.Address{}) {
		return pool{}, errUnknown
	}
	return s.readPool(ctx, pair)
}

func (s *Server) readPool(ctx context.Context, pair common.Address) (pool, error) {
	first, err := s.call(ctx, pair, "token0")
	if err != nil {
		return pool{}, err
	}
	second, err := s.call(ctx, pair, "token1")
	if err != nil {
		return pool{}, err
	}
	held, err := s.call(ctx, pair, "getReserves")
	if err != nil {
		return pool{}, err
	}
	p := pool{address: pair, baseFirst: second[0].(common.Address) == common.Address(s.opts.Quote)}
	base, quote, baseHeld, quoteHeld := first[0], second[0], held[0], held[1]
	if !p.baseFirst {
		base, quote, baseHeld, quoteHeld = quote, base, quoteHeld, baseHeld
	}
	if p.base, err = s.readToken(ctx, base.(common.Address)); err != nil {
		return pool{}, err
	}
	if p.quote, err = s.readToken(ctx, quote.(common.Address)); err != nil {
		return pool{}, err
	}
	p.reserveBase, p.reserve = whole(baseHeld, p.base.decimals), whole(quoteHeld, p.quote.decimals)
	return p, nil
}

func (s *Server) readToken(ctx context.Context, address common.Address) (token, error) {
	t := token{address: address}
	answers := map[string][]any{}
	for _, method := range []string{"name", "symbol", "decimals", "totalSupply"} {
		out, err := s.call(ctx, address, method)
		if err != nil {
			return token{}, err
		}
		answers[method] = out
	}
	burned, err := s.call(ctx, address, "balanceOf", common.HexToAddress("0x000000000000000000000000000000000000dEaD"))
	if err != nil {
		return token{}, err
	}
	t.name, t.symbol = answers["name"][0].(string), answers["symbol"][0].(string)
	t.decimals = int(answers["decimals"][0].(uint8))
	t.supply = whole(answers["totalSupply"][0], t.decimals) - whole(burned[0], t.decimals)
	return t, nil
}

// whole turns smallest units into whole tokens.
func whole(units any, decimals int) float64 {
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	f, _ := new(big.Rat).SetFrac(units.(*big.Int), unit).Float64()
	return f
}
