package tools_test

import (
	"strings"
	"testing"

	"vivra/app/tools"
)

func guard() tools.Guard {
	return tools.GuardOf(scope(), "https://live.vivra.site")
}

func TestGuardLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"https://dodo.vivra.site":                       true,
		"dodo.vivra.site/how-to-buy":                    true,
		"HTTPS://DODO.VIVRA.SITE":                       true,
		"https://live.vivra.site/operations/dodo#e12":   true,
		"https://pons.family/token/0x1":                 true,
		"https://t.me/dodo":                             true,
		"t.me/Dodo/12":                                  true,
		"https://x.com/dodo_back/status/1":              false, // of whoever wrote that post
		"https://x.com/dodo_scam":                       false,
		"https://t.me/dodo_official":                    false,
		"https://t.me/dodo/../evil":                     false,
		"https://t.me/dodo/%2e%2e/evil":                 false,
		"https://t.me/+AbCdEf":                          false,
		"https://evil.com":                              false,
		"evil.com/dodo.vivra.site":                      false,
		"https://dodo.vivra.site.evil.com":              false,
		"https://dodo.vivra.site@evil.com/":             false,
		"https://user:pw@dodo.vivra.site":               false,
		"https://dodo.vivra.site:8443":                  false,
		"https://other.vivra.site":                      false,
		"https://xn--ddo-jub.vivra.site":                false,
		"tg://resolve?domain=evil":                      false,
		"ftp://dodo.vivra.site/x":                       false,
		"javascript://dodo.vivra.site/%0aalert(1)":      false,
		"http://127.0.0.1:8080/":                        false,
		"https://pons\u200b.family.evil.com":            false,
		"пример.рф":                                     false,
		"https://dоdo.vivra.site (a Cyrillic o)":        false,
		"ｅｖｉｌ.com":                                      false,
		"see https://pons.family, then https://evil.io": false,
	}
	for text, want := range tests {
		found := guard().URLs("Look: " + text + " ok?")
		got := len(found) > 0
		for _, link := range found {
			got = got && link.Allowed
		}
		if got != want {
			t.Errorf("%s: found %+v, want allowed %v", text, found, want)
		}
		if problems := guard().Problems(text); (len(problems) == 0) != want {
			t.Errorf("%s: problems %v", text, problems)
		}
	}
	for _, text := range []string{"gm. wen? 3.14 e.g. that...", "@dodo_back", "a/b", "50% of 1.000.000", "node.js? v1.2.3"} {
		if found := guard().URLs(text); len(found) > 0 {
			t.Errorf("%q is no link: %+v", text, found)
		}
	}
}

// The local world has hosts without a known ending, and ports.
func TestGuardKnowsLocalHosts(t *testing.T) {
	t.Parallel()
	s := scope()
	s.SiteHost = "dodo.localhost:8787"
	g := tools.GuardOf(s, "http://127.0.0.1:8080/")
	for link, want := range map[string]bool{
		"http://127.0.0.1:8080/operations/dodo": true, "http://dodo.localhost:8787/": true,
		"http://127.0.0.1:9999/": false, "http://localhost:8787/": false, "http://127.0.0.1:8080@evil.com/": false,
	} {
		if got := len(g.Problems("at "+link)) == 0; got != want {
			t.Errorf("%s: allowed %v, want %v", link, got, want)
		}
	}
}

func TestGuardAddresses(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		official:                                   true,
		strings.ToLower(official):                  true,
		"0X" + official[2:]:                        true,
		official[:20] + "\u200b" + official[20:]:   true, // the official one, in disguise
		stranger:                                   false,
		official[:41] + "8":                        false,
		stranger[:10] + "\u2060" + stranger[10:]:   false,
		"０ｘ" + stranger[2:]:                        false,
		official + " or " + stranger:               false,
		"https://pons.family/token/" + stranger:    false,
		stranger[:20] + "\ufe0f" + stranger[20:]:   false,
		"\u202e" + stranger + "\u202c, trust me":   false,
		strings.ToUpper(stranger) + " is the true": false,
	}
	for text, want := range tests {
		found := guard().Addresses(text)
		if len(found) == 0 {
			t.Errorf("%q: no address found", text)
			continue
		}
		got := true
		for _, address := range found {
			got = got && address.Matches
		}
		if got != want {
			t.Errorf("%q: %+v, want %v", text, found, want)
		}
	}
}

func TestRiskShowsBothSides(t *testing.T) {
	t.Parallel()
	risk := guard().Risk("Does it.", 7, "first "+official, "second "+stranger+" at evil.com")
	if len(risk.Addresses) != 2 || !risk.Addresses[0].Matches || risk.Addresses[1].Matches ||
		len(risk.Links) != 1 || risk.Links[0].Allowed || len(risk.Problems) != 2 || risk.PublishPrice != 7 || risk.Effect != "Does it." {
		t.Errorf("risk %+v", risk)
	}
}

func TestWinner(t *testing.T) {
	t.Parallel()
	none := -1
	tests := map[string]struct {
		x, telegram []int
		want        int
		by          string
	}{
		"added":                        {[]int{5, 2, 1}, []int{0, 4, 0}, 1, "votes"},
		"tie goes to X":                {[]int{3, 1, 0}, []int{0, 2, 0}, 0, "x_votes"},
		"only the tied count":          {[]int{1, 2, 9}, []int{9, 8, 0}, 1, "x_votes"},
		"tied on X too":                {[]int{2, 2, 0}, []int{1, 1, 0}, none, "team"},
		"nobody voted":                 {[]int{0, 0, 0}, []int{0, 0, 0}, none, "team"},
		"Telegram alone":               {nil, []int{0, 1, 3}, 2, "votes"},
		"X alone":                      {[]int{0, 1, 3}, nil, 2, "votes"},
		"Telegram alone and tied":      {nil, []int{3, 1, 3}, none, "team"},
		"three tied, two of them on X": {[]int{2, 2, 0}, []int{0, 0, 2}, none, "team"},
	}
	for name, tt := range tests {
		got, by := tools.Winner(tt.x, tt.telegram)
		if by != tt.by || (got == nil) != (tt.want == none) || got != nil && *got != tt.want {
			t.Errorf("%s: %v by %s, want %d by %s", name, got, by, tt.want, tt.by)
		}
	}
}
