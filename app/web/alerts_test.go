package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
	"vivra/app/internal/testbrowser"
)

// flood puts up n alerts of one kind, newer than the others.
func (x *exhibit) flood(n int) {
	defer x.lock()()
	for i := range n {
		x.alerts = append([]app.Alert{{ID: int64(100 + i), OperationID: 1, OperationSlug: "dodo", Kind: "unsafe_output", Subject: "cm.mentions: link",
			Message: fmt.Sprintf("Attack %d.", i), CreatedAt: today.Add(time.Duration(i-n) * time.Second)}}, x.alerts...)
	}
}

func ids(doc *goquery.Document) (all []string) {
	doc.Find("li[id^=alert-]").Each(func(_ int, li *goquery.Selection) {
		all = append(all, strings.TrimPrefix(li.AttrOr("id", ""), "alert-"))
	})
	return all
}

// TestAlertsInPages: four hundred are read page by page, none twice and none left out.
func TestAlertsInPages(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.flood(412)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	seen, at, pages := map[string]bool{}, "/admin/alerts", 0
	for at != "" && pages < 20 {
		res := v.get(at)
		if len(res.body) > 200_000 {
			t.Errorf("%s has %d bytes", at, len(res.body))
		}
		doc := res.doc(t)
		for _, id := range ids(doc) {
			if seen[id] {
				t.Errorf("alert %s is shown twice", id)
			}
			seen[id] = true
		}
		if at, pages = doc.Find("a[rel=next]").AttrOr("href", ""), pages+1; pages > 1 && doc.Find("[data-init]").Length() > 0 {
			t.Error("a page of older alerts is kept up to date")
		}
	}
	if len(seen) != 412+9 || pages != 9 {
		t.Errorf("%d alerts on %d pages", len(seen), pages)
	}
	doc := v.get("/admin").doc(t)
	if got := ids(doc); len(got) != 5 || got[0] != "511" || !strings.Contains(doc.Find("#alerts-title").Text(), "421") {
		t.Errorf("the dashboard shows %v and counts %q", got, squeeze(doc.Find("#alerts-title").Text()))
	}
}

func TestAlertsByOperationAndKind(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	all := v.get("/admin/alerts").doc(t)
	if got := strings.Join(ids(all), " "); got != "9 8 2 7 6 5 4 10 1" {
		t.Errorf("open, newest first: %s", got)
	}
	group := all.Find("#alerts a[href*='kind=unsafe_output']").First()
	one := v.get(group.AttrOr("href", "")).doc(t)
	if got := strings.Join(ids(one), " "); got != "2 7" || one.Find("#list-title").Text() != "Open: kept from leaving, dodo" {
		t.Errorf("of one kind: %s under %q", got, one.Find("#list-title").Text())
	}
	if got := ids(v.get("/admin/alerts?operation=ruff").doc(t)); len(got) != 0 {
		t.Errorf("of another operation: %v", got)
	}
	past := v.get("/admin/alerts?acknowledged=yes").doc(t)
	if got := spoken(past, "#alert-3"); !strings.Contains(got, "Acknowledged by ada 7 Dec 2026, 14:20 UTC") {
		t.Errorf("an acknowledged one says %q", got)
	}
}

// TestEachAlertSaysWhatToDo and leads to where that is done.
func TestEachAlertSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, v := team(t, "viewer")
	doc := v.get("/admin/alerts").doc(t)
	places := map[string]string{
		"9": "/admin/operations/dodo#effect-v-d07-1", "8": "/admin/operations/dodo#step-tg-weekly_mods-w1", "2": "/admin/operations/dodo#step-cm-daily_post-d09",
		"6": "/admin/validations/v1", "5": "/admin/settings#setting-budget-share_percent-designer", "4": "/admin/operations/dodo#effect-v-d06-0", "10": "/admin/accounts#x-dodo_back",
		"1": "/admin/operations/dodo#step-cm-daily_post-d08",
	}
	for id, want := range places {
		li := doc.Find("#alert-" + id)
		link := li.Find("a").Last()
		if got := link.AttrOr("href", ""); got != want || squeeze(li.Find("p").Last().Text()) == squeeze(link.Text()) {
			t.Errorf("alert %s leads to %s and says %q, want %s", id, got, squeeze(li.Find("p").Last().Text()), want)
		}
		path, anchor, _ := strings.Cut(want, "#")
		res := v.get(path)
		if res.StatusCode != http.StatusOK || anchor != "" && res.doc(t).Find("[id='"+anchor+"']").Length() != 1 {
			t.Errorf("alert %s: there is no %s (%s)", id, want, res.Status)
		}
	}
	if strings.Contains(doc.Text(), hostile[:10]) == strings.Contains(v.get("/admin/alerts").body, "<script>alert(1)") {
		t.Error("what an alert quotes is not shown as text")
	}
}

