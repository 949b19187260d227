package preflight_test

import (
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/internal/testpace"
	"vivra/app/preflight"
)

func TestBanned(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Guaranteed profit for all":                      "guarantee*",
		"profit is GUARANTEED":                           "guarantee*",
		"gu\u200barante\u2060ed":                         "guarantee*",
		"g u a r a n t e e d":                            "guarantee*",
		"g.u.a.r.a.n.t.e.e.d":                            "guarantee*",
		"guar-anteed":                                    "guarantee*",
		"guаrаntееd in Cyrillic":                         "guarantee*",
		"𝐠𝐮𝐚𝐫𝐚𝐧𝐭𝐞𝐞𝐝":                                     "guarantee*",
		"ＧＵＡＲＡＮＴＥＥＤ":                                     "guarantee*",
		"guáränteed":                                     "guarantee*",
		"ɢᴜᴀʀᴀɴᴛᴇᴇᴅ":                                     "guarantee*",
		"#Guaranteed":                                    "guarantee*",
		"We guarantee it.":                               "guarantee*",
		"Risk-free, of course":                           "risk free",
		"riskfree":                                       "risk free",
		"You can't lose":                                 "can't lose",
		"You can’t lose":                                 "can't lose",
		"You cant lose":                                  "can't lose",
		"#ToTheMoon":                                     "to the moon",
		"10x gains await":                                "#x gain*",
		"1 0 x   g a i n s":                              "#x gain*",
		"the next 100x":                                  "next #x",
		"Act now!":                                       "act now",
		"Act\nnow":                                       "act now",
		"HURRY":                                          "hurry",
		"Don't miss it":                                  "don't miss",
		"Don’t miss it":                                  "don't miss",
		"only 3 hours left":                              "only # hours left",
		"we promise profits":                             "promise* profit*",
		"No doubt, guaranteed":                           "guarantee*",
		"No doubt guaranteed":                            "guarantee*",
		"not only guaranteed but soon":                   "guarantee*",
		"Not a joke: guaranteed":                         "guarantee*",
		"No rug. Guaranteed.":                            "guarantee*",
		"Nothing is guaranteed.":                         "",
		"nothing here is guaranteed":                     "",
		"There is no guarantee of anything":              "",
		"Not guaranteed":                                 "",
		"No promise of profit.":                          "",
		"This is not risk free":                          "",
		"It isn't guaranteed, and it won't moon.":        "",
		"Without guarantees":                             "",
		"What is not promised: anything about the price": "",
		"It dances again. 412 holders, 3 more than yesterday.":           "",
		"5x more buyers than on day 1":                                   "",
		"The moon is full tonight":                                       "",
		"A risk, free of charge, was read out":                           "",
		"Liquidity fell by 4 %. The chart shows it.":                     "",
		"Early on day 3 the deploy failed. The fix took an hour.":        "",
		"The unguaranteed loan":                                          "",
		"We lose track. Nobody acts. Now it rains.":                      "",
		"Time runs out for nobody":                                       "",
		"Six agents and a person decided this, and it cost four dollars": "",
	} {
		got := strings.Join(preflight.Banned(text, app.BannedPhrases()), ", ")
		if got != want {
			t.Errorf("%q holds %q, want %q", text, got, want)
		}
	}
	if got := preflight.Banned("稳赚不赔，速来", []string{"稳赚"}); len(got) != 1 {
		t.Errorf("a phrase in a script without blanks: %q", got)
	}
	if got := preflight.Banned("buy buy", []string{"", " ", "*"}); len(got) != 0 {
		t.Errorf("empty phrases: %q", got)
	}
}

// A list of the team's own takes the place of the default.
func TestBannedByRules(t *testing.T) {
	t.Parallel()
	post := preflight.Post{Text: "wen moon"}
	if got := broken(preflight.CheckPost(post, preflight.Rules{Banned: []string{"wen"}})); len(got) != 1 || got[0] != preflight.RuleBanned {
		t.Errorf("breaks %v", got)
	}
	early := preflight.Rules{Banned: []string{"still early |"}}
	if got := preflight.CheckPost(preflight.Post{Text: "Still early!"}, early); len(got) != 1 || !strings.Contains(got[0].Detail, "“still early” may not be said") {
		t.Errorf("says %v", got)
	}
	if got := preflight.CheckPost(preflight.Post{Text: "Still early on day 3."}, early); len(got) != 0 {
		t.Errorf("breaks %v", got)
	}
	if got := preflight.CheckPost(post, preflight.Rules{}); len(got) != 0 {
		t.Errorf("breaks %v", got)
	}
}

func TestBannedTakesTime(t *testing.T) {
	testpace.Linear(t, "Banned", func(s string) { preflight.Banned(s, app.BannedPhrases()) }, []string{"a ", "guarante ", "g", "1x ", "1 ", "1", "é", "no ", "稳", "can't "})
	// Numbers before a word that has an open end.
	testpace.Linear(t, "an open end", func(s string) { preflight.Banned(s+"x gain"+strings.Repeat("s", len(s)), app.BannedPhrases()) }, []string{"1 "})
}
