package openai

import (
	"encoding/json"
	"math/big"
	"net/http"
	"regexp"

	"github.com/openai/openai-go/v3"

	"vivra/app"
)

// costHeader is how LiteLLM names what a call cost, in dollars.
const costHeader = "X-Litellm-Response-Cost"

// usage reads what a call used. Cached and reasoning tokens are kept as they
// were reported; app.Price.Cost knows what of them is charged.
func usage(u openai.CompletionUsage, header http.Header) app.Usage {
	out := app.Usage{
		PromptTokens:     u.PromptTokens,
		CachedTokens:     max(u.PromptTokensDetails.CachedTokens, extra(u, "prompt_cache_hit_tokens")),
		CompletionTokens: u.CompletionTokens,
		ReasoningTokens:  u.CompletionTokensDetails.ReasoningTokens,
		TotalTokens:      u.TotalTokens,
	}
	out.Reported = out.PromptTokens > 0 || out.CompletionTokens > 0 || out.TotalTokens > 0
	out.GatewayCost = dollars(u.JSON.ExtraFields["cost"].Raw())
	if out.GatewayCost == nil {
		out.GatewayCost = dollars(header.Get(costHeader))
	}
	return out
}

// believed takes figures for none when something was said and they know of no
// output: they would make it free.
func believed(u app.Usage, said bool) app.Usage {
	if said && u.BillableOutput() <= 0 {
		u.Reported = false
	}
	return u
}

// extra reads a whole number that only some providers report.
func extra(u openai.CompletionUsage, name string) (n int64) {
	if json.Unmarshal([]byte(u.JSON.ExtraFields[name].Raw()), &n) != nil {
		return 0
	}
	return n
}

// decimal keeps exponents small: a number such as 1e999999999 would fill the memory.
var decimal = regexp.MustCompile(`^\d{1,12}(\.\d{1,40})?([eE][+-]?\d{1,2})?$`)

// dollars reads an amount as decimal text, exactly. What is finer than a
// nano-dollar is rounded up: costs are never under-reported. nil: no amount.
func dollars(text string) *app.Nano {
	if !decimal.MatchString(text) {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(app.Dollar)))
	whole, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	if !whole.IsInt64() {
		return nil
	}
	n := app.Nano(whole.Int64())
	return &n
}
