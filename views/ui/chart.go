package ui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"vivra/app"
)

// The chart's drawing area, in units of its view box: wide enough to read at
// 320 px, where a unit is about a pixel.
const (
	chartWidth  = 300.0
	chartHeight = 88.0
	chartTop    = 22.0
	chartBottom = 74.0
)

// Series is one figure over time.
type Series struct {
	label  string
	format func(float64) string
	at     []time.Time
	values []float64
}

// NewSeries takes one figure out of measurements, oldest first.
func NewSeries(label string, format func(float64) string, metrics []app.Metrics, value func(app.Metrics) float64) Series {
	s := Series{label: label, format: format}
	for _, m := range metrics {
		s.at, s.values = append(s.at, m.At), append(s.values, value(m))
	}
	return s
}

func (s Series) last() float64  { return s.values[len(s.values)-1] }
func (s Series) first() float64 { return s.values[0] }

// path draws the line; a single measurement is a point and draws nothing.
func (s Series) path() string {
	var d strings.Builder
	for i := range s.values {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&d, "%s%.1f %.1f", verb, s.x(s.at[i]), s.y(s.values[i]))
	}
	return d.String()
}

// x places an instant; y places a value. The baseline is always in the picture.
func (s Series) x(t time.Time) float64 {
	span := s.at[len(s.at)-1].Sub(s.at[0])
	if span <= 0 {
		return 0
	}
	return (chartWidth - 8) * float64(t.Sub(s.at[0])) / float64(span)
}

func (s Series) y(v float64) float64 {
	low, high := s.bounds()
	if high == low {
		return (chartTop + chartBottom) / 2
	}
	return chartBottom - (chartBottom-chartTop)*(v-low)/(high-low)
}

func (s Series) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, v := range s.values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// startX is where the takeover began, false when it is out of the picture.
func (s Series) startX(j0 time.Time) (float64, bool) {
	n := len(s.at)
	if n < 2 || j0.Before(s.at[0]) || j0.After(s.at[n-1]) {
		return 0, false
	}
	return s.x(j0), true
}

func (s Series) alt() string {
	low, high := s.bounds()
	return fmt.Sprintf("%s: from %s to %s over %s, between %s and %s",
		s.label, s.format(s.first()), s.format(s.last()), Count(len(s.values), "measurement", "measurements"), s.format(low), s.format(high))
}

func coordinate(v float64) string { return fmt.Sprintf("%.1f", v) }
