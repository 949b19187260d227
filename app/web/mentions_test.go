package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
)

// TestMentions: each with what was made of it in words, what others wrote as
// text and nothing else, and where to go on.
func TestMentions(t *testing.T) {
	t.Parallel()
	x, v := team(t, "viewer")
	page := v.get("/admin/operations/dodo/mentions")
	doc := page.doc(t)
	if page.StatusCode != http.StatusOK || doc.Find("article").Length() != len(x.mentioned()) {
		t.Fatalf("%s, %d mentions", page.Status, doc.Find("article").Length())
	}
	for id, want := range map[string][]string{
		"12": {"new", "@mara_holds", "when does the vote close?", "No rule has looked at it yet"},
		"11": {"being read", "A reader that can neither act nor write"},
		"10": {"for a person", "Code found an address in it that is not the token's", "No model saw it", "A picture is said to show:", "Its author says of themselves:"},
		"09": {"account 800000007", "The reader took it for a legal matter. A person has to see it."},
		"08": {"reply drafted", "a question about the address", "without a word of the mention", "waits for a decision", "See the draft in the queue"},
		"07": {"answered", "See the reply on X"},
		"06": {"ignored", "asks to be left alone", "never answered, by no account of ours"},
		"05": {"X's approval of automated replies is not on file", "never answered by this account: a reader found"},
		"04": {"probably written by a program", "Its words are no longer kept"},
		"03": {"It could not be read"},
		"02": {"failed, or was rejected too often", "See its step"},
	} {
		text := spoken(doc, "#mention-19900000000000000"+id)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q: %s", id, part, text)
			}
		}
	}
	for selector, href := range map[string]string{
		"#mention-1990000000000000008 a": "/admin/validations/v2", "#mention-1990000000000000007 a": "https://x.com/dodo_back/status/77",
		"#mention-1990000000000000002 a": "/admin/operations/dodo#step-cm-mention_reply-1990000000000000002", ".note a": "/admin/settings#setting-x-ai_reply_approval",
	} {
		if got := doc.Find(selector).First().AttrOr("href", ""); got != href {
			t.Errorf("%s leads to %q", selector, got)
		}
	}
	doc.Find("article blockquote, article figure").Each(func(_ int, words *goquery.Selection) {
		if words.Find("a, img, script").Length() > 0 {
			t.Errorf("what others wrote became markup: %s", words.Text())
		}
	})
	if strings.Contains(page.body, "<script>alert") || strings.Contains(page.body, "\u202e") {
		t.Error("what others wrote works on the page")
	}
}

// TestAWishIsTakenBack on the page, by who may decide, for a reason.
func TestAWishIsTakenBack(t *testing.T) {
	t.Parallel()
	_, viewer := team(t, "viewer")
	const page = "/admin/operations/dodo/mentions?state=ignored"
	if n := viewer.get(page).doc(t).Find("article form").Length(); n != 0 {
		t.Errorf("a viewer has %d forms", n)
	}
	x, v := team(t, "approver")
	if res := viewer.post("/admin/operations/dodo/opt-outs/800000008/removal", url.Values{"csrf": {viewer.token()}, "reason": {"it was a joke"}}); res.StatusCode != http.StatusForbidden {
		t.Errorf("a viewer is answered %s", res.Status)
	}
	form := v.get(page).doc(t).Find("#mention-1990000000000000006 form")
	at, _ := form.Attr("action")
	if at != "/admin/operations/dodo/opt-outs/800000008/removal" || form.AttrOr("method", "") != "post" {
		t.Fatalf("the form leads to %q", at)
	}
	if res := v.post(at, url.Values{"csrf": {v.token()}, "reason": {" "}}); res.StatusCode != http.StatusUnprocessableEntity && res.StatusCode != http.StatusBadRequest {
		t.Errorf("without a reason: %s", res.Status)
	}
	if res := v.post(at, url.Values{"csrf": {v.token()}, "reason": {"it was a joke"}}); res.StatusCode >= http.StatusBadRequest {
		t.Errorf("with a reason: %s", res.Status)
	}
	if got, want := x.said(), "take back the wish of 800000008 in dodo by approver: it was a joke"; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
}

func TestMentionsByState(t *testing.T) {
	t.Parallel()
	x, v := team(t, "viewer")
	for address, want := range map[string]int{"?state=flagged": 3, "?state=answered": 1, "?state=nonsense": 11, "?before=1990000000000000007": 5, "?before=x": 11} {
		doc := v.get("/admin/operations/dodo/mentions" + address).doc(t)
		if got := doc.Find("article").Length(); got != want {
			t.Errorf("%s shows %d", address, got)
		}
		here := spoken(doc, "nav [aria-current=true]")
		if flagged := strings.Contains(address, "flagged"); flagged != strings.Contains(here, "for a person 3") {
			t.Errorf("%s is said to be %q", address, here)
		}
	}
	if next := v.get("/admin/operations/dodo/mentions").doc(t).Find("[rel=next]").AttrOr("href", ""); next != "/admin/operations/dodo/mentions?before=1990000000000000002" {
		t.Errorf("older ones are at %q", next)
	}
	x.unnamed = true
	if text := spoken(v.get("/admin/operations/dodo/mentions").doc(t), "main"); !strings.Contains(text, "Nobody has named the account yet") || !strings.Contains(text, "once the account has published its first post") {
		t.Errorf("without any it says %q", text)
	}
	x.op.State = app.OperationPaused
	if res := v.get("/admin/operations/nowhere/mentions"); res.StatusCode != http.StatusNotFound {
		t.Errorf("mentions of nothing: %s", res.Status)
	}
}

// TestStepsBesideTheCalendar say what they are and what they cost, folded once
// they have ended; to the public they name nobody, and tell no post's number.
func TestStepsBesideTheCalendar(t *testing.T) {
	t.Parallel()
	_, v := team(t, "admin")
	inside := v.get("/admin/operations/dodo")
	doc := inside.doc(t)
	card := doc.Find("section[aria-labelledby=beside-title]")
	if got := squeeze(card.Text()); !strings.Contains(got, "412 steps, $1.2345 in all") || !strings.Contains(got, "410 steps that ended") || !strings.Contains(got, "The newest 3 are shown") || !strings.Contains(got, "running $0.00901") {
		t.Errorf("the team sees %s", got)
	}
	for list, want := range map[string]string{"> .steps": "Read 2 mentions, Reply to @chartless", "> details:not([open]) > .steps": "Reply to a mention, Reply to @" + squeeze(hostile) + ", Read 1 mention"} {
		var got []string
		doc.Find("section[aria-labelledby=beside-title] " + list + " .title > strong").Each(func(_ int, s *goquery.Selection) { got = append(got, squeeze(s.Text())) })
		if strings.Join(got, ", ") != want {
			t.Errorf("%s holds %q", list, got)
		}
	}
	if strings.Contains(inside.body, "<script>alert") {
		t.Error("a name became markup")
	}
	outside := v.get("/operations/dodo")
	public := outside.doc(t).Find("#beside")
	if got := squeeze(public.Text()); !strings.Contains(got, "412 steps") || !strings.Contains(got, "$1.2345") || !strings.Contains(got, "Read 2 mentions") || !strings.Contains(got, "Reply to a mention") || strings.Contains(got, "chartless") {
		t.Errorf("the public sees %s", got)
	}
	if _, open := public.Attr("open"); open || strings.Contains(outside.body, "1990000000000000") {
		t.Error("it stands open, or a stranger's post is named")
	}
}
