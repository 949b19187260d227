package app_test

import (
	"testing"

	"vivra/app"
)

func TestIDsAreComparedAsNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "1", -1}, {"9", "10", -1}, {"10", "9", 1}, {"007", "7", 0},
		{"9007199254740993", "9007199254740992", 1}, // the same, as floats
		{"18446744073709551616", "18446744073709551615", 1},
	} {
		if got := app.CompareIDs(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d", c.a, c.b, got)
		}
	}
}
