package ui

import (
	"strings"
	"testing"
	"time"

	"vivra/app"
)

func TestChartStaysInItsBox(t *testing.T) {
	t.Parallel()
	value := func(m app.Metrics) float64 { return m.PriceUSD }
	for name, prices := range map[string][]float64{"growing": {1, 2, 4}, "flat": {3, 3}, "one": {5}, "zero": {0, 0}, "fallen": {9, 0}} {
		var metrics []app.Metrics
		for i, p := range prices {
			metrics = append(metrics, app.Metrics{At: time.Date(2026, 11, 28, 21, 30, 0, 0, time.UTC).AddDate(0, 0, i), PriceUSD: p})
		}
		s := NewSeries("Price", func(float64) string { return "" }, metrics, value)
		for i := range s.values {
			if x, y := s.x(s.at[i]), s.y(s.values[i]); x < 0 || x > chartWidth || y < chartTop || y > chartBottom {
				t.Errorf("%s: point %d lies at %f, %f", name, i, x, y)
			}
		}
		if strings.Contains(s.path(), "NaN") {
			t.Errorf("%s: the path is %s", name, s.path())
		}
	}
}
