package preflight_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/preflight"
)

func TestLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		want    []string
		counted bool
	}{
		"none":                     {"It dances. Again! v1.2, e.g. this", nil, false},
		"scheme":                   {"see HTTPS://Dodo.Example.COM/a?b=c#d.", []string{"HTTPS://Dodo.Example.COM/a?b=c#d"}, true},
		"bare":                     {"pump.fun is not ours", []string{"pump.fun"}, true},
		"two":                      {"a.com, b.org/x", []string{"a.com", "b.org/x"}, true},
		"brackets around":          {"(https://a.com/b)", []string{"https://a.com/b"}, true},
		"brackets within":          {"https://a.com/b_(c) d", []string{"https://a.com/b_(c)"}, true},
		"port":                     {"https://a.com:8443/x", []string{"https://a.com:8443/x"}, true},
		"mail address is no link":  {"write to me@a.com", nil, false},
		"unknown ending after one": {"pump.fun.zzzz", []string{"pump.fun"}, true},
		"label of 64":              {strings.Repeat("a", 64) + ".com", nil, false},
		"local":                    {"http://localhost:8080/o/dodo", []string{"http://localhost:8080/o/dodo"}, false},
		"name before the host":     {"https://dodo.com@evil.com/x", []string{"https://dodo.com@evil.com/x"}, false},
		"Japanese ends it":         {"https://a.comです", []string{"https://a.com"}, true},
	} {
		if got := preflight.URLs(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q holds %q, want %q", name, c.text, got, c.want)
		}
		if got := preflight.HasLink(c.text); got != c.counted {
			t.Errorf("%s: link for X: %v, want %v", name, got, c.counted)
		}
	}
}

func TestAllowedLink(t *testing.T) {
	t.Parallel()
	allowed := []string{"dodo.vivra.site", "t.me/dodo", "127.0.0.1:8080"}
	for text, want := range map[string]bool{
		"https://dodo.vivra.site/app":        true,
		"DODO.vivra.site":                    true,
		"https://dodo.vivra.site.evil.com":   false,
		"https://evil.com/dodo.vivra.site":   false,
		"https://x.dodo.vivra.site":          false,
		"https://dodo.vivra.site:81":         false,
		"https://t.me/dodo":                  true,
		"t.me/dodo/5":                        true,
		"https://t.me/dodoevil":              false,
		"https://t.me/dodo/../evil":          false,
		"http://127.0.0.1:8080/o/dodo":       true,
		"http://127.0.0.1/o/dodo":            false,
		"https://dodo.vivra.site@evil.com":   false,
		"https://dodo.vivra.site:x@evil.com": false,
	} {
		links := preflight.Links(text)
		if len(links) == 0 {
			t.Errorf("%q: no link was found", text)
		}
		got := !slices.ContainsFunc(links, func(l preflight.Link) bool { return !preflight.AllowedLink(l, allowed) })
		if got != want {
			t.Errorf("%q: allowed %v, want %v (%+v)", text, got, want, links)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	address := "0x" + strings.Repeat("Ab", 20)
	for _, c := range []struct {
		find func(string) []string
		text string
		want []string
	}{
		{preflight.Mentions, "@ann hi ＠ben, not me@a.com", []string{"ann", "ben"}},
		{preflight.Mentions, "a@b @@c", nil},
		{preflight.Cashtags, "$DODO and $ETH.", []string{"DODO", "ETH"}},
		{preflight.Cashtags, "$DODO $BRK.A", []string{"DODO", "BRK.A"}},
		{preflight.Cashtags, "costs $5, ($ETH) a$b $toolongsym", nil},
		{preflight.Addresses, "CA: " + address + ".", []string{address}},
		{preflight.Addresses, "https://dexscreener.com/base/" + address, []string{address}},
		{preflight.Addresses, "0X" + strings.Repeat("a", 40), []string{"0X" + strings.Repeat("a", 40)}},
		{preflight.Addresses, "tx 0x" + strings.Repeat("a", 64), nil},
		{preflight.Addresses, "0x1234…abcd", nil},
		{preflight.Addresses, "0x\u200b" + strings.Repeat("a", 20) + "\u2060" + strings.Repeat("b", 20), []string{"0x" + strings.Repeat("a", 20) + strings.Repeat("b", 20)}},
		{preflight.Addresses, "０ｘ" + strings.Repeat("ａ", 40), []string{"0x" + strings.Repeat("a", 40)}},
	} {
		if got := c.find(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPostPrice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		summoned bool
		want     string
	}{
		{"gm", false, "$0.015"},
		{"gm", true, "$0.01"},
		{"gm pump.fun", false, "$0.20"},
		{"gm https://a.com", true, "$0.20"},
		{"http://localhost:1", false, "$0.015"},
	} {
		want, err := app.ParseUSD(c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := preflight.PostPrice(c.text, c.summoned); got != want {
			t.Errorf("%q costs %s, want %s", c.text, got, want)
		}
	}
}
