package app

import (
	"math"
	"math/bits"
)

// Price is what a model's tokens cost, in nano-dollars per million tokens.
type Price struct {
	Input  Nano `json:"input"`
	Cached Nano `json:"cached_input"`
	Output Nano `json:"output"`
}

// Usage is what an API says a call used. PromptTokens includes CachedTokens;
// ReasoningTokens are part of CompletionTokens when prompt + completion = total.
type Usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CachedTokens     int64 `json:"cached_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	ReasoningTokens  int64 `json:"reasoning_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
	// Reported is false when the answer carried no usage.
	Reported bool `json:"reported"`
	// GatewayCost is the cost the gateway itself reported; nil when it did not.
	GatewayCost *Nano `json:"gateway_cost_nusd"`
}

// BillableOutput is the output that is charged: some dialects count reasoning
// in the total only.
func (u Usage) BillableOutput() int64 {
	return max(u.CompletionTokens, u.TotalTokens-u.PromptTokens)
}

// CostSource says where a cost figure comes from.
type CostSource string

// The sources of a cost, best first.
const (
	CostGateway   CostSource = "gateway"
	CostTable     CostSource = "table"
	CostPriceList CostSource = "price_list" // a platform's price per publication or image
	CostBound     CostSource = "bound"      // the most it can have been
)

// plausible tells whether the figures can be what they say: an endpoint that
// reports nonsense, or a part only, has reported nothing. Every call has a prompt.
func (u Usage) plausible() bool {
	const most = 1_000_000_000 // tokens of one call
	for _, n := range []int64{u.PromptTokens, u.CachedTokens, u.CompletionTokens, u.TotalTokens} {
		if n < 0 || n > most {
			return false
		}
	}
	return u.PromptTokens > 0 && u.CachedTokens <= u.PromptTokens
}

// Cost returns what a call with this usage costs and where the figure comes
// from. Without any usage it is the bound: costs are never under-reported.
func (p Price) Cost(u Usage, bound Nano) (Nano, CostSource) {
	switch {
	case u.GatewayCost != nil && *u.GatewayCost >= 0:
		return *u.GatewayCost, CostGateway
	case u.Reported && u.plausible():
		var sum nanoMillions
		sum.add(u.PromptTokens-u.CachedTokens, p.Input)
		sum.add(u.CachedTokens, p.Cached)
		sum.add(u.BillableOutput(), p.Output)
		return sum.up(), CostTable
	default:
		return bound, CostBound
	}
}

// Bound returns the most that a call can cost: every byte of the request
// counted as a token, and the whole output limit used.
func (p Price) Bound(requestBytes, maxOutput int64) Nano {
	var sum nanoMillions
	sum.add(requestBytes, max(p.Input, p.Cached))
	sum.add(maxOutput, p.Output)
	return sum.up()
}

// OutputFor returns how many output tokens fit in left once the request is paid.
func (p Price) OutputFor(requestBytes int64, left Nano) int64 {
	const plenty = 1 << 30
	var paid nanoMillions
	paid.add(requestBytes, max(p.Input, p.Cached))
	if left < 0 || paid.up() > left {
		return 0
	}
	if p.Output == 0 {
		return plenty
	}
	var rest nanoMillions
	rest.add(million, left)
	return int64(min(rest.less(paid).over(p.Output), plenty))
}

const million = 1_000_000

// nanoMillions is a sum of tokens times prices, in nano-dollars per million:
// wide enough that none is lost before it is rounded, once.
type nanoMillions struct{ hi, lo uint64 }

func (s *nanoMillions) add(tokens int64, price Nano) {
	hi, lo := bits.Mul64(uint64(max(tokens, 0)), uint64(max(price, 0)))
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi, _ = bits.Add64(s.hi, hi, carry)
}

// less takes away what is not more than s.
func (s nanoMillions) less(t nanoMillions) nanoMillions {
	lo, borrow := bits.Sub64(s.lo, t.lo, 0)
	hi, _ := bits.Sub64(s.hi, t.hi, borrow)
	return nanoMillions{hi, lo}
}

// over divides, rounding down. What is too large to count is the largest number.
func (s nanoMillions) over(by Nano) uint64 {
	if s.hi >= uint64(by) {
		return math.MaxInt64
	}
	quotient, _ := bits.Div64(s.hi, s.lo, uint64(by))
	return min(quotient, math.MaxInt64)
}

// up is the sum in nano-dollars, rounded up.
func (s nanoMillions) up() Nano {
	s.add(million-1, 1)
	return Nano(s.over(million))
}
