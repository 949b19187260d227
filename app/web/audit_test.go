package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vivra/app/internal/testbrowser"
)

// TestTheAuditInPages: every change is read, none twice, each of them whole.
func TestTheAuditInPages(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for i := range 210 {
		if _, err := c.store.CreateUser(t.Context(), fmt.Sprintf("filler.%c%c", 'a'+i/26, 'a'+i%26), "viewer", "hash", "test", c.now()); err != nil && !strings.Contains(err.Error(), "looks like") {
			t.Fatal(err)
		}
	}
	v := c.member("viewer")
	rows, err := c.store.Audit(t.Context(), 1000)
	if err != nil || len(rows) < 200 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	var said []string
	for at := "/admin/audit"; at != ""; {
		doc := v.get(at).doc(t)
		doc.Find("main ol > li").Each(func(_ int, li *goquery.Selection) { said = append(said, squeeze(li.Text())) })
		at = doc.Find("a[rel=next]").AttrOr("href", "")
		if len(said) > len(rows) {
			t.Fatal("a page leads back")
		}
	}
	if len(said) != len(rows) {
		t.Fatalf("of %d rows %d are shown", len(rows), len(said))
	}
	for i, r := range rows {
		if !strings.Contains(said[i], r.User) || !strings.Contains(said[i], r.Action) || !strings.Contains(said[i], r.Subject) || len(r.After) > 4 && !strings.Contains(said[i], "After") {
			t.Errorf("row %d says %q, want %s %s %s", i, said[i], r.User, r.Action, r.Subject)
		}
	}
}

// TestTheAuditFitsAPhone, opened too.
func TestTheAuditFitsAPhone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newExhibit(t), testbrowser.Page(t), "viewer")
	testbrowser.Width(t, d.Page, 360)
	d.MustNavigate(d.url + "/admin/audit").MustWaitLoad()
	d.MustEval(`() => document.querySelectorAll("main details").forEach((e) => { e.open = true })`)
	if got := d.js(`document.documentElement.scrollWidth + " " + [...document.querySelectorAll("main *")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible").length`); got != "360 0" {
		t.Errorf("the page is wide, or scrolls sideways in it: %s", got)
	}
}
