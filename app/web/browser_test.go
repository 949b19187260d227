package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
	"vivra/app/internal/testbrowser"
)

func TestLivePageUpdatesItself(t *testing.T) {
	t.Parallel()
	byEachClient(t, func(t *testing.T, client string) {
		x := newExhibit(t)
		server, hub, open := x.counted(t, client)
		page := testbrowser.Page(t)
		page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
		until(t, "the page's stream", func() bool { return open.Load() == 1 })
		page.MustElement("#week-3 summary").MustClick()

		x.append(app.EventLine{Kind: "publication", Summary: "Posted on X, day 9"}, x.steps[3], today)
		x.setStep("scanner.daily_metrics.d09", app.StepDone)
		hub.OperationChanged("1")
		wait(t, page, `document.querySelector("#e321")?.textContent.includes("Posted on X, day 9")`)
		wait(t, page, `document.querySelector("#step-scanner-daily_metrics-d09 .state").textContent.includes("done")`)
		wait(t, page, `document.querySelector("#announcement").textContent === "Daily metrics, day 9: done."`)
		if !page.MustEval(`() => document.querySelector("#week-3").open && document.querySelector("#take-away").textContent.includes("row 321")`).Bool() {
			t.Error("the update folded what was open, or left the head of the log behind")
		}
		wait(t, page, `(() => { const box = document.querySelector("[data-follow]"); return Math.abs(box.scrollTop) < 2 })()`)
		if n := page.MustEval(`() => document.querySelectorAll("#log-lines li").length`).Int(); n != 201 {
			t.Errorf("the log has %d rows, want 201", n)
		}
	})
}

// TestNoTextStopsALivePage, whatever characters it is made of.
func TestNoTextStopsALivePage(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	at := func(path string) {
		t.Helper()
		d.MustNavigate(d.url + path).MustWaitLoad()
		waitLive(t, d.Page)
	}
	at("/admin/validations/v5")
	v, err := x.Validation(t.Context(), "v5")
	if err == nil {
		_, err = x.RejectValidation(t.Context(), v.Choice(), app.User{Name: "admin"}, "One"+unusual+"two", x.now())
	}
	if err != nil {
		t.Fatal(err)
	}
	x.mu.Lock()
	x.queueUp(1)
	x.last().TokenSymbol = "DO" + unusual + "DO"
	x.mu.Unlock()
	d.hub.OperationChanged("1")
	wait(t, d.Page, `/^One[^]*two$/.test(document.querySelector("#decide bdi")?.textContent)`)
	wait(t, d.Page, `/DO[^]*DO/.test(document.querySelector("#queue li:last-child bdi").textContent)`)

	at("/admin/alerts")
	x.flood(1)
	x.mu.Lock()
	x.alerts[0].Message = "It wants to say “buy" + unusual + "now”."
	x.mu.Unlock()
	d.hub.OperationChanged("1")
	wait(t, d.Page, `/buy[^]*now/.test(document.querySelector("#alert-100")?.textContent)`)

	at("/operations/dodo")
	seq := x.append(app.EventLine{Kind: "publication", Summary: "Posted" + unusual + "on X"}, x.steps[3], today)
	d.hub.OperationChanged("1")
	wait(t, d.Page, fmt.Sprintf(`/Posted[^]*on X/.test(document.querySelector("#e%d")?.textContent)`, seq))
}

// TestAPageSaysThatItsReaderIsSignedOut and leads to where they sign in.
func TestAPageSaysThatItsReaderIsSignedOut(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	page := testbrowser.Page(t)
	signInWith(page, c.url, "approver")
	for _, at := range []string{"/admin/validations", "/admin/alerts"} {
		page.MustNavigate(c.url + at).MustWaitLoad()
		if !strings.Contains(page.MustInfo().URL, at) {
			signInWith(page, c.url, "approver")
			page.MustNavigate(c.url + at).MustWaitLoad()
		}
		waitLive(t, page)
		admin := c.member("admin")
		admin.submit(admin.get("/admin/users"), c.form("approver", "sign-out"), nil)
		wait(t, page, `document.querySelector("[data-connection]").textContent === "signed out"`)
		wait(t, page, `document.querySelector("[data-connection] + a").checkVisibility() && document.querySelector("[data-connection] + a").textContent === "Sign in"`)
		page.MustElement("[data-connection] + a").MustClick()
		wait(t, page, `location.pathname === "/admin/sign-in" && location.search === "?next=" + encodeURIComponent("`+at+`")`)
	}
}

func TestFollowAndFolds(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	page.MustNavigate(server.URL + "/operations/dodo#step-cm-daily_post-d20").MustWaitLoad()
	if !page.MustEval(`() => document.querySelector("#week-3").open`).Bool() {
		t.Error("a link to a step in a folded week does not open it")
	}
	page.MustNavigate("about:blank").MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	page.MustElement("h1").MustClick()
	page.Keyboard.MustType(input.KeyF)
	page.MustEval(`() => { const box = document.querySelector("[data-follow]"); box.scrollTop = -400; window.row = [...document.querySelectorAll("#log-lines li")].find((r) => r.getBoundingClientRect().top > box.getBoundingClientRect().top); window.at = window.row.getBoundingClientRect().top }`)
	seq := x.append(app.EventLine{Kind: "step", Summary: "Read me later"}, x.steps[3], today)
	hub.OperationChanged("1")
	page.MustElement("#e321")
	if moved := page.MustEval(`() => Math.abs(window.row.getBoundingClientRect().top - window.at)`).Num(); moved > 2 || seq != 321 {
		t.Errorf("not following, the row that is read moved by %v px", moved)
	}
}

func TestTimesAreInTheReadersZone(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	page := testbrowser.Page(t)
	if err := (proto.EmulationSetTimezoneOverride{TimezoneID: "Asia/Kolkata"}).Call(page); err != nil {
		t.Fatal(err)
	}
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	wait(t, page, `document.querySelector("#head time").textContent.includes("14:30")`)
	if title := page.MustEval(`() => document.querySelector("#head time").title`).Str(); title != "28 Nov 2026, 09:00:00 UTC" {
		t.Errorf("on hover it says %q", title)
	}
	if due := page.MustEval(`() => document.querySelector("#now time[data-relative]").textContent`).Str(); due != "in 16 h" {
		t.Errorf("the next step is due %q by the server's clock", due)
	}
}

func waitLive(t *testing.T, page *rod.Page) {
	t.Helper()
	wait(t, page, `document.querySelector("[data-connection]")?.textContent === "live"`)
}

func TestWithScriptsOff(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	page := withoutScripts(t)
	page.MustNavigate(server.URL + "/admin/sign-in").MustWaitLoad()
	page.MustElement("input[name=name]").MustInput("approver")
	page.MustElement("input[name=password]").MustInput("correct horse battery")
	page.MustElement("main button").MustClick()
	wait(t, page, `location.pathname === "/admin"`)
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	text := squeeze(page.MustElement("main").MustText())
	for _, want := range []string{"as of 7 Dec, 15:20 UTC", "Reload", "Older rows", "14 outputs wait", "Asked the model"} {
		if !strings.Contains(text, want) {
			t.Errorf("without scripts the live page lacks %q", want)
		}
	}
	if strings.Contains(text, "Copy") || strings.Contains(text, "Follow") {
		t.Error("without scripts a button is shown that does nothing")
	}
}
