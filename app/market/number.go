package market

import (
	"math"
	"strconv"
	"strings"
)

// number is a JSON number, or the same as a string; null, an empty string and
// what is not finite are unknown.
type number struct {
	value float64
	known bool
}

// UnmarshalJSON reads any of the spellings and never fails: one odd field must
// not cost the whole answer.
func (n *number) UnmarshalJSON(raw []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(raw), `"`), 64)
	*n = number{v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)}
	if !n.known {
		n.value = 0
	}
	return nil
}

// or returns n, or other when n is unknown or not positive.
func (n number) or(other number) float64 {
	if n.known && n.value > 0 {
		return n.value
	}
	return other.value
}
