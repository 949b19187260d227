package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
)

func TestLivePageIsWholeWithoutScripts(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	doc := newVisitor(t, server.URL).get("/operations/dodo").doc(t)

	for selector, want := range map[string]string{
		"#head h1":                       "Dodo Coin DODO is being brought back",
		"#head .addr":                    official,
		"#now":                           "14 outputs wait for a person",
		"#now .spend":                    "$1.8421 spent",
		"#published-title":               "Published 7",
		"#numbers .facts":                "+60 %",
		"#take-away":                     x.op.HeadHash[:4],
		"#week-2 summary":                "Week 2, days 8 to 14",
		"#head .chip.live":               "verdict: revived",
		"#published .words":              "Day 7. 1,343 holders",
		"#published .small":              "approved by 1 person after 4 min",
		"#e320 .what":                    "Asked the model for the next move gpt-5-mini, 2,118 in, 402 out, table price",
		"#numbers table":                 "$0.00000412",
		".connection .chip":              "as of 7 Dec, 15:20 UTC",
		"#step-cm-daily_post-d08 .state": "failed",
	} {
		if got := squeeze(doc.Find(selector).Text()); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", selector, got, want)
		}
	}
	if n := doc.Find("li.step[id]").Length(); n != 82 {
		t.Errorf("the timeline has %d rows, want all 82", n)
	}
	if n := doc.Find("#log-lines li").Length(); n != 200 {
		t.Errorf("the log has %d rows, want the newest 200", n)
	}
	if n := doc.Find("#week-1 li.step").Length(); n != 13 {
		t.Errorf("week 1 folds %d rows, want 7 metrics, 5 posts and a shortlist", n)
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// TestCostsAreShownToAll holds that visitors and the team see where the money
// went, and both figures when a price was corrected.
func TestCostsAreShownToAll(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	public, team := newVisitor(t, server.URL), newVisitor(t, server.URL)
	team.signIn("viewer")
	pages := map[string]*goquery.Document{"#costs": public.get("/operations/dodo").doc(t), "[aria-labelledby=budget-title]": team.get("/admin/operations/dodo").doc(t)}
	for selector, doc := range pages {
		got := spoken(doc, selector)
		for _, want := range []string{"CM $1.3412 $0.03 reserved $1.50", "Designer $0.402000417 $12.50", "Builder $0.00 $10.00", "Tokens by our price list 212 rows of the log $1.203417",
			"The most it can have been, where no usage came back 2 rows of the log $0.288596583", "By a platform's price list 21 rows of the log $0.315", "As the gateway billed it 9 rows of the log $0.035086417",
			"As booked $1.8421 By today's price list $1.8408", "What was booked stays as it was; both figures are shown."} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", selector, want, got)
			}
		}
	}
	f := follow(t, server.URL, "?after=320", "")
	f.until(`<section id="costs"`)
	x.mu.Lock()
	x.spending.Today, x.op.Spent = x.spending.Spent, x.op.Spent+1
	x.mu.Unlock()
	hub.OperationChanged("1")
	if got := f.until(`<section id="costs"`); !strings.Contains(got, "As booked") || strings.Contains(got, "today's price list") {
		t.Errorf("without a difference both figures are shown:\n%s", tail(got))
	}
	x.spending.Agents, x.sources = nil, nil
	x.op.Seq++
	if got := spoken(public.get("/operations/dodo").doc(t), "#costs"); !strings.Contains(got, "Nothing was spent yet. Each agent appears here with its first call.") {
		t.Errorf("without any cost it says %q", got)
	}
}

func TestAStepLeadsToItsRun(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	doc := v.get("/admin/operations/dodo").doc(t)
	running := doc.Find("#step-scanner-daily_metrics-d09 a").First()
	if got := squeeze(running.Text()); got != "watch it run of Daily metrics, day 9" {
		t.Errorf("a running step offers %q", got)
	}
	if res := v.get(running.AttrOr("href", "")); res.Header.Get("Location") != "/admin/runs/run-2" {
		t.Errorf("it leads to %s %q, want the newest run", res.Status, res.Header.Get("Location"))
	}
	if got := spoken(doc, "#step-cm-daily_post-d08 a"); got != "trace of Daily post, day 8 4 runs of Daily post, day 8" {
		t.Errorf("a failed step offers %q", got)
	}
}

