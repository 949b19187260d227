package preflight_test

import (
	"strings"
	"testing"

	"vivra/app/preflight"
)

func TestLength(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"empty":                       {"", 0},
		"Latin":                       {"It dances again.", 16},
		"Cyrillic is light":           {"привет", 6},
		"typographic quotes, dashes":  {"“a” – b", 7},
		"Japanese is heavy":           {"日本語", 6},
		"decomposed counts composed":  {"cafe\u0301", 4},
		"link with scheme":            {"see https://example.com/" + strings.Repeat("a", 80), 27},
		"short link counts 23 too":    {"https://t.co/a", 23},
		"bare domain":                 {"buy on pump.fun now", 7 + 23 + 4},
		"the full stop is outside":    {"go to pump.fun.", 6 + 23 + 1},
		"eth is no ending":            {"send to dodo.eth", 16},
		"local address is plain text": {"http://127.0.0.1:80/a", 21},
		"emoji":                       {"🔥", 2},
		"skin tone":                   {"👍🏽", 2},
		"family":                      {"👨‍👩‍👧‍👦", 2},
		"pirate flag":                 {"🏴‍☠️", 2},
		"flag of Wales":               {"🏴󠁧󠁢󠁷󠁬󠁳󠁿", 2},
		"regional flag":               {"🇫🇷", 2},
		"half a flag":                 {"🇫", 2},
		"keycap":                      {"1️⃣", 2},
		"old keycap":                  {"1⃣", 2},
		"digit":                       {"1", 1},
		"heart in emoji style":        {"❤️", 2},
		"a chain that is no emoji":    {strings.Repeat("👩\u200d", 5) + "👩", 6*2 + 5},
		"emoji between letters":       {"a🔥b", 4},
		"address":                     {"0x" + strings.Repeat("ab", 20), 42},
	} {
		if got := preflight.Length(c.text); got != c.want {
			t.Errorf("%s: %q counts %d, want %d", name, c.text, got, c.want)
		}
	}
}
