package app

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

// Cost returns what a call with this usage costs and where the figure comes
// from. Without any usage it is the bound: costs are never under-reported.
func (p Price) Cost(u Usage, bound Nano) (Nano, CostSource) {
	switch {
	case u.GatewayCost != nil:
		return *u.GatewayCost, CostGateway
	case u.Reported:
		cached := min(u.CachedTokens, u.PromptTokens)
		return perMillion(u.PromptTokens-cached, p.Input) + perMillion(cached, p.Cached) +
			perMillion(u.BillableOutput(), p.Output), CostTable
	default:
		return bound, CostBound
	}
}

// Bound returns the most that a call can cost: every byte of the request
// counted as a token, and the whole output limit used.
func (p Price) Bound(requestBytes, maxOutput int64) Nano {
	return perMillion(requestBytes, max(p.Input, p.Cached)) + perMillion(maxOutput, p.Output)
}

// OutputFor returns how many output tokens fit in left once the request is paid.
func (p Price) OutputFor(requestBytes int64, left Nano) int64 {
	rest := left - perMillion(requestBytes, max(p.Input, p.Cached))
	if rest <= 0 {
		return 0
	}
	if p.Output == 0 {
		return 1 << 30
	}
	return int64(rest) / (int64(p.Output)/1_000_000 + 1)
}

// perMillion rounds up to the nano-dollar.
func perMillion(tokens int64, price Nano) Nano {
	const million = 1_000_000
	whole, rest := tokens/million, tokens%million
	return Nano(whole)*price + (Nano(rest)*price+million-1)/million
}
