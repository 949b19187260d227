package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vivra/app"
)

// TestTheQueueOnTheRealStore takes one post all the way: edited past the rules
// and within them, approved, taken back, approved again and set going, while
// somebody else comes too late.
func TestTheQueueOnTheRealStore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ada, bob := h.visitor("approver"), h.visitor("admin")
	first := "/admin/validations/" + h.rows["validations/:id"]

	form := ada.get(first + "/draft")
	refused := ada.submit(form, "#draft-form", url.Values{"field.text": {"Day 9. Send it to " + other + "."}})
	doc := refused.doc(t)
	if got := spoken(doc, "#field-text-hint .fault"); refused.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(got, other) || doc.Find("#field-text").Text() != "Day 9. Send it to "+other+"." {
		t.Errorf("another address answers %s, says %q beside the field and keeps %q", refused.Status, got, doc.Find("#field-text").Text())
	}
	saved := ada.submit(form, "#draft-form", url.Values{"field.text": {"Day 9, told by a person."}})
	edited := saved.Header.Get("Location")
	if saved.StatusCode != http.StatusSeeOther || edited == first {
		t.Fatalf("saving answers %s and leads to %q: %s", saved.Status, edited, spoken(saved.doc(t), "main"))
	}
	if got := spoken(ada.get(edited).doc(t), ".output"); !strings.Contains(got, "edited by approver") || !strings.Contains(got, "draft 2 of 2") || !strings.Contains(got, "Changes since draft 1, as CM wrote it") {
		t.Errorf("the edited draft says %q", got)
	}
	if got := spoken(bob.get(first).doc(t), "#receipt"); !strings.Contains(got, "edited by approver") || !strings.Contains(got, "Open the draft that waits in its place") {
		t.Errorf("the draft before says %q", got)
	}

	his := bob.get(edited)
	next := ada.get(ada.submit(ada.get(edited), "#approve", nil).Header.Get("Location"))
	undone := ada.submit(next, `#undo form[action="`+edited+`/withdrawal"]`, nil)
	if undone.StatusCode != http.StatusSeeOther {
		t.Fatalf("undo answers %s: %s", undone.Status, spoken(next.doc(t), "#undo"))
	}
	if res := bob.submit(his, "#approve", nil); res.StatusCode != http.StatusConflict || res.doc(t).Find("#approve").Length() != 1 {
		t.Errorf("a form of before the undo answers %s", res.Status)
	}
	his = bob.get(edited)
	ada.submit(ada.get(edited), "#approve", nil)
	h.must(h.app.Store.ApplyDecisions(t.Context(), h.now.Add(app.DefaultSettings().Undo)))
	late := bob.submit(his, "#reject form", url.Values{"reason": {"Too late."}})
	receipt := spoken(late.doc(t), "#receipt")
	if late.StatusCode != http.StatusConflict || !strings.Contains(receipt, "approved by approver") || !strings.Contains(receipt, "to be sent a post on X") {
		t.Errorf("a late click answers %s with the receipt %q", late.Status, receipt)
	}
	for who, v := range map[string]*visitor{"she": ada, "he": bob, "a viewer": h.visitor("viewer")} {
		if got := spoken(v.get(edited).doc(t), "#receipt"); got != receipt {
			t.Errorf("%s reads %q", who, got)
		}
	}
}

// TestABatchOnTheRealStore approves what was ticked, and says so.
func TestABatchOnTheRealStore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor("approver")
	batch := v.get("/admin/validations/batches/post").doc(t)
	ticked := tick(batch, 1)
	if len(ticked) != 1 {
		t.Fatalf("offered is %q", spoken(batch, "main"))
	}
	form := url.Values{"csrf": {batch.Find("#batch [name=csrf]").AttrOr("value", "")}, "choice": append(ticked, ticked...)}
	got := spoken(v.post("/admin/validations/batches/post", form).doc(t), ".list")
	if !strings.HasPrefix(got, "approved ") || !strings.Contains(got, "not approved") || !strings.Contains(got, "was already approved by approver") {
		t.Errorf("the batch became %q", got)
	}
}
