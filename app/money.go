package app

import (
	"fmt"
	"math/big"
	"strings"
)

// Nano is an amount of money in billionths of a US dollar. All money the
// product accounts for is counted in it; floats never are.
type Nano int64

// Dollar is one US dollar.
const Dollar Nano = 1_000_000_000

// ParseUSD reads a decimal amount such as "12", "0.0004" or "$3.50". More than
// nine decimals is an error: it could not be kept exactly.
func ParseUSD(s string) (Nano, error) {
	text := strings.TrimPrefix(strings.TrimSpace(s), "$")
	r, ok := new(big.Rat).SetString(text)
	if !ok || strings.ContainsAny(text, "eE/xX_") {
		return 0, Errorf(Invalid, "%q is not an amount in dollars. Write it like 12.50.", s)
	}
	r.Mul(r, new(big.Rat).SetInt64(int64(Dollar)))
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, Errorf(Invalid, "%q has more than nine decimals or is too large.", s)
	}
	return Nano(r.Num().Int64()), nil
}

// Percent returns that share of the amount, rounded down.
func (n Nano) Percent(p int) Nano { return n/100*Nano(p) + n%100*Nano(p)/100 }

// String shows the amount with as many decimals as it needs to be true, at
// least two: $12.50, $0.0004, $0.000000001.
func (n Nano) String() string {
	sign, v := "", int64(n)
	if v < 0 {
		sign, v = "-", -v
	}
	frac := strings.TrimRight(fmt.Sprintf("%09d", v%int64(Dollar)), "0")
	if len(frac) < 2 {
		frac += strings.Repeat("0", 2-len(frac))
	}
	return fmt.Sprintf("%s$%d.%s", sign, v/int64(Dollar), frac)
}
