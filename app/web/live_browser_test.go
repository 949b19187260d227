package web_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
	"vivra/app/internal/testbrowser"
	"vivra/app/live"
)

// rowNumbers are the rows on the page, in their order.
func rowNumbers(page *rod.Page) string {
	return page.MustEval(`() => [...document.querySelectorAll("#log-lines li")].map((li) => li.id.slice(1)).join(" ")`).Str()
}

func numbersTo(first, last int) string {
	var all []string
	for n := first; n <= last; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return strings.Join(all, " ")
}

// TestStatusLineKeepsItsDistance: fifty events a second are spoken of once in
// five, the newest each time.
func TestStatusLineKeepsItsDistance(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	waitLive(t, page)
	page.MustEval(`() => {
		window.said = [];
		new MutationObserver(() => window.said.push([Date.now(), document.querySelector("#announcement").textContent]))
			.observe(document.querySelector("#announcement"), { childList: true, characterData: true, subtree: true });
	}`)
	states := []app.StepState{app.StepRunning, app.StepWaiting, app.StepDone}
	for n, end := 0, time.Now().Add(12*time.Second); time.Now().Before(end); n++ {
		x.append(app.EventLine{Kind: "step", Summary: fmt.Sprintf("Row %d of many", n)}, x.steps[3], today)
		x.setStep("scanner.daily_metrics.d09", states[rand.IntN(3)])
		hub.OperationChanged("1")
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // the rate is what is tested
	}
	said := page.MustEval(`() => window.said.map(([at, text]) => at + " " + text)`).Arr()
	if len(said) < 2 || len(said) > 4 {
		t.Errorf("in 12 seconds it spoke %d times: %v", len(said), said)
	}
	for i := 1; i < len(said); i++ {
		var before, at int64
		_, _ = fmt.Sscan(said[i-1].Str(), &before)
		_, _ = fmt.Sscan(said[i].Str(), &at)
		if at-before < 4_000 { // the server waits five; the first may have come late
			t.Errorf("it spoke again after %d ms", at-before)
		}
	}
	if live := page.MustEval(`() => document.querySelector("#log").closest("[aria-live], [role=status], [role=log]") ?? document.querySelector("#log [aria-live], #log [role=status], #log [role=log]")`); !live.Nil() {
		t.Error("the log itself speaks")
	}
}

// TestOfflineAndBack: a reader without a network is told so wherever they are on
// the page, and has every row once when it is back.
func TestOfflineAndBack(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(refused{t})
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	waitLive(t, page)
	network := func(offline bool) {
		t.Helper()
		if err := (proto.NetworkEmulateNetworkConditions{Offline: offline, DownloadThroughput: -1, UploadThroughput: -1}).Call(page); err != nil {
			t.Fatal(err)
		}
	}
	say := func(what string) {
		x.append(app.EventLine{Kind: "publication", Summary: what}, x.steps[3], today)
		hub.OperationChanged("1")
	}
	network(true)
	wait(t, page, `/^stale since \d/.test(document.querySelector("[data-connection]").textContent)`)
	page.MustEval(`() => scrollTo(0, document.body.scrollHeight)`)
	wait(t, page, `(() => { const at = document.querySelector(".connection .reload").getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight && document.querySelector(".connection .reload").checkVisibility() })()`)
	for n := range 30 {
		say(fmt.Sprintf("Meanwhile %d", n))
	}
	network(false)
	waitLive(t, page)
	wait(t, page, `document.querySelector("#e350")`)
	say("And on")
	wait(t, page, `document.querySelector("#e351")`)
	if got := rowNumbers(page); got != numbersTo(121, 351) {
		t.Errorf("the log has rows\n%s", got)
	}
	if page.MustEval(`() => getComputedStyle(document.querySelector(".connection")).position`).Str() == "sticky" {
		t.Error("live again, the notice still follows the reader")
	}
}

// counted serves the exhibit with a client, and counts the streams that are open.
func (x *exhibit) counted(t *testing.T, client string) (*httptest.Server, *live.Hub, *atomic.Int64) {
	t.Helper()
	site := x.site(t)
	site.ClientJS = client
	open := new(atomic.Int64)
	handler := site.Handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/live") {
			open.Add(1)
			defer open.Add(-1)
		}
		handler.ServeHTTP(w, r)
	}))
	listen(t, server)
	return server, site.Hub, open
}

// TestAHiddenLivePageComesBackWhole: nothing is sent to it meanwhile, nothing is lost.
func TestAHiddenLivePageComesBackWhole(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub, open := x.counted(t, "")
	page := testbrowser.Page(t)
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	waitLive(t, page)
	hide := func(hidden bool) {
		page.MustEval(`(hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true }); document.dispatchEvent(new Event("visibilitychange")) }`, hidden)
	}
	hide(true)
	until(t, "the stream to end", func() bool { return open.Load() == 0 })
	for n := range 5 {
		x.append(app.EventLine{Kind: "step", Summary: fmt.Sprintf("Unseen %d", n)}, x.steps[3], today)
		hub.OperationChanged("1")
	}
	if got := rowNumbers(page); got != numbersTo(121, 320) {
		t.Errorf("hidden, it has rows\n%s", got)
	}
	hide(false)
	wait(t, page, `document.querySelector("#e325")`)
	waitLive(t, page)
	if got := rowNumbers(page); got != numbersTo(121, 325) {
		t.Errorf("back, it has rows\n%s", got)
	}
}

// TestFilterAndPermalink as a reader uses them.
func TestFilterAndPermalink(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	page.MustNavigate(server.URL + "/operations/dodo").MustWaitLoad()
	page.MustElement("#log select[name=kind]").MustSelect(page.MustElement("#log option[value=publication]").MustText())
	page.MustElement("#log form button").MustClick()
	wait(t, page, `location.search.includes("kind=publication") && document.querySelector("#log option[value=publication]")?.selected`)
	waitLive(t, page)
	before := page.MustEval(`() => document.querySelectorAll("#log-lines li").length`).Int()
	x.append(app.EventLine{Kind: "step", Summary: "Not of that kind"}, x.steps[3], today)
	x.append(app.EventLine{Kind: "publication", Summary: "Of that kind"}, x.steps[3], today)
	hub.OperationChanged("1")
	wait(t, page, `document.querySelector("#e322")`)
	if n := page.MustEval(`() => document.querySelectorAll("#log-lines li").length`).Int(); n != before+1 {
		t.Errorf("filtered, %d rows became %d", before, n)
	}

	// Of an old row there is a link that shows it among its neighbours, marked.
	page.MustNavigate(server.URL + "/operations/dodo?line=7#e7").MustWaitLoad()
	wait(t, page, `document.querySelector("#e7:target")`)
	if !page.MustEval(`() => { const at = document.querySelector("#e7").getBoundingClientRect(); return at.top >= 0 && at.bottom <= innerHeight && !document.querySelector("#follow").checked }`).Bool() {
		t.Error("the row that the link names is not on screen")
	}
	href := page.MustEval(`() => document.querySelector("#e8 a.at").href`).Str()
	page.MustNavigate("about:blank").MustNavigate(href).MustWaitLoad()
	wait(t, page, `document.querySelector("#e8:target")`)
}
