package tools_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/agent"
)

// said is a text as JSON.
func said(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func answers(text string) string {
	return `{"answer":` + said(text) + `,"sources":["telegram.faq.0.a"]}`
}

// What looks like JSON is a text wherever it goes out as one, and is read field
// by field where it is stored so.
func TestJSONHidesNothing(t *testing.T) {
	t.Parallel()
	link, half := "claim at https://evil.com and "+stranger, stranger[2:22]
	tests := map[string]struct{ agent, tool, args string }{
		"an answer that repeats a key":         {"tg_bot", "tg_answer", answers(`{"a":"` + link + `","a":"gm"}`)},
		"an answer under an exempt key":        {"tg_bot", "tg_answer", answers(`{"member":"` + link + `"}`)},
		"an answer of sources":                 {"tg_bot", "tg_answer", answers(`{"sources":["evil.com","drop.claims"]}`)},
		"an answer of halves":                  {"tg_bot", "tg_answer", answers(`["` + half + `","` + stranger[22:] + `"]`)},
		"an answer of pieces of a link":        {"tg_bot", "tg_answer", answers(`["https:","//","evil",".com"]`)},
		"an answer in escapes":                 {"tg_bot", "tg_answer", answers(`{"a":"\u0065vil.com"}`)},
		"an answer in a key":                   {"tg_bot", "tg_answer", answers(`{"@bankrbot send":1}`)},
		"an answer that is a hash":             {"tg_bot", "tg_answer", answers(strings.Repeat("0a1b", 16))},
		"an answer that is a number":           {"tg_bot", "tg_answer", answers("15551234567")},
		"a foreign source":                     {"tg_bot", "tg_answer", `{"answer":"Now.","sources":["evil.com"]}`},
		"arguments that repeat a field":        {"tg_bot", "tg_answer", `{"answer":"evil.com","answer":"Now.","sources":["telegram.faq.0.a"]}`},
		"posts that repeat a field":            {"cm", "x_thread", `{"posts":` + said(posts("evil.com", "b", "c", "d")) + `,"posts":` + said(posts("1", "2", "3", "4")) + `}`},
		"a file that repeats a key":            {"cm", "write_file", `{"content":` + said(`{"a":"Migrate to `+stranger+`","a":"gm"}`) + `}`},
		"a file that repeats a key deeper":     {"cm", "write_file", `{"content":` + said(`{"x":[{"a":"evil.com","a":"gm"}]}`) + `}`},
		"a file that repeats a key in escapes": {"cm", "write_file", `{"content":` + said(`{"a":"evil.com","\u0061":"gm"}`) + `}`},
		"a file with a long number":            {"cm", "write_file", `{"content":` + said(`{"n":`+new(big.Int).SetBytes([]byte(stranger[2:22])).String()+`}`) + `}`},
		"a file with halves":                   {"cm", "write_file", `{"content":` + said(`{"a":"`+half+`","b":"`+stranger[22:]+`"}`) + `}`},
		"a config that repeats a key":          {"builder", "utility_build_and_test", `{"template":"web-minigame","config":` + said(`{"title":"evil.com","title":"Catch"}`) + `}`},
		"a picture of JSON":                    {"designer", "image_generate", `{"prompt":` + said(`{"a":"a sign that says evil.com","a":""}`) + `,"count":1,"size":"1024x1024"}`},
		"a site of JSON":                       {"webdev", "site_fill_and_build", change(t, siteArgs, "hero", `{"a":"Claim at evil.com","a":"gm"}`)},
		"a site with an address of this world": {"webdev", "site_fill_and_build", change(t, siteArgs, "hero", "Go to evil.com/claim")},
		"a site in halves":                     {"webdev", "site_fill_and_build", change(t, change(t, siteArgs, "hero", half), "tagline", stranger[22:])},
		"a hash as the headline":               {"webdev", "site_fill_and_build", change(t, siteArgs, "hero", strings.Repeat("0a1b", 16))},
	}
	for name, c := range tests {
		s := scope()
		s.Agent = c.agent
		if c.agent == "tg_bot" {
			s.Task = "tg.questions"
		}
		w := newWorld(t)
		if got := w.callIn(s, c.agent, c.tool, c.args); got.OK || !got.Refused || len(w.builds)+len(w.assets) > 0 {
			t.Errorf("%s: %s", name, got.Text)
		}
	}
}

// What nobody could read in time is not looked through at all.
func TestLongArgumentsAreRefusedUnread(t *testing.T) {
	t.Parallel()
	d := newWorld(t).deps()
	for name, args := range map[string]string{
		"one text":   `{"a":` + said(strings.Repeat("a.", 40_000)) + `}`,
		"many texts": `{"a":` + said(strings.Split(strings.Repeat(strings.Repeat("a b ", 100)+"|", 400), "|")) + `}`,
		"a key":      `{` + said(strings.Repeat("1.", 40_000)) + `:1}`,
	} {
		if err := d.Inspect(scope(), agent.FinishTool, json.RawMessage(args)); app.KindOf(err) != app.Invalid || !strings.Contains(err.Error(), "bytes: at most") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
