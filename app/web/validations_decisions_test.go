package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
)

func TestApproveAndGoOn(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	queue := v.get("/admin/validations")
	if got := queue.doc(t).Find("#output-title").Text(); got != "Comeback thread" {
		t.Fatalf("the queue opens with %q, want the oldest", got)
	}
	res := v.submit(queue, "#approve", nil)
	next := res.Header.Get("Location")
	if res.StatusCode != http.StatusSeeOther || next != "/admin/validations/v2?decided=v1" || x.said() != "approve  v1 by approver" {
		t.Fatalf("approving answers %s, leads to %s and does %q", res.Status, next, x.said())
	}
	doc := v.get(next).doc(t)
	if got := doc.Find("#output-title").Text(); got != "Daily post, day 9" {
		t.Errorf("next comes %q", got)
	}
	if got := spoken(doc, "#undo"); got != "Approved Comeback thread DODO, goes out in 10 s Undo U" {
		t.Errorf("the status says %q", got)
	}
	// From the middle on to what follows, from the end back to what is left.
	for id, want := range map[string]string{"v6": "/admin/validations/v7?decided=v6", "v14": "/admin/validations/v13?decided=v14"} {
		if got := v.submit(v.get("/admin/validations/"+id), "#approve", nil).Header.Get("Location"); got != want {
			t.Errorf("after %s comes %s, want %s", id, got, want)
		}
	}
}

func TestADecisionIsTakenBack(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	next := v.get(v.submit(v.get("/admin/validations/v1"), "#approve", nil).Header.Get("Location"))
	res := v.submit(next, "#undo form", nil)
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/validations/v1?decided=v1" {
		t.Fatalf("undo answers %s and leads to %s", res.Status, res.Header.Get("Location"))
	}
	doc := v.get(res.Header.Get("Location")).doc(t)
	if got := spoken(doc, "#undo"); got != "Taken back, it waits again: Comeback thread DODO" || doc.Find("#approve").Length() != 1 {
		t.Errorf("the output says %q", got)
	}
	if x.said() != "approve  v1 by approver\nwithdraw v1 by approver" {
		t.Errorf("what was done: %q", x.said())
	}
	// Too late, it is the receipt.
	next = v.get(v.submit(v.get("/admin/validations/v1"), "#approve", nil).Header.Get("Location"))
	x.advance(11 * time.Second)
	res = v.submit(next, "#undo form", nil)
	if got := spoken(res.doc(t), "#refusal"); res.StatusCode != http.StatusConflict || got != "It is too late to take this decision back." || res.doc(t).Find("#receipt li .live").Length() != 4 {
		t.Errorf("too late, undo answers %s, says %q and shows %s", res.Status, got, spoken(res.doc(t), "#receipt"))
	}
	if got := spoken(v.get("/admin/validations").doc(t), "#undo"); got != "" {
		t.Errorf("what can't be undone is offered: %q", got)
	}
}

// TestAnUndoFormIsForOneDecision: an old one takes back nothing that was decided
// since, and shows what was.
func TestAnUndoFormIsForOneDecision(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := "/admin/validations/" + h.rows["validations/:id"]
	admin, bob := h.visitor("admin"), h.visitor("approver")
	undo := `#undo form[action="` + at + `/withdrawal"]`
	admin.submit(admin.get(at), "#approve", nil)
	tabs := []page{admin.get(at), admin.get(at), admin.get(at)}
	admin.submit(tabs[0], undo, nil)
	if res := admin.submit(tabs[1], undo, nil); res.StatusCode != http.StatusConflict || res.doc(t).Find("#approve").Length() != 1 {
		t.Errorf("while it waits, an old form answers %s", res.Status)
	}
	bob.submit(bob.get(at), "#reject form", url.Values{"reason": {"The number is wrong."}})
	res := admin.submit(tabs[2], undo, nil)
	if got := spoken(res.doc(t), "#refusal, #receipt"); res.StatusCode != http.StatusConflict || !strings.Contains(got, "Since then it was rejected by approver at") || !strings.Contains(got, "“ The number is wrong. ”") {
		t.Errorf("after another decision it answers %s: %s", res.Status, got)
	}
}

// TestAFirstApprovalIsTakenBack on the page where it was given.
func TestAFirstApprovalIsTakenBack(t *testing.T) {
	t.Parallel()
	x, ada := team(t, "approver")
	x.queue.byTwo = true
	ada.submit(ada.get("/admin/validations/v8"), "#approve", nil)
	bob := x.member(t, ada.base, "admin")
	if bob.get("/admin/validations/v8").doc(t).Find("#take-back").Length() != 0 {
		t.Error("somebody else is offered to take it back")
	}
	page := ada.get("/admin/validations/v8")
	res := ada.submit(page, "#take-back", nil)
	if doc := ada.get(res.Header.Get("Location")).doc(t); res.StatusCode != http.StatusSeeOther || doc.Find("#approve").Length() != 1 || doc.Find("#take-back").Length() != 0 {
		t.Errorf("taking it back answers %s and shows %s", res.Status, spoken(doc, "#decide"))
	}
	if res := ada.submit(page, "#take-back", nil); res.StatusCode != http.StatusConflict {
		t.Errorf("a second time it answers %s", res.Status)
	}
	if got := x.said(); got != "approve  v8 by approver\nwithdraw v8 by approver" {
		t.Errorf("was done: %q", got)
	}
}

