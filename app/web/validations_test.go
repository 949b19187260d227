package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vivra/app"
)

func TestApproveAndGoOn(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")

	queue := v.get("/admin/validations")
	if got := queue.doc(t).Find("#output-title").Text(); got != "Comeback thread" {
		t.Fatalf("the queue opens with %q, want the oldest", got)
	}
	if diff := queue.doc(t).Find(".output del, .output ins").Text(); !strings.Contains(diff, "chart") || !strings.Contains(diff, "promised") {
		t.Errorf("the changes since the draft before are %q", diff)
	}
	res := v.submit(queue, "#approve", nil)
	if res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/validations" || x.said() != "approve  v1 by approver" {
		t.Fatalf("approving answers %s and does %q", res.Status, x.said())
	}
	if got := v.get("/admin/validations").doc(t).Find("#output-title").Text(); got != "Daily post, day 9" {
		t.Errorf("next comes %q", got)
	}
	if got := v.get("/admin/validations/v1").doc(t).Find("#decide").Text(); !strings.Contains(got, "approved") || !strings.Contains(got, "by approver") {
		t.Errorf("the decided output says %q", got)
	}
}

func TestASecondDecisionHearsOfTheFirst(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	ada, bob := newVisitor(t, server.URL), newVisitor(t, server.URL)
	ada.signIn("approver")
	bob.signIn("admin")
	hers, his := ada.get("/admin/validations/v3"), bob.get("/admin/validations/v3")
	ada.submit(hers, "#reject form", url.Values{"reason": {"The second option is a trademark."}})

	res := bob.submit(his, "#approve", nil)
	if res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "approver rejected this output at 2026-12-07T15:20:00Z") || !strings.Contains(res.body, `href="/admin/validations/v3"`) {
		t.Errorf("the second decision answers %s:\n%s", res.Status, res.doc(t).Find("main").Text())
	}
	if x.said() != "reject v3 by approver" {
		t.Errorf("what was done: %q", x.said())
	}
	if got := v3(bob, t); !strings.Contains(got, "“The second option is a trademark.”") {
		t.Errorf("the page does not say why: %q", got)
	}
}

func v3(v *visitor, t *testing.T) string {
	return v.get("/admin/validations/v3").doc(t).Find("#decide").Text()
}

func TestAChangedPayloadIsNotApproved(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	res := v.submit(v.get("/admin/validations/v1"), "#approve", url.Values{"sha256": {sha("another payload")}})
	if res.StatusCode != http.StatusConflict || x.said() != "" {
		t.Errorf("approving another payload answers %s and does %q", res.Status, x.said())
	}
}

func TestRiskIsApprovedOnPurposeOnly(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	output := v.get("/admin/validations/v2")
	if html, _ := output.doc(t).Find(".output .words").Html(); strings.Contains(html, "<script") || !strings.Contains(html, "&lt;script&gt;") {
		t.Errorf("outside text became markup: %s", html)
	}
	if res := v.submit(output, "#approve", nil); res.StatusCode != http.StatusUnprocessableEntity || x.said() != "" {
		t.Errorf("approving past a risk mark answers %s and does %q", res.Status, x.said())
	}
	if res := v.submit(output, "#approve", url.Values{"on_purpose": {"yes"}}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("approving on purpose answers %s", res.Status)
	}
}

func TestADossierNeedsItsReceipt(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	dossier := v.get("/admin/validations/v13")
	for _, receipt := range []string{"", "no address", "javascript:alert(1)"} {
		if res := v.submit(dossier, "#approve", url.Values{"receipt_url": {receipt}}); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("the receipt %q answers %s", receipt, res.Status)
		}
	}
	v.submit(dossier, "#approve", url.Values{"receipt_url": {"https://example.com/r/1"}})
	if x.said() != "approve https://example.com/r/1 v13 by approver" {
		t.Errorf("what was done: %q", x.said())
	}
}

func TestARejectionNeedsAReason(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	if res := v.submit(v.get("/admin/validations/v1"), "#reject form", url.Values{"reason": {"  "}}); res.StatusCode != http.StatusUnprocessableEntity || x.said() != "" {
		t.Errorf("rejecting without a reason answers %s and does %q", res.Status, x.said())
	}
}

func TestAViewerSeesNoButtons(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	for _, path := range []string{"/admin/validations/v1", "/admin/operations/dodo", "/admin/alerts", "/admin/settings", "/admin/prices", "/admin/runs/run-1"} {
		if forms := v.get(path).doc(t).Find("main form[method=post] button"); forms.Length() > 0 {
			t.Errorf("%s offers a viewer %q", path, forms.Text())
		}
	}
}

func TestAnEmptyQueueSaysWhatComes(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.validations = nil
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	if got := v.get("/admin/validations").doc(t).Find(".output").Text(); !strings.Contains(got, "When an agent proposes an output") {
		t.Errorf("the empty queue says %q", got)
	}
}

// Every kind has a preview of its own: none falls back to JSON.
func TestEveryKindHasAPreview(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("approver")
	kinds := map[app.ValidationKind]bool{}
	for _, one := range x.validations {
		kinds[one.Kind] = true
		output := v.get("/admin/validations/" + one.ID).doc(t).Find(".output")
		if output.Find("pre.raw").Length() > 0 || len(output.Text()) < 60 {
			t.Errorf("%s is shown as %q", one.Kind, output.Text())
		}
	}
	if len(kinds) != 14 {
		t.Errorf("the exhibit holds %d kinds", len(kinds))
	}
}
