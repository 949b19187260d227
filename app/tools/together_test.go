package tools_test

import (
	"slices"
	"strings"
	"testing"

	"vivra/app/agent"
	"vivra/app/tools"
)

// halves are outputs that say in their parts together what none may say alone.
func TestPartsAreReadTogether(t *testing.T) {
	t.Parallel()
	h := stranger[2:]
	for _, c := range []struct {
		rule  agent.Rule
		texts []string
	}{
		{agent.RuleAddress, []string{"The new CA, part 1: " + h[:10], "part 2: " + h[10:20], "part 3: " + h[20:30], "part 4: " + h[30:]}},
		{agent.RuleAddress, []string{"Our CA starts " + h[:20], h[20:], "that is all", "join the two"}},
		{agent.RuleAddress, []string{"New CA is, in order:", h[:14], h[14:28], h[28:]}},
		{agent.RuleAddress, []string{"CA:", "0x" + h[:3], h[3:20], h[20:]}},
		{agent.RuleAddress, []string{"0x", h}},
		{agent.RuleAddress, []string{"Dodo " + h[:20], h[20:]}},
		{agent.RuleAddress, []string{"a: " + h[:20] + " b: " + h[20:]}},
		{agent.RuleAddress, []string{"1. " + h[:10] + "\n2. " + h[10:20] + "\n3. " + h[20:30] + "\n4. " + h[30:]}},
		{agent.RuleAddress, []string{"First half: " + h[:20] + " and the second half of the address follows: " + h[20:]}},
		{agent.RuleAddress, []string{"Official: " + official + ", outdated. New in parts: " + h[:13] + " / first, " + h[13:26] + " / second, " + h[26:]}},
		{agent.RuleLink, []string{"Go to evil", ".com/claim", "read the last two as one"}},
		{agent.RuleLink, []string{"Go to evil.", "com/claim"}},
		{agent.RuleLink, []string{"https:", "//", "evil", ".com"}},
		{agent.RuleLink, []string{"evil", ".com", "/claim"}},
		{agent.RuleMention, []string{"@", "bankrbot", "send it"}},
		{agent.RuleCashtag, []string{"buy $", "SCAM"}},
		{agent.RuleEncoded, []string{"... . -. -..", ".- .-.. .-..", "..- -. .. .-", "gm"}},
		{agent.RuleEncoded, []string{"c2VuZCBhbGwg", "b2YgaXQgdG8g", "dGhlIHdhbGxl", "dA"}},
	} {
		if got := rulesOf(guard().Violations(c.texts...)); !slices.Contains(got, c.rule) {
			t.Errorf("%q breaks %v, want %s", c.texts, got, c.rule)
		}
	}
	for _, texts := range [][]string{
		{"The dodo is back.", "Live on two chains: no.", "Me too, says holder #1.", "Next: the poll."},
		{"CA: " + official, "again " + strings.ToLower(official), official[2:]},
		{"Night Shift", "Museum", "Comet"}, {"gm", "/gm everyone", "!important"},
		{"Post 1871234567890123456", "Post 1871234567890123457", "Post 1871234567890123458"},
		{"Add a bead, a face, a decade", "C0FFEE", "12 34 56"},
		{"We rest in my wallet.", "eth holders know."}, {"and/", "or"}, {"24", "/7"}, {"a — b —", ". . ."},
		{"#102030", "#ffaa00", "#00aaff", "#ffffff", "412 holders"},
	} {
		for _, v := range guard().Violations(texts...) {
			t.Errorf("%q: %s: %s", texts, v.Rule, v.Detail)
		}
	}
}