// TestOthersSeeWhatCanBeUndone: an admin may take back what somebody else has
// decided, another approver may not.
func TestOthersSeeWhatCanBeUndone(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	x.users = append(x.users, app.User{ID: 9, Name: "bob", Role: "approver", PasswordHash: x.users[0].PasswordHash})
	v.submit(v.get("/admin/validations/v3"), "#reject form", url.Values{"reason": {"The second option is a trademark."}})
	for role, want := range map[string]string{"admin": "approver rejected Community poll DODO, goes back to the agent in 10 s Undo", "bob": "approver rejected Community poll DODO, goes back to the agent in 10 s", "viewer": "approver rejected Community poll DODO, goes back to the agent in 10 s"} {
		if got := spoken(x.member(t, v.base, role).get("/admin/validations").doc(t), "#undo"); got != want {
			t.Errorf("%s reads %q, want %q", role, got, want)
		}
	}
}

// TestASecondDecisionHearsOfTheFirst: whoever comes later gets the receipt, on
// the answer to a click as on the page.
func TestASecondDecisionHearsOfTheFirst(t *testing.T) {
	t.Parallel()
	x, ada := team(t, "approver")
	bob := x.member(t, ada.base, "admin")
	hers, his, late := ada.get("/admin/validations/v3"), bob.get("/admin/validations/v3"), ada.get("/admin/validations/v3")
	ada.submit(hers, "#reject form", url.Values{"reason": {"The second option is a trademark."}})

	res := bob.submit(his, "#reject form", url.Values{"reason": {"Too long, <b>and</b> dull."}})
	doc := res.doc(t)
	if got := spoken(doc, "#refusal"); res.StatusCode != http.StatusConflict || got != "approver rejected this output at 2026-12-07T15:20:00Z. You had written: “ Too long, <b>and</b> dull. ”" {
		t.Errorf("the second decision answers %s: %q", res.Status, got)
	}
	receipt := spoken(doc, "#receipt")
	for _, want := range []string{"rejected by approver 7 Dec, 15:20 UTC", "“ The second option is a trademark. ”", "Draft 1 of 1", x.find(t, "v3").FrozenSHA256, "Nothing of it was sent."} {
		if !strings.Contains(receipt, want) {
			t.Errorf("the receipt lacks %q: %s", want, receipt)
		}
	}
	for who, got := range map[string]page{"a late click of her own": ada.submit(late, "#approve", nil), "the page, for him": bob.get("/admin/validations/v3"), "the page, for her": ada.get("/admin/validations/v3")} {
		if spoken(got.doc(t), "#receipt") != receipt || got.doc(t).Find("#decide form").Length() > 0 {
			t.Errorf("%s has another receipt: %s", who, spoken(got.doc(t), "main"))
		}
	}
	if x.said() != "reject v3 by approver" {
		t.Errorf("what was done: %q", x.said())
	}
}

// TestFiftyClicksAreOneDecision: everyone but the first gets the same receipt.
func TestFiftyClicksAreOneDecision(t *testing.T) {
	t.Parallel()
	x, ada := team(t, "approver")
	bob := x.member(t, ada.base, "admin")
	pages := []page{ada.get("/admin/validations/v1"), bob.get("/admin/validations/v1")}
	answers := make([]page, 50)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = []*visitor{ada, bob}[i%2].submit(pages[i%2], "#approve", nil) })
	}
	all.Wait()
	went, receipts := 0, map[string]int{}
	for _, a := range answers {
		switch a.StatusCode {
		case http.StatusSeeOther:
			went++
		case http.StatusConflict:
			receipts[spoken(a.doc(t), "#receipt")]++
		default:
			t.Errorf("a click answers %s", a.Status)
		}
	}
	if went != 1 || len(receipts) != 1 || strings.Contains(x.said(), "\n") {
		t.Errorf("%d clicks decided, the others got %d receipts, done was %q", went, len(receipts), x.said())
	}
}

