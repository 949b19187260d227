// Package testpace tells tests how time grows with a text. It measures ratios
// only: a machine may be as slow as it likes.
package testpace

import (
	"strings"
	"testing"
	"time"
)

// A text is slow when it takes more than growth times as long as a quarter of
// it, which counts as floor at least.
const (
	growth = 8
	floor  = 25 * time.Millisecond
	// runes of the shorter text: from here on regular expressions take the same way.
	runes = 12_000
)

// Linear fails when find takes out of proportion longer for four times the text,
// whichever of the floods the text repeats.
func Linear(tb testing.TB, name string, find func(text string), floods []string) {
	tb.Helper()
	for _, flood := range floods {
		part := strings.Repeat(flood, runes/len([]rune(flood))+1)
		short, long := fastest(find, part), fastest(find, strings.Repeat(part, 4))
		if long > growth*max(short, floor) {
			tb.Errorf("%s: %d runes of %q take %v, four times as many %v", name, runes, flood, short, long)
		}
	}
}

// fastest is how long find takes when nothing comes between.
func fastest(find func(string), text string) time.Duration {
	least := time.Hour
	for range 6 {
		start := time.Now()
		find(text)
		least = min(least, time.Since(start))
		if least < growth*floor {
			break
		}
	}
	return least
}