func TestLogFilterOlderAndPermalink(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	doc := v.get("/operations/dodo?agent=designer&kind=model_call").doc(t)
	doc.Find("#log-lines li").Each(func(_ int, li *goquery.Selection) {
		if text := li.Text(); !strings.Contains(text, "Designer") || !strings.Contains(text, "Asked the model") {
			t.Errorf("the filter lets through %q", squeeze(text))
		}
	})
	if n := doc.Find("#log-lines li").Length(); n == 0 {
		t.Error("the filter lets nothing through")
	}

	newest := v.get("/operations/dodo").doc(t)
	older, _ := newest.Find("#log a:contains('Older rows')").Attr("href")
	doc = v.get(older).doc(t)
	if first, last := rowRange(doc); first != "e1" || last != "e120" {
		t.Errorf("older rows go from %s to %s, want e1 to e120", first, last)
	}
	if init, _ := doc.Find("[data-init]").Attr("data-init"); !strings.Contains(init, "before=121") {
		t.Errorf("a page of older rows would get new ones: %s", init)
	}
	if n := v.get("/operations/dodo?line=7").doc(t).Find("#e7").Length(); n != 1 {
		t.Error("a permalink to an old row does not show it")
	}
}

func rowRange(doc *goquery.Document) (first, last string) {
	rows := doc.Find("#log-lines li")
	return rows.First().AttrOr("id", ""), rows.Last().AttrOr("id", "")
}

// follower reads an operation's stream.
type follower struct {
	t     *testing.T
	lines *bufio.Scanner
}

func follow(t *testing.T, base, query, lastEventID string) follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/operations/dodo/live"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); res.Body.Close() })
	if res.Header.Get("Content-Encoding") != "" {
		t.Error("the stream is compressed")
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return follower{t, lines}
}

// until reads up to a line that holds text and returns all that came.
func (f follower) until(text string) string {
	f.t.Helper()
	var all strings.Builder
	for f.lines.Scan() {
		if strings.Contains(f.lines.Text(), "\r") {
			f.t.Errorf("text from outside ends a line of the stream: %q", f.lines.Text())
		}
		all.WriteString(f.lines.Text() + "\n")
		if strings.Contains(f.lines.Text(), text) {
			return all.String()
		}
	}
	f.t.Fatalf("the stream ended without %q:\n%.2000s", text, all.String())
	return ""
}

func TestStreamHasNoGapAndNoRepeat(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	f := follow(t, server.URL, "?after=318", "")
	got := f.until(`<li id="e320">`)
	if strings.Contains(got, `<li id="e318">`) || !strings.Contains(got, `<li id="e319">`) || !strings.Contains(got, "id: 320") {
		t.Errorf("after row 318 came:\n%s", tail(got))
	}
	for i := range 3 {
		seq := x.append(app.EventLine{Kind: "step", Summary: fmt.Sprint("New ", i)}, x.steps[3], today)
		hub.OperationChanged("1")
		if got := f.until(fmt.Sprintf(`<li id="e%d">`, seq)); strings.Count(got, "<li id=\"e") != 1 {
			t.Errorf("with row %d came more:\n%s", seq, tail(got))
		}
	}
	resumed := follow(t, server.URL, "?after=1", "322").until(`<li id="e323">`)
	if strings.Contains(resumed, `<li id="e322">`) || strings.Contains(resumed, `<li id="e2">`) {
		t.Errorf("resumed from 322, the stream repeats:\n%s", tail(resumed))
	}
}

func tail(s string) string { return s[max(len(s)-1500, 0):] }

func TestStreamPatchesWhatChangedOnly(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	f := follow(t, server.URL, "?after=320", "")
	f.until(`<section id="take-away"`)
	x.setStep("scanner.daily_metrics.d09", app.StepDone)
	hub.OperationChanged("1")
	got := f.until("Daily metrics, day 9: done.")
	if !strings.Contains(got, `<section id="plan"`) || !strings.Contains(got, "selector #announcement") {
		t.Errorf("a step that ended sends\n%s", tail(got))
	}
	for _, unchanged := range []string{"head", "numbers", "published", "take-away"} {
		if strings.Contains(got, `<section id="`+unchanged+`"`) {
			t.Errorf("%s came again although nothing in it changed", unchanged)
		}
	}
}

func TestFarBehindIsResynced(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	for range 400 {
		x.append(app.EventLine{Kind: "step", Summary: "More"}, x.steps[0], today)
	}
	server, _ := x.serve(t)
	got := follow(t, server.URL, "?after=1", "").until("id: 720")
	got += follow(t, server.URL, "?after=1", "").until(`<li id="e720">`)
	if strings.Contains(got, `<li id="e300">`) || !strings.Contains(got, `<section id="log"`) {
		t.Errorf("a viewer far behind gets row by row:\n%s", tail(got))
	}
}

func TestFilteredStream(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	f := follow(t, server.URL, "?after=320&kind=alert", "")
	x.append(app.EventLine{Kind: "step", Summary: "Not asked for"}, x.steps[3], today)
	wanted := x.append(app.EventLine{Kind: "alert", Summary: "Asked for"}, x.steps[3], today)
	hub.OperationChanged("1")
	if got := f.until(fmt.Sprintf(`<li id="e%d">`, wanted)); strings.Contains(got, "Not asked for") {
		t.Errorf("the filter holds for the page and not for its stream:\n%s", tail(got))
	}
}