// A command counts on Telegram wherever it stands, on X only where a bot would
// act upon it.
func TestCommandsByPlace(t *testing.T) {
	t.Parallel()
	x, telegram := guard(), guard()
	telegram.Telegram = true
	for text, want := range map[string][2]bool{ // refused on X, on Telegram
		"Tap /claim to get yours": {false, true}, "- /claim": {false, true}, "“/claim”": {false, true}, "Use /claim.": {false, true},
		"/claim@bankrbot": {true, true}, "gm\n/start": {true, true}, "!swap all": {true, true}, "/foo\n/bar": {true, true},
		"/gm everyone": {false, true}, "!important": {false, true}, "!gm": {false, true}, "/s (sarcasm)": {false, true},
		"Ask with /quiz, see /table.": {false, false}, "and/or, 24/7, 1/2, km/h": {false, false},
		"https://dodo.vivra.site/how-to-buy and dodo.vivra.site/play": {false, false}, "in /etc/hosts": {false, false},
	} {
		for i, g := range []tools.Guard{x, telegram} {
			if got := slices.Contains(rulesOf(g.Violations(text)), agent.RuleCommand); got != want[i] {
				t.Errorf("%q, place %d: refused %v, want %v", text, i, got, want[i])
			}
		}
	}
	s := scope()
	s.Agent = "tg_bot"
	if !tools.GuardOf(s, "https://live.vivra.site").Telegram {
		t.Error("the group's agent writes elsewhere")
	}
}

// The token's own words are its own in whatever form, and nobody else's are.
func TestOwnSymbolAndAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		symbol, text string
		rule         agent.Rule
	}{
		{"DODO", "CA: " + official[2:], ""}, {"DODO", "CA:\n" + official[:22] + "\n" + official[22:], ""}, {"DODO", official[2:22] + "\n" + official[22:], ""},
		{"DODO", "合约地址" + official + "不变", ""},
		{"DODO", official[2:] + "a", agent.RuleEncoded}, {"DODO", "a" + official[2:], agent.RuleEncoded},
		{"DODO", "Burned: 0x000000000000000000000000000000000000dEaD", ""}, {"DODO", "0x0000000000000000000000000000000000000000", ""}, {"DODO", "0xdead is the burn prefix", ""},
		{"DODO", "0x0000000000000000000000000000000000000001", agent.RuleAddress}, {"DODO", "0xdeadbeef…", agent.RuleAddress},
		{"S&P6900", "$S&P6900 is on", ""}, {"T-REX", "$T-REX is on", ""}, {"DO.DO", "$DO.DO is on.", ""}, {"DODO2", "$DODO2 is not $DODO2.0; $DODO2!", ""},
		{"Doge$", "$Doge$ is back", ""}, {"1DOGE", "$1DOGE is back", ""}, {"狗", "$狗 回来了", ""}, {"CAFÉ", "$CAFÉ is open", ""},
		{"MOTHERSHIPCOMMANDERINCHIEFOFTHEUNIVERSE", "$MOTHERSHIPCOMMANDERINCHIEFOFTHEUNIVERSE lives", ""},
		{"C0FFEE", "$C0FFEE, 0xC0FFEE, coffee", ""}, {"DODO", "0xC0FFEE", agent.RuleAddress}, {"DODO", "$dodo_back", ""},
		{"DODO", "$1,234.50, $5k, $10mln, $20USD, $3 and $404", ""},
		{"DODO", "$DODO.X", agent.RuleCashtag}, {"DODO", "$1INCH", agent.RuleCashtag}, {"DODO", "$$SCAM", agent.RuleCashtag}, {"DODO", "$DODOX", agent.RuleCashtag}, {"S&P6900", "$S&P", agent.RuleCashtag},
	} {
		s := scope()
		s.Token.Symbol = c.symbol
		got := rulesOf(tools.GuardOf(s, "https://live.vivra.site").Violations(c.text))
		if c.rule == "" && len(got) > 0 || c.rule != "" && len(got) == 0 {
			t.Errorf("%q of $%s breaks %v, want %q", c.text, c.symbol, got, c.rule)
		}
	}
}

// A link in disguise is one without a scheme as well, and an allowed page may
// not lead on to another.
func TestLinksThatLeadOn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://pons.family/r?u=evil.com": false, "https://pons.family/r?to=//evil.com": false, "https://pons.family/r?u=https%3A%2F%2Fevil.com": false,
		"https://pons.family/r?u=evil%252ecom": false, "https://dodo.vivra.site/?to=//evil.com": false, "https://pons.family/r/https://evil.com": false,
		"pons.family/r#u=evil.com": false, "evil%2ecom": false, "evil&#46;com": false, "evil.cоm": false,
		"https://live.vivra.site/operations/dodo?line=7#e7": true, "https://pons.family/token/" + official + "?tab=chart&d=7": true,
	} {
		if got := guard().Violations("Look: " + text); (len(got) == 0) != want {
			t.Errorf("%s: %v, want allowed %v", text, got, want)
		}
	}
}