// TestTheReceiptTellsWhatBecameOfTheCalls and leads to who can mend it.
func TestTheReceiptTellsWhatBecameOfTheCalls(t *testing.T) {
	t.Parallel()
	_, v := team(t, "viewer")
	doc := v.get("/admin/validations/w1").doc(t)
	if got := spoken(doc, "#receipt .list"); !strings.Contains(got, "sent 1. a post on X") || !strings.Contains(got, "no answer within 30 s") || !strings.Contains(got, "$0.015") {
		t.Errorf("the calls are told as %q", got)
	}
	if doc.Find(`#receipt a[href="https://x.com/dodo_back/status/20"]`).Length() != 1 || doc.Find(`#receipt a[href="/admin/operations/dodo"]`).Length() != 1 {
		t.Error("the receipt leads neither to the post nor to where its doubt is settled")
	}
	if got := spoken(v.get("/admin/validations/w3").doc(t), "#receipt"); !strings.Contains(got, "void") || !strings.Contains(got, "the official address was another one") || !strings.Contains(got, "Open the draft that waits in its place") {
		t.Errorf("a withdrawn draft says %q", got)
	}
}

func TestAChangedPayloadIsNotApproved(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	for field, stale := range map[string]string{"sha256": sha("another payload"), "nonce": "an earlier turn"} {
		res := v.submit(v.get("/admin/validations/v1"), "#approve", url.Values{field: {stale}})
		if res.StatusCode != http.StatusConflict || x.said() != "" || res.doc(t).Find("#approve").Length() != 1 {
			t.Errorf("approving with another %s answers %s and does %q", field, res.Status, x.said())
		}
		if got := spoken(res.doc(t), "#refusal"); got != "This output has changed since you opened it." {
			t.Errorf("it says %q", got)
		}
	}
}

func TestRiskIsApprovedOnPurposeOnly(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	output := v.get("/admin/validations/v2")
	if html, _ := output.doc(t).Find(".output .post .words").Html(); strings.Contains(html, "<script") || !strings.Contains(html, "&lt;script&gt;") {
		t.Errorf("outside text became markup: %s", html)
	}
	res := v.submit(output, "#approve", nil)
	if got := spoken(res.doc(t), "#refusal"); res.StatusCode != http.StatusUnprocessableEntity || x.said() != "" || !strings.Contains(got, "Look at them, tick the box") {
		t.Errorf("approving past a risk mark answers %s, says %q and does %q", res.Status, got, x.said())
	}
	if res := v.submit(output, "#approve", url.Values{"on_purpose": {"yes"}}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("approving on purpose answers %s", res.Status)
	}
}

func TestARejectionNeedsAReason(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	for _, reason := range []string{"  ", strings.Repeat("long ", 210)} {
		res := v.submit(v.get("/admin/validations/v1"), "#reject form", url.Values{"reason": {reason}})
		if kept := res.doc(t).Find("#reject textarea").Text(); res.StatusCode != http.StatusUnprocessableEntity || x.said() != "" || kept != strings.TrimSpace(reason) {
			t.Errorf("rejecting with %d characters answers %s, does %q and keeps %d", len(reason), res.Status, x.said(), len(kept))
		}
	}
}

// TestReloadingARefusal by the address bar leads to the output.
func TestReloadingARefusal(t *testing.T) {
	t.Parallel()
	_, v := team(t, "viewer")
	for _, at := range []string{"/approval", "/rejection", "/withdrawal"} {
		if res := v.get("/admin/validations/v1" + at); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/validations/v1" {
			t.Errorf("%s answers %s", at, res.Status)
		}
	}
}

// TestTwoPeopleApprove what the team wants two people for.
func TestTwoPeopleApprove(t *testing.T) {
	t.Parallel()
	x, ada := team(t, "approver")
	x.queue.byTwo = true
	page := ada.get("/admin/validations/v8")
	if got := spoken(page.doc(t), ".risk, #decide"); !strings.Contains(got, "Approvals 0 of 2") || !strings.Contains(got, "Approve as the first") {
		t.Errorf("before the first approval the page says %q", got)
	}
	next := ada.get(ada.submit(page, "#approve", nil).Header.Get("Location")).doc(t)
	if got := spoken(next, "#undo"); got != "Approved by you as the first; it waits for a second person: Go or no-go DODO" {
		t.Errorf("after the first approval the status says %q", got)
	}
	again := ada.get("/admin/validations/v8").doc(t)
	if got := spoken(again, "#decide"); !strings.Contains(got, "You approved it. Another approver or admin must, too. Take your approval back") || again.Find("#approve").Length() != 0 || again.Find("#reject").Length() != 1 {
		t.Errorf("she is offered %q", got)
	}
	bob := x.member(t, ada.base, "admin")
	his := bob.get("/admin/validations/v8")
	if got := spoken(his.doc(t), "#item-v8, #decide"); !strings.Contains(got, "second approval wanted") || !strings.Contains(got, "approver approved it. You would be the second.") {
		t.Errorf("he reads %q", got)
	}
	bob.submit(his, "#approve", nil)
	if got := spoken(bob.get("/admin/validations/v8").doc(t), "#receipt"); !strings.Contains(got, "approved by admin") || !strings.Contains(got, "after approver, who approved first") {
		t.Errorf("the receipt says %q", got)
	}
}
