package sites

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// usd writes an amount with four significant digits below a dollar, and large
// ones short: $0.0004213, $12.50, $48.2K. widget.js writes the same.
func usd(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "$0"
	case a < 1:
		decimals := min(18, 3-int(math.Floor(math.Log10(a))))
		return "$" + strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, 64), "0")
	case a < 1000:
		return "$" + strconv.FormatFloat(v, 'f', 2, 64)
	}
	return "$" + count(v)
}

// count writes a number short: 12, 4.21K, 1B.
func count(v float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "K"}} {
		if math.Abs(v) >= unit.size {
			return trim(strconv.FormatFloat(v/unit.size, 'f', 2, 64)) + unit.name
		}
	}
	return trim(strconv.FormatFloat(v, 'f', 2, 64))
}

func trim(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// short shows the ends of an address where the whole stands nearby.
func short(address string) string {
	if len(address) < 12 {
		return address
	}
	return address[:6] + "…" + address[len(address)-4:]
}

func day(t time.Time) string     { return t.UTC().Format("2 January 2006") }
func instant(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }
func rfc(t time.Time) string     { return t.UTC().Format(time.RFC3339) }
