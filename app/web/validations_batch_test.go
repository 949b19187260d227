package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vivra/app"
)

// tick collects the values of the first n checkboxes, as a reader ticks them.
func tick(doc *goquery.Document, n int) (values []string) {
	doc.Find("#batch [name=choice]").Each(func(i int, box *goquery.Selection) {
		if i < n {
			values = append(values, box.AttrOr("value", ""))
		}
	})
	return values
}

func TestApproveSeveralOfAKind(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	if got := spoken(v.get("/admin/validations").doc(t), "#queue"); strings.Contains(got, "approve several") {
		t.Errorf("with one of each kind several are offered: %s", got)
	}
	x.queueUp(3)
	x.find(t, "v16").Risk.Problems = []string{"Promises a price"}
	x.find(t, "v17").Risk.Tainted, x.find(t, "v17").Risk.Sources = true, []string{"market"}
	doc := v.get("/admin/validations").doc(t)
	link := doc.Find("#queue a:contains(several)")
	if got := link.Text(); got != "X post: approve several of 2" {
		t.Fatalf("the queue offers %q", got)
	}
	batch := v.get(link.AttrOr("href", "")).doc(t)
	if got := spoken(batch, "#batch .post"); !strings.Contains(got, "Day 0, in the open.") || !strings.Contains(got, "Day 2, in the open.") || strings.Contains(got, "Day 1") || strings.Contains(got, "10x") {
		t.Errorf("together are shown %q", got)
	}
	if got := spoken(batch, "#batch .checks"); !strings.Contains(got, "It read market") {
		t.Errorf("of what was read is said %q", got)
	}
	if batch.Find("#batch [name=choice][checked]").Length() != 0 || batch.Find("#batch button").Length() != 1 {
		t.Error("something is chosen beforehand, or there is more than one button")
	}
	csrf := batch.Find("#batch [name=csrf]").AttrOr("value", "")
	res := v.post("/admin/validations/batches/post", url.Values{"csrf": {csrf}})
	if got := spoken(res.doc(t), "#refusal"); res.StatusCode != http.StatusUnprocessableEntity || !strings.HasPrefix(got, "Nothing was ticked") {
		t.Errorf("nothing ticked answers %s: %q", res.Status, got)
	}

	// Meanwhile somebody else decides one, and one that has a mark is slipped in.
	bob := x.member(t, v.base, "admin")
	bob.submit(bob.get("/admin/validations/v17"), "#reject form", url.Values{"reason": {"Dull."}})
	risky := x.find(t, "v2").Choice()
	ticked := append(tick(batch, 2), risky.ID+" "+risky.FrozenSHA256+" "+risky.Nonce)
	res = v.post("/admin/validations/batches/post", url.Values{"csrf": {csrf}, "choice": ticked})
	got := spoken(res.doc(t), "section[aria-labelledby=results-title]")
	want := "What became of them approved Daily post, day 1 not approved Daily post, day 3 admin rejected this output at 2026-12-07T15:20:00Z. not approved Daily post, day 9 This output has to be decided by itself."
	if res.StatusCode != http.StatusOK || got != want {
		t.Errorf("the batch answers %s:\n%s\nwant\n%s", res.Status, got, want)
	}
	if undo := spoken(res.doc(t), "#undo"); !strings.Contains(undo, "Approved Daily post, day 1 DODO, goes out in 10 s Undo") {
		t.Errorf("what can be undone is %q", undo)
	}
	if said := x.said(); said != "reject v17 by admin\napprove  v15 by approver" {
		t.Errorf("what was done: %q", said)
	}
}

func TestABatchTakesNoGarbage(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	csrf := v.csrf()
	for _, choice := range []string{"v1", "v1 x", "a b c d"} {
		if res := v.post("/admin/validations/batches/post", url.Values{"csrf": {csrf}, "choice": {choice}}); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("the choice %q answers %s", choice, res.Status)
		}
	}
	goNoGo := x.find(t, "v8").Choice()
	res := v.post("/admin/validations/batches/"+string(app.KindGoNoGo), url.Values{"csrf": {csrf}, "choice": {goNoGo.ID + " " + goNoGo.FrozenSHA256 + " " + goNoGo.Nonce}})
	if got := spoken(res.doc(t), ".list"); !strings.Contains(got, "not approved") || x.said() != "" {
		t.Errorf("a go or no-go in a batch: %q, done was %q", got, x.said())
	}
}

// TestABatchIsOfAKind that there is, and no larger than its page.
func TestABatchIsOfAKind(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	csrf := v.csrf()
	many := url.Values{"csrf": {csrf}}
	for i := range 21 {
		many.Add("choice", "v"+number(int64(i))+" a b")
	}
	if res := v.post("/admin/validations/batches/post", many); res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(res.body, "At most 20") {
		t.Errorf("21 choices answer %s", res.Status)
	}
	for _, kind := range []string{"Your+account+is+closed", "posts", "POST"} {
		for _, res := range []page{v.get("/admin/validations/batches/" + kind), v.post("/admin/validations/batches/"+kind, url.Values{"csrf": {csrf}, "choice": {"v1 a b"}})} {
			if res.StatusCode != http.StatusNotFound || strings.Contains(res.body, "closed") {
				t.Errorf("%s answers %s", kind, res.Status)
			}
		}
	}
	if x.said() != "" {
		t.Errorf("was done: %q", x.said())
	}
}