func TestExportHoldsTheHashedBytes(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	res := newVisitor(t, server.URL).get("/operations/dodo/log.jsonl")
	prev, n := "", 0
	for line := range strings.Lines(res.body) {
		var row struct {
			Line     json.RawMessage
			PrevHash string `json:"prev_hash"`
			Hash     string
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if row.PrevHash != prev || row.Hash != app.SHA256Hex(append([]byte(prev), row.Line...)) {
			t.Fatalf("row %d does not follow from the one before", n+1)
		}
		prev, n = row.Hash, n+1
	}
	if n != 320 || prev != x.op.HeadHash {
		t.Errorf("the export has %d rows and ends with %s", n, prev)
	}
}

func TestAtom(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	var feed struct {
		Entries []struct {
			ID    string `xml:"id"`
			Title string `xml:"title"`
		} `xml:"http://www.w3.org/2005/Atom entry"`
	}
	if err := xml.Unmarshal([]byte(newVisitor(t, server.URL).get("/operations/dodo/log.atom").body), &feed); err != nil {
		t.Fatal(err)
	}
	if len(feed.Entries) != 50 || feed.Entries[0].ID != "http://vivra.test/operations/dodo?line=320#e320" {
		t.Errorf("the feed has %d entries and begins with %+v", len(feed.Entries), feed.Entries[0])
	}
}

// TestAPausedTakeoverPromisesNoTime holds that what comes next has no due time
// while nothing starts.
func TestAPausedTakeoverPromisesNoTime(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.op.State = app.OperationPaused
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	now := spoken(v.get("/operations/dodo").doc(t), "#now > p:not(.row)")
	if !strings.HasPrefix(now, "Paused. Nothing new starts and nothing goes out until the team resumes it. Next: ") || !strings.HasSuffix(now, ", once it is resumed") || strings.Contains(now, "due") {
		t.Errorf("the public page says %q", now)
	}
	v.signIn("viewer")
	if got := spoken(v.get("/admin").doc(t), "article"); !strings.Contains(got, "Next once it is resumed: ") || strings.Contains(got, "due") {
		t.Errorf("the dashboard says %q", got)
	}
}

func TestMediaOfPublicationsOnly(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	if res := v.get("/operations/dodo/media/" + sha("meme")); res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/png" {
		t.Errorf("a published picture answers %s", res.Status)
	}
	for _, name := range []string{sha("pfp"), sha("manifest")[:63], "x", "dodo_back"} {
		if res := v.get("/operations/dodo/media/" + name); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s, which was not published, answers %s", name, res.Status)
		}
	}
}

func TestDatabaseDown(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	x.down = errors.New("dial unix: connection refused to secret-host")
	for _, path := range []string{"/", "/operations/dodo", "/admin", "/admin/validations", "/healthz", "/operations/dodo/live"} {
		res := v.get(path)
		if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(res.body, "database does not answer") || strings.Contains(res.body, "secret-host") {
			t.Errorf("%s answers %s: %s", path, res.Status, squeeze(res.body))
		}
	}
}

func TestStartATakeover(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	form := v.get("/admin/operations/new")
	for name, fields := range map[string]url.Values{
		"no ERC-20":   {"address": {other}},
		"no address":  {"address": {"dodo"}},
		"no cap":      {"address": {official}, "cap": {"0"}},
		"odd instant": {"address": {official}, "j0": {"soon"}},
		"odd chat":    {"address": {official}, "telegram_chat": {"@dodo"}},
	} {
		res := v.submit(form, "main form", fields)
		if res.StatusCode != http.StatusUnprocessableEntity || res.doc(t).Find("[role=alert]").Text() == "" || res.doc(t).Find("input[name=address]").AttrOr("value", "") != fields.Get("address") {
			t.Errorf("%s answers %s and loses what was entered", name, res.Status)
		}
	}
	res := v.submit(form, "main form", url.Values{"address": {official}, "j0": {"2026-12-08T09:00"}, "x_handle": {"@dodo_back"}})
	if res.Header.Get("Location") != "/admin/operations/dodo" || x.said() != "start "+strings.ToLower(official)+" cap $25.00 by admin" {
		t.Errorf("starting answers %s and does %q", res.Status, x.said())
	}
}

func TestTelegramWebhook(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	send := func(secret, body string) page {
		req, err := http.NewRequest(http.MethodPost, server.URL+"/telegram/webhook", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		return v.do(req)
	}
	for secret, want := range map[string]int{"": 403, "guess": 403, "hook": 200} {
		if res := send(secret, `{"update_id":1}`); res.StatusCode != want {
			t.Errorf("the secret %q answers %s", secret, res.Status)
		}
	}
	if res := send("hook", strings.Repeat("x", 1<<20+1)); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge update answers %s", res.Status)
	}
	if x.said() != `update {"update_id":1}` {
		t.Errorf("kept: %q", x.said())
	}
}
