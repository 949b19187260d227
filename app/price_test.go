package app_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"vivra/app"
)

// perMillion are prices in dollars per million tokens.
func perMillion(t *testing.T, input, cached, output string) app.Price {
	t.Helper()
	return app.Price{Input: usd(t, input), Cached: usd(t, cached), Output: usd(t, output)}
}

func usd(t *testing.T, s string) app.Nano {
	t.Helper()
	n, err := app.ParseUSD(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func reported(prompt, cached, completion, reasoning, total int64) app.Usage {
	return app.Usage{PromptTokens: prompt, CachedTokens: cached, CompletionTokens: completion, ReasoningTokens: reasoning, TotalTokens: total, Reported: true}
}

// TestCost takes the usage of calls that others have counted wrongly in public,
// and calls of every other shape: exact to the nano-dollar.
func TestCost(t *testing.T) {
	t.Parallel()
	gpt5 := perMillion(t, "1.25", "0.125", "10")
	halfCached := perMillion(t, "1.25", "0.625", "10")
	const bound = 777_000_000
	gateway := func(cost app.Nano, u app.Usage) app.Usage { u.GatewayCost = &cost; return u }
	tests := map[string]struct {
		price  app.Price
		usage  app.Usage
		cost   string
		source app.CostSource
	}{
		"plain": {gpt5, reported(1000, 0, 500, 0, 1500), "0.00625", app.CostTable},
		// litellm#14849 made it 0.7642: the cached tokens were billed in full as well.
		"cached-heavy, billed once": {halfCached, reported(262_960, 257_955, 1_744, 0, 264_704), "0.184918125", app.CostTable},
		// langfuse#10592 counted 35,720 tokens of input: 86 and 17,817 there are.
		"nearly all cached": {gpt5, reported(17_903, 17_817, 0, 0, 17_903), "0.002334625", app.CostTable},
		// langfuse#12306 counted 260,421 of 130,213 = 5 + 128,955 + 1,253.
		"cached and a little else":  {gpt5, reported(128_960, 128_955, 1_253, 0, 130_213), "0.028655625", app.CostTable},
		"all cached":                {gpt5, reported(1000, 1000, 0, 0, 1000), "0.000125", app.CostTable},
		"more cached than there is": {gpt5, reported(1000, 5000, 0, 0, 1000), "0.777", app.CostBound},
		// langfuse#12531: the thoughts are in the total only; they were free.
		"reasoning apart":  {gpt5, reported(324, 0, 1_364, 495, 2_183), "0.018995", app.CostTable},
		"reasoning within": {gpt5, reported(324, 0, 1_859, 495, 2_183), "0.018995", app.CostTable},
		"reasoning only":   {gpt5, reported(100, 0, 4_096, 4_096, 4_196), "0.041085", app.CostTable},
		"no total":         {gpt5, reported(1000, 0, 500, 0, 0), "0.00625", app.CostTable},
		// A failed call that reports usage has cost it like any other.
		"failed, with usage":           {gpt5, reported(64_000, 0, 0, 0, 64_000), "0.08", app.CostTable},
		"the gateway knows":            {gpt5, gateway(usd(t, "0.000000001"), reported(1000, 0, 500, 0, 1500)), "0.000000001", app.CostGateway},
		"the gateway knows it is free": {gpt5, gateway(0, reported(1000, 0, 500, 0, 1500)), "0", app.CostGateway},
		"only the gateway knows":       {gpt5, gateway(usd(t, "1.5"), app.Usage{}), "1.5", app.CostGateway},
		"the gateway talks nonsense":   {gpt5, gateway(-1, reported(1000, 0, 500, 0, 1500)), "0.00625", app.CostTable},
		"no usage":                     {gpt5, app.Usage{}, "0.777", app.CostBound},
		"a usage of nothing":           {gpt5, reported(0, 0, 0, 0, 0), "0.777", app.CostBound},
		"figures without a report":     {gpt5, app.Usage{PromptTokens: 1000}, "0.777", app.CostBound},
		"no prompt":                    {gpt5, reported(0, 0, 5, 0, 5), "0.777", app.CostBound},
		"a total only":                 {gpt5, reported(0, 0, 0, 0, 5000), "0.777", app.CostBound},
		"negative figures":             {gpt5, reported(-1000, 0, 500, 0, 500), "0.777", app.CostBound},
		"impossible figures":           {gpt5, reported(math.MaxInt64, 0, 1, 0, 1), "0.777", app.CostBound},
		// A fraction of a nano-dollar is rounded up, once for the whole call.
		"three fractions":      {app.Price{Input: 400_000, Cached: 300_000, Output: 200_000}, reported(2, 1, 1, 0, 3), "0.000000001", app.CostTable},
		"fractions and a hair": {app.Price{Input: 400_000, Cached: 300_000, Output: 300_001}, reported(2, 1, 1, 0, 3), "0.000000002", app.CostTable},
		"the dearest there is": {perMillion(t, "10000", "10000", "10000"), reported(500_000_000, 0, 500_000_000, 0, 1_000_000_000), "10000000", app.CostTable},
	}
	for name, tt := range tests {
		cost, source := tt.price.Cost(tt.usage, bound)
		if cost != usd(t, tt.cost) || source != tt.source {
			t.Errorf("%s: %s by %s, want $%s by %s", name, cost, source, tt.cost, tt.source)
		}
	}
}

// TestOutputFor: what is granted fits, and one token more would not.
func TestOutputFor(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		p := app.Price{Input: app.Nano(random.Int64N(1 << random.IntN(44))), Cached: app.Nano(random.Int64N(1 << random.IntN(44))), Output: 1 + app.Nano(random.Int64N(1<<random.IntN(44)))}
		bytes, left := random.Int64N(1<<random.IntN(24)), app.Nano(random.Int64N(1<<random.IntN(50)))
		output := p.OutputFor(bytes, left)
		if p.Bound(bytes, 0) > left {
			if output != 0 {
				t.Fatalf("%+v: %d tokens after %d bytes that do not fit in %d", p, output, bytes, left)
			}
			continue
		}
		if p.Bound(bytes, output) > left || output < 1<<30 && p.Bound(bytes, output+1) <= left {
			t.Fatalf("%+v: %d tokens after %d bytes in %d", p, output, bytes, left)
		}
	}
	if got := (app.Price{Input: app.Dollar}).OutputFor(1000, app.Dollar); got < 1<<20 {
		t.Errorf("free output is limited to %d tokens", got)
	}
	if got := (app.Price{Output: app.Dollar}).OutputFor(0, -1); got != 0 {
		t.Errorf("%d tokens for nothing", got)
	}
}

// TestCostStaysUnderItsBound: whatever an endpoint reports within the limits it
// was given, the reservation covers it.
func TestCostStaysUnderItsBound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		p := app.Price{Input: app.Nano(random.Int64N(1e13)), Cached: app.Nano(random.Int64N(1e13)), Output: app.Nano(random.Int64N(1e13))}
		bytes, limit := 1+random.Int64N(1e6), random.Int64N(1e5)
		prompt, completion := 1+random.Int64N(bytes), random.Int64N(limit+1)
		u := reported(prompt, random.Int64N(prompt+1), completion, random.Int64N(completion+1), random.Int64N(2)*(prompt+completion))
		if cost, source := p.Cost(u, 0); cost > p.Bound(bytes, limit) || source != app.CostTable {
			t.Fatalf("%+v of %+v: %s by %s, bound %s", p, u, cost, source, p.Bound(bytes, limit))
		}
	}
}

