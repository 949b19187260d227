package preflight_test

import (
	"encoding/hex"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vivra/app/preflight"
)

// spread puts s between the characters of text, n at a time.
func spread(text, s string, n int) string {
	var parts []string
	for from := 0; from < len(text); from += n {
		parts = append(parts, text[from:min(from+n, len(text))])
	}
	return strings.Join(parts, s)
}

func replaced(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }

// disguises are the ways in which people get an address past a filter. Each
// takes 0x and 40 lower-case digits.
var disguises = map[string]func(string) string{
	"plain":      func(a string) string { return a },
	"upper case": strings.ToUpper,
	"words": func(a string) string {
		return strings.NewReplacer("0x", "zero ex ", "0", "zero ", "1", "one ", "2", "two ", "3", "three ", "4", "four ", "5", "five ", "6", "six ", "7", "seven ", "8", "eight ", "9", "nine ",
			"a", "alpha ", "b", "bravo ", "c", "charlie ", "d", "delta ", "e", "echo ", "f", "foxtrot ").Replace(a)
	},
	"capital X":             replaced("0x", "0X"),
	"without 0x":            func(a string) string { return a[2:] },
	"0x apart":              replaced("0x", "0x "),
	"0 x apart":             replaced("0x", "0 x "),
	"Cyrillic x":            replaced("x", "х"),
	"Greek O":               replaced("0x", "Οx"),
	"times sign":            replaced("x", "×"),
	"Cyrillic letters":      replaced("a", "а", "c", "с", "e", "е"),
	"letter O for zero":     replaced("0", "O"),
	"letter l for one":      replaced("1", "l"),
	"fullwidth":             replaced("0", "０", "x", "ｘ", "a", "ａ", "b", "ｂ", "c", "ｃ"),
	"mathematical digits":   replaced("0", "𝟎", "1", "𝟏", "2", "𝟐"),
	"circled letters":       replaced("a", "ⓐ", "b", "ⓑ", "f", "ⓕ"),
	"Arabic digits":         replaced("1", "١", "2", "٢", "3", "٣", "4", "٤"),
	"Devanagari digits":     replaced("5", "५", "6", "६"),
	"zero-width spaces":     func(a string) string { return spread(a, "\u200b", 3) },
	"joiners":               func(a string) string { return spread(a, "\u2060", 1) },
	"tag characters":        func(a string) string { return spread(a, "\U000E0041", 5) },
	"variation selectors":   func(a string) string { return spread(a, "\ufe0f", 4) },
	"Hangul filler":         func(a string) string { return spread(a, "\u3164", 6) },
	"blank Braille":         func(a string) string { return spread(a, "\u2800", 7) },
	"soft hyphens":          func(a string) string { return spread(a, "\u00ad", 2) },
	"bidi override":         func(a string) string { return "\u202d" + a + "\u202c" },
	"blanks":                func(a string) string { return spread(a, " ", 4) },
	"one by one":            func(a string) string { return spread(a, " ", 1) },
	"lines":                 func(a string) string { return spread(a, "\n", 14) },
	"dots":                  func(a string) string { return spread(a, ".", 5) },
	"dashes":                func(a string) string { return spread(a, "-", 8) },
	"emoji":                 func(a string) string { return spread(a, "🔥", 10) },
	"Markdown":              func(a string) string { return "**" + a[:10] + "**`" + a[10:] + "`" },
	"quotes":                func(a string) string { return spread(a, `" "`, 21) },
	"no-break spaces":       func(a string) string { return spread(a, "\u00a0", 6) },
	"in a path":             func(a string) string { return "https://etherscan.io/token/" + a + "?x=1" },
	"in a query":            func(a string) string { return "https://swap.example/?outputCurrency=" + a },
	"percent escapes":       func(a string) string { return percent(a) },
	"percent escapes twice": func(a string) string { return url.QueryEscape(percent(a)) },
	"HTML escapes":          func(a string) string { return strings.ReplaceAll(a, "0", "&#48;") },
	"HTML escapes twice":    func(a string) string { return html.EscapeString(strings.ReplaceAll(a, "x", "&#120;")) },
	"words around":          func(a string) string { return "CA:" + a + ", and a bad face" },
	"glued to a word":       func(a string) string { return "buy" + a + "now" },
}

func percent(text string) string {
	return "%" + spread(strings.ToUpper(hex.EncodeToString([]byte(text))), "%", 2)
}