func TestAcknowledging(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	opened := v.get("/admin/alerts")
	v.submit(opened, "#alert-1 form", nil)
	if res := v.submit(opened, "#alert-1 form", nil); res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "acknowledged this alert") {
		t.Errorf("a second time it answers %s", res.Status)
	}
	x.flood(3) // after the page was opened
	v.submit(opened, "form[action='/admin/alerts/acknowledgement']", nil)
	if res := v.submit(opened, "form[action='/admin/alerts/acknowledgement']", nil); res.StatusCode != http.StatusConflict {
		t.Errorf("all of them a second time answers %s", res.Status)
	}
	if got := strings.Join(ids(v.get("/admin/alerts").doc(t)), " "); got != "102 101 100 9 8 6 5 4 10" {
		t.Errorf("still open: %s", got)
	}
	if res := v.post("/admin/alerts/acknowledgement", url.Values{"csrf": {v.csrf()}, "operation": {"dodo"}, "kind": {"rejected"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("without a number it answers %s", res.Status)
	}
	x.was(t, "acknowledge 1 by approver", "acknowledge 2 unsafe_output of dodo up to 7 by approver")
}

// TestDashboardShowsWhatOnlyAPersonCanTell, and why alerts stay here.
func TestDashboardShowsWhatOnlyAPersonCanTell(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.faults = []app.DeliveryFault{{Channel: app.AlertWebhook, GivenUp: 2, Waiting: 1, Since: today, Why: "The webhook answered <b>500</b>."}}
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	home := v.get("/admin")
	if got := spoken(home.doc(t), "section[aria-labelledby=alerts-title] .note"); got != "Alerts do not reach the webhook: 2 were given up after a day, 1 is tried again. The webhook answered <b>500</b>. They stand here in any case." {
		t.Errorf("of the deliveries it says %q", got)
	}
	form := "#effect-v-d07-1"
	if got := spoken(home.doc(t), form); !strings.Contains(got, "never sent again. If you are wrong") || !strings.Contains(got, "sent again, once. If you are wrong, it appears twice") {
		t.Errorf("in doubt: %s", got)
	}
	for _, link := range []string{"", "there", "javascript:alert(1)"} {
		if res := v.submit(home, form, url.Values{"sent": {"yes"}, "link": {link}}); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("there, at %q: %s", link, res.Status)
		}
	}
	v.submit(home, form, url.Values{"sent": {"yes"}, "link": {"https://x.com/dodo_back/status/7"}})
	v.submit(home, form, url.Values{"sent": {"no"}})
	x.was(t, "settle 2 at 3 true https://x.com/dodo_back/status/7 by admin", "settle 2 at 3 false  by admin")
	x.effects = nil
	if v.get("/admin").doc(t).Find("#doubts-title").Length() != 0 {
		t.Error("nothing is in doubt, and the section stands there")
	}
}

// TestAWordThatIsNotTaken is answered with the operation as it is now, and what
// was typed: it may be about an attempt that is over, or lead elsewhere.
func TestAWordThatIsNotTaken(t *testing.T) {
	t.Parallel()
	x, v := team(t, "admin")
	home := v.get("/admin")
	const form, field = "#effect-v-d07-1", "#effect-v-d07-1 [name=link]"
	word := func(link string, status int, says string) page {
		t.Helper()
		res := v.submit(home, form, url.Values{"sent": {"yes"}, "link": {link}})
		if doc := res.doc(t); res.StatusCode != status || !strings.Contains(doc.Find("[role=alert]").Text(), says) || !strings.Contains(doc.Text(), link) || doc.Find("#controls-title").Length() != 1 {
			t.Errorf("%s at %q: %s", res.Status, link, squeeze(res.body))
		}
		return res
	}
	const other = "https://x.com/someone_else/status/7"
	if res := word(other, http.StatusUnprocessableEntity, "a post of @someone_else"); res.doc(t).Find(field).AttrOr("value", "") != other {
		t.Error("what was typed is lost")
	}
	x.mu.Lock()
	x.effects[1].Fence++ // tried again
	x.mu.Unlock()
	const right = "https://x.com/dodo_back/status/7"
	if res := word(right, http.StatusConflict, "tried again since"); res.doc(t).Find(field).AttrOr("value", "") != right {
		t.Error("what was typed is lost")
	}
	x.mu.Lock()
	x.effects[1].State = app.EffectDone
	x.mu.Unlock()
	if res := word(right, http.StatusConflict, "tried again since"); res.doc(t).Find(field).Length() != 0 {
		t.Error("what is no longer in doubt can be settled")
	}
	x.was(t)
	if res := v.post("/admin/effects/2/settlement", url.Values{"csrf": {v.csrf()}, "sent": {"no"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("of no attempt: %s", res.Status)
	}
}

// TestAlertsArriveLive without moving what is read, and leave when somebody
// acknowledges them elsewhere.
func TestAlertsArriveLive(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.flood(60)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "approver")
	testbrowser.Width(t, page, 360)
	page.MustNavigate(server.URL + "/admin/alerts").MustWaitLoad()
	wait(t, page, `document.querySelector("[data-connection]").textContent === "live"`)
	page.MustEval(`() => { window.row = document.querySelector("#alert-140"); window.row.scrollIntoView(); window.at = window.row.getBoundingClientRect().top }`)
	x.mu.Lock()
	x.alerts = append([]app.Alert{{ID: 900, OperationID: 1, OperationSlug: "dodo", Kind: "rejected", Subject: "cm.daily_post.d09#3", Message: "Rejected three times.", CreatedAt: today}}, x.alerts...)
	x.mu.Unlock()
	hub.OperationChanged("1")
	wait(t, page, `document.querySelector("#alert-900")?.textContent.includes("Rejected three times.")`)
	if moved := page.MustEval(`() => Math.abs(window.row.getBoundingClientRect().top - window.at)`).Num(); moved > 2 {
		t.Errorf("what is read moved by %v px", moved)
	}
	newVisitorAck(t, server.URL, 900)
	wait(t, page, `!document.querySelector("#alert-900")`)
}

func newVisitorAck(t *testing.T, base string, id int) {
	t.Helper()
	v := newVisitor(t, base)
	v.signIn("admin")
	v.submit(v.get("/admin/alerts"), fmt.Sprintf("#alert-%d form", id), nil)
}
