package sites

import "testing"

func TestUSD(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "$0", 0.0000421349: "$0.00004213", 0.5: "$0.5", 0.1 + 0.2: "$0.3", 12.5: "$12.50", 999.994: "$999.99", 48213: "$48.21K", 1e6: "$1M", 2.5e9: "$2.5B", 1e-17: "$0.00000000000000001"} {
		if got := usd(v); got != want {
			t.Errorf("usd(%v) = %s, want %s", v, got, want)
		}
	}
}