func TestAddressesInDisguise(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	for name, disguise := range disguises {
		for range 20 {
			stranger := fmt.Sprintf("0x%016x%016x%08x", random.Uint64(), random.Uint64(), random.Uint32())
			found := preflight.Addresses("look " + disguise(stranger) + " !")
			if !slices.ContainsFunc(found, func(f string) bool { return preflight.Official(f, stranger) }) {
				t.Errorf("%s: %q is not found in %q, only %q", name, stranger, disguise(stranger), found)
			}
			for _, f := range preflight.Addresses("look " + disguise(strings.ToLower(official)) + " !") {
				if !preflight.Official(f, official) {
					t.Errorf("%s: the official address is taken for %s", name, f)
				}
			}
		}
	}
}

func TestAccountsOfOtherChains(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"send to 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa now":       "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq":           "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
		"tron TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":              "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"sol: EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v":    "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		"ton EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs": "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs",
		"vitalik.eth":        "vitalik.eth",
		"pay dodo-team.sol!": "dodo-team.sol",
		"wоrd.eth":           "wоrd.eth",
	} {
		if got := preflight.Addresses(text); !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What people write without an address in it is not taken for one.
func TestNoAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"gm", "a bad dead face decade facade added a bead 1 2 3", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26",
		"2026-03-04T05:06:07Z", "$1,234.56 of 1,000,000,000", "#102030 #ffaa00 #00aaff #ffffff #123456 #abcdef #1d5b3f",
		"0x1234…abcd", "tx 0x" + strings.Repeat("a1", 32), "hash " + strings.Repeat("b2", 32), spread(strings.Repeat("0f1e2d3c", 8), " ", 8),
		"9f86d081-884c-4d65-9a2f-eaa0c55ad015, 3b9aca00-1c2d-4e3f-8a9b-0c1d2e3f4a5b", "99999999999999999999999999999999999999999999",
		"The quick brown fox", "https://x.com/dodo_back/status/1871234567890123456", "Call 0800 123 456 or 0 800", "method", "ethics. Ethereum",
		"QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPb",
	} {
		if got := preflight.Addresses(text); len(got) > 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestHiddenLinks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"go to evil[.]com/claim":        "evil.com/claim",
		"evil(dot)com":                  "evil.com",
		"evil {.} com":                  "evil.com",
		"evil . com":                    "evil.com",
		"evil dot com":                  "evil.com",
		"hxxps://evil.com/x":            "https://evil.com/x",
		"h**p://evil.com":               "http://evil.com",
		"https :// evil.com":            "https://evil.com",
		"evil。com":                      "evil.com",
		"evil.com∕claim":                "evil.com/claim",
		"write to help@evil.com":        "help@evil.com",
		"javascript:alert(1)":           "javascript:alert(1)",
		"data:text/html,hi":             "data:text/html,hi",
		"mailto:a@b.c":                  "mailto:a@b.c",
		"tg:resolve?domain=evil":        "tg:resolve?domain=evil",
		"evil.com":                      "",
		"the dot on the i":              "",
		"It ends here . Then goes on .": "",
		"data: 412 holders":             "",
		"Tel: 1":                        "",
		"3 . 5":                         "",
		"@ann is here":                  "",
	} {
		got := preflight.HiddenLinks(text)
		if (len(got) > 0) != (want != "") || want != "" && !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestCommandsHandlesAndTickers(t *testing.T) {
	tickers := func(text string) []string { return preflight.Tickers(text) }
	t.Parallel()
	for _, c := range []struct {
		find func(string) []string
		text string
		want []string
	}{
		{preflight.Commands, "/claim@bankrbot 5", []string{"/claim@bankrbot"}},
		{preflight.Commands, "do /tip @bankrbot", []string{"/tip @bankrbot"}},
		{preflight.Commands, "hi\n/start now", []string{"/start"}},
		{preflight.Commands, " > !swap all", []string{"!swap"}},
		{preflight.Commands, "/\u200bstart", []string{"/start"}},
		{preflight.Commands, "see /operations/dodo and a/b, and/or\n/app/index.html\n/how-to-buy\n/a.css\n! really", nil},
		{preflight.Handles, "@ann, (@ben) ＠cid !@dan me@evil.com a@b @@eve", []string{"ann", "ben", "cid", "dan", "eve"}},
		{preflight.Handles, "@a\u200bnn", []string{"ann"}},
		{preflight.Handles, "5 @ 6, @", nil},
		{tickers, "$DODO, ($SCAMCOIN) ＄eth x$no $5 $ $1,200 $$", []string{"DODO", "SCAMCOIN", "eth"}},
		{tickers, "$S\u200bCAM $狗", []string{"SCAM", "狗"}},
	} {
		if got := c.find(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