func day(t *testing.T, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestPriceList(t *testing.T) {
	t.Parallel()
	tokens := func(model, effective string, input app.Nano) app.PriceRow {
		return app.PriceRow{Model: model, Kind: app.PriceTokens, Price: app.Price{Input: input}, EffectiveAt: day(t, effective)}
	}
	image := func(size, effective string, price app.Nano) app.PriceRow {
		return app.PriceRow{Model: "gpt-image-1", Kind: app.PriceImage, Size: size, Image: price, EffectiveAt: day(t, effective)}
	}
	list := append(app.DefaultPrices(),
		tokens("gpt-5", "2027-01-01", 100), tokens("gpt-5", "2027-03-01", 300),
		tokens("gpt-5", "2027-02-01", 200), // imported later, in force earlier
		tokens("gpt-5", "2027-01-01", 111), // a correction
		tokens("mine", "2027-01-01", 7),
		image("1024x1024", "2027-01-01", 50), image("512x512", "2027-01-01", 5))
	builtIn := usd(t, "1.25")
	for _, tt := range []struct {
		model, at string
		want      app.Nano // 0: no price
	}{
		{"gpt-5", "2026-12-31", builtIn}, {"gpt-5", "2027-01-01", 111}, {"gpt-5", "2027-01-31", 111}, {"gpt-5", "2027-02-01", 200},
		{"gpt-5", "2027-03-01", 300}, {"gpt-5", "2030-01-01", 300}, {"mine", "2026-12-31", 0}, {"mine", "2027-01-01", 7},
		{"fable", "2027-01-01", 0}, {"", "2027-01-01", 0}, {"gpt-image-1", "2027-01-01", 0},
	} {
		if got, ok := list.At(tt.model, day(t, tt.at)); got.Input != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s at %s: %d, %t, want %d", tt.model, tt.at, got.Input, ok, tt.want)
		}
	}
	for _, tt := range []struct {
		model, size, at string
		want            app.Nano
	}{
		{"gpt-image-1", "1024x1024", "2026-01-01", usd(t, "0.04774")}, {"gpt-image-1", "1024x1024", "2027-01-01", 50},
		{"gpt-image-1", "1536x1024", "2027-01-01", usd(t, "0.06822")}, {"gpt-image-1", "512x512", "2026-01-01", 0},
		{"gpt-image-1", "512x512", "2027-01-01", 5}, {"gpt-image-1", "", "2027-01-01", 0}, {"gpt-5", "", "2027-01-01", 0},
	} {
		if got, ok := list.ImageAt(tt.model, tt.size, day(t, tt.at)); got != tt.want || ok != (tt.want > 0) {
			t.Errorf("%s %s at %s: %d, %t, want %d", tt.model, tt.size, tt.at, got, ok, tt.want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		of   app.Nano
		p    int
		want app.Nano
	}{{1000, 80, 800}, {999, 80, 799}, {1, 99, 0}, {0, 50, 0}, {math.MaxInt64, 100, math.MaxInt64}, {math.MaxInt64, 50, math.MaxInt64 / 2}} {
		if got := tt.of.Percent(tt.p); got != tt.want {
			t.Errorf("%d %% of %d is %d, want %d", tt.p, tt.of, got, tt.want)
		}
	}
}
