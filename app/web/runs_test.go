package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
	"vivra/app/internal/testbrowser"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
)

func TestTraceIsWholeWithoutScripts(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	res := v.get("/admin/runs/run-1")
	doc := res.doc(t)
	row := func(n string) string { return "#calls tbody tr:nth-child(" + n + ")" }
	for selector, want := range map[string]string{
		"#outcome h1":                       "CM: Daily post, day 9",
		"#outcome .note.bad":                "what is left of the agent's budget",
		"#walls .wall:nth-child(1)":         "This run's budget Spent $0.3412 Reserved $0.00 Left $0.6588 of $1.00",
		"#walls .wall:nth-child(2)":         "CM's share of the cap stopped it Spent $1.3412 Reserved $0.03 Left $0.1288 of $1.50",
		"#walls .wall:nth-child(3)":         "The operation's cap Spent $1.8421 Reserved $0.03 Left $23.1279 of $25.00",
		"#facts":                            "Turns 3",
		row("1"):                            "1 try 1 gpt-5 $0.0094 table price $0.0081 by today's list settled 2,118 1,024 402 256 $1.25 / $0.125 / $10.00 1,840 ms",
		row("2"):                            "2 try 1 gpt-5 $0.00 failed nothing was billed the model endpoint answered 429",
		row("3"):                            "2 try 2 gpt-5 $0.1824 the most it can have been lost counted at its bound the process died before the answer was kept",
		row("4"):                            "2 try 3 gpt-5-mini fallback $0.001203417 price as billed settled 2,391 0 88 0",
		row("5"):                            "2 try 1 gpt-image-1 images $0.042 list price settled",
		row("6"):                            "3 try 1 gpt-5-mini fallback $0.106196583 the most it can have been unknown it may have been billed; counted at its bound",
		"#calls tfoot":                      "$0.3412 $0.3399 by today's list",
		"#item-1":                           "The task",
		"#item-2 .call:nth-of-type(1) code": "x_mentions",
		"#item-2 .call:nth-of-type(1) pre":  `"since_hours": 24`,
		"#item-3":                           "Result of x_mentions outside text, x.mentions",
		"#item-6":                           "refused or failed",
		"#item-7":                           "Vivra: a reminder",
		"#item-8":                           "The model fallback gpt-5-mini cut at its output limit",
		"main pre.raw[aria-label=Command]":  "vivra replay run-1",
		"[aria-labelledby=replay-title]":    "run it where Vivra runs, with the same DATABASE_URL",
		"details pre[aria-label*=prompt]":   "You are the community manager.",
	} {
		if got := spoken(doc, selector); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", selector, got, want)
		}
	}
	if link := doc.Find("#outcome a").AttrOr("href", ""); link != "/admin/operations/dodo#step-cm-daily_post-d09" {
		t.Errorf("the trace leads back to %q", link)
	}
	if text := doc.Find("#item-3 pre").Text(); strings.Contains(text, "<untrusted") || !strings.Contains(text, "&lt;script&gt;") {
		t.Errorf("the fenced text is shown as %q, want it as the model read it and without the fence", text)
	}
	if strings.Contains(res.body, "<script>alert") || strings.Contains(res.body, "x_post<b>") {
		t.Error("text from outside became markup")
	}
	if doc.Find("[data-init]").Length() > 0 {
		t.Error("a run that is over opens a stream")
	}
}

func TestTheWallThatStoppedTheRunIsNamed(t *testing.T) {
	t.Parallel()
	for wall, want := range map[string]string{"run": "This run's budget", "agent": "CM's share of the cap", "operation": "The operation's cap"} {
		x := newExhibit(t)
		x.change("run-1", func(r *app.RunTrace) { r.Error = (&app.BudgetError{Wall: wall}).Error() })
		server, _ := x.serve(t)
		v := newVisitor(t, server.URL)
		v.signIn("viewer")
		stopped := v.get("/admin/runs/run-1").doc(t).Find("#walls .wall:has(.chip.bad)")
		if got := squeeze(stopped.Find("h3").Text()); got != want+" stopped it" || stopped.Length() != 1 {
			t.Errorf("stopped by the %s's wall, the page says %q", wall, got)
		}
	}
}

// watch reads a run's stream as a signed-in member.
func watch(t *testing.T, base, path, lastEventID string) follower {
	t.Helper()
	v := newVisitor(t, base)
	v.signIn("viewer")
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	res, err := v.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return follower{t, lines}
}

func TestRunStreamHasNoGapAndNoRepeat(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	f := watch(t, server.URL, "/admin/runs/run-2/live?after=2", "")
	got := f.until(`<section id="calls"`)
	if strings.Contains(got, `<li id="item-2"`) || !strings.Contains(got, `<li id="item-3"`) || !strings.Contains(got, `<li id="item-4"`) || !strings.Contains(got, "id: 4") {
		t.Errorf("after entry 2 came:\n%s", tail(got))
	}
	if !strings.Contains(got, "&lt;script&gt;alert(1)") || strings.Contains(got, "<script>alert") {
		t.Error("the draft is not sent as text")
	}

	x.change("run-2", func(r *app.RunTrace) { r.Calls[1].Draft = "A whole new thought." })
	hub.OperationChanged("run:run-2")
	got = f.until("A whole new thought.")
	if strings.Contains(got, `<li id="item-`) || strings.Contains(got, `<section id="walls"`) {
		t.Errorf("with a growing draft came more than it:\n%s", tail(got))
	}

	x.answer("run-2", "Day 9, done.")
	hub.OperationChanged("1")
	got = f.until("Day 9, done.")
	got += f.until(`<section id="calls"`)
	if strings.Count(got, `<li id="item-`) != 1 || !strings.Contains(got, `<section id="walls"`) || strings.Contains(got, "A whole new thought.") {
		t.Errorf("with the answer came:\n%s", tail(got))
	}
	resumed := watch(t, server.URL, "/admin/runs/run-2/live?after=1", "4").until(`<section id="calls"`)
	if strings.Contains(resumed, `<li id="item-4"`) || !strings.Contains(resumed, `<li id="item-5"`) {
		t.Errorf("resumed from entry 4, the stream sends:\n%s", tail(resumed))
	}
}

// answer settles the open call of a run with what the model said.
func (x *exhibit) answer(id, text string) {
	x.change(id, func(r *app.RunTrace) {
		open := &r.Calls[len(r.Calls)-1]
		open.State, open.Draft, open.Cost, open.Source = "settled", "", 3_100_000, "table"
		r.Turns, r.Spent, r.Reserved = r.Turns+1, r.Spent+open.Cost, 0
		r.Items = append(r.Items, app.TraceItem{Seq: len(r.Items) + 1, Turn: r.Turns, Role: "assistant", Content: must(item{Role: "assistant", Text: text}), At: today})
	})
}

// TestARunIsSeenThinking holds that an open page shows the answer as it comes,
// then as it was kept, and leaves alone what is being read.
func TestARunIsSeenThinking(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "viewer")
	page.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
	waitLive(t, page)
	for _, draft := range []string{"First words", "First words, then more. " + hostile, "First words, then more. " + hostile + "\n→ x_post({\"text\": \"<img src=x onerror=alert(1)>"} {
		x.change("run-2", func(r *app.RunTrace) { r.Calls[1].Draft = draft })
		hub.OperationChanged("run:run-2")
		wait(t, page, `document.querySelector("#draft .draft")?.textContent === `+string(must(draft)))
	}
	testbrowser.Shot(t, page, "admin-runs-thinking")
	if page.MustEval(`() => document.querySelectorAll("#draft script, #draft img").length`).Int() != 0 {
		t.Error("a draft became markup")
	}

	// Whoever scrolls back reads on: what comes in does not move it.
	page.MustEval(`() => { const box = document.querySelector("[data-follow]"); box.scrollTop = -120; }`)
	wait(t, page, `!document.querySelector("#follow").checked`)
	page.MustEval(`() => { window.at = document.querySelector("#item-3").getBoundingClientRect().top }`)
	x.answer("run-2", "Day 9, done. "+hostile)
	hub.OperationChanged("1")
	wait(t, page, `document.querySelector("#item-5")?.textContent.includes("Day 9, done.")`)
	wait(t, page, `document.querySelector("#draft").textContent.trim() === ""`)
	wait(t, page, `document.querySelector("#walls").textContent.includes("$0.0125")`)
	if moved := page.MustEval(`() => Math.abs(document.querySelector("#item-3").getBoundingClientRect().top - window.at)`).Num(); moved > 2 {
		t.Errorf("what was read moved by %v px", moved)
	}
	x.change("run-2", func(r *app.RunTrace) { r.State = "succeeded" })
	hub.OperationChanged("1")
	wait(t, page, `document.querySelector("#announcement").textContent === "The run has ended: succeeded."`)
	wait(t, page, `document.querySelector("#outcome .chip.live")?.textContent === "succeeded"`)
}

// TestTheNewestWordsAreOnScreen holds that who follows sees them without a
// move, on a desk and on a phone, and that who scrolls away is left there.
func TestTheNewestWordsAreOnScreen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1440, 360} {
		x := newExhibit(t)
		server, hub := x.serve(t)
		page := testbrowser.Page(t)
		testbrowser.Width(t, page, width)
		signInWith(page, server.URL, "viewer")
		page.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
		waitLive(t, page)
		draft := strings.Repeat("I weigh what was built in nine days. ", 60)
		x.change("run-2", func(r *app.RunTrace) { r.Calls[1].Draft = draft + "Newest." })
		hub.OperationChanged("run:run-2")
		wait(t, page, `document.querySelector("#draft .draft")?.textContent.endsWith("Newest.")`)
		const end = `document.querySelector("#draft").getBoundingClientRect().bottom`
		wait(t, page, end+` <= innerHeight && `+end+` > 60 && document.querySelector("#follow").checked`)
		if width == 1440 && page.MustEval(`() => scrollY`).Int() > 0 {
			t.Error("on a desk the page must be scrolled to see them")
		}
		testbrowser.Shot(t, page, map[int]string{1440: "admin-runs-following", 360: "admin-runs-following-phone"}[width])

		page.MustEval(`() => scrollTo(0, document.body.scrollHeight)`)
		if width == 360 {
			wait(t, page, `!document.querySelector("#follow").checked`)
			page.MustEval(`() => { window.at = scrollY }`)
			x.change("run-2", func(r *app.RunTrace) { r.Calls[1].Draft = draft + "Newer." })
			hub.OperationChanged("run:run-2")
			wait(t, page, `document.querySelector("#draft .draft")?.textContent.endsWith("Newer.")`)
			if moved := page.MustEval(`() => Math.abs(scrollY - window.at)`).Num(); moved > 40 {
				t.Errorf("who had scrolled away was moved by %v px", moved)
			}
		}
	}
}

// TestAPauseIsSeenOnTheRun holds that an open page says at once what becomes of
// the run, and forgets it when the operation goes on.
func TestAPauseIsSeenOnTheRun(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "viewer")
	page.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
	waitLive(t, page)
	wait(t, page, `!!document.querySelector("#draft .draft")`)
	for _, c := range []struct {
		state      app.OperationState
		answering  bool
		chip, note string
	}{
		{app.OperationPaused, true, "paused", "stops before its next call"},
		{app.OperationPaused, false, "paused", "makes no call until it is resumed"},
		{app.OperationRunning, false, "running", ""},
		{app.OperationStopped, false, "stopped", "makes no other call"},
	} {
		x.change("run-2", func(r *app.RunTrace) {
			x.op.State = c.state
			if !c.answering {
				r.Calls[1].State = "settled"
			}
		})
		hub.OperationChanged("1")
		wait(t, page, `document.querySelector("#outcome .chip").textContent === "`+c.chip+`"`)
		wait(t, page, `(document.querySelector("#outcome .note")?.textContent ?? "").includes("`+c.note+`") && !!document.querySelector("#outcome .note") === `+string(must(c.note != "")))
		wait(t, page, `["", "The run is now `+c.chip+`."].includes(document.querySelector("#announcement").textContent)`)
	}
}

func TestARunStreamClosesWhenHidden(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "viewer")
	page.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
	waitLive(t, page)
	hide := func(hidden bool) {
		page.MustEval(`(hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true }); document.dispatchEvent(new Event("visibilitychange")) }`, hidden)
	}
	seen := testbrowser.Page(t)
	signInWith(seen, server.URL, "viewer")
	seen.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
	waitLive(t, seen)
	hide(true)
	x.change("run-2", func(r *app.RunTrace) { r.Calls[1].Draft = "said behind your back" })
	hub.OperationChanged("run:run-2")
	wait(t, seen, `document.querySelector("#draft .draft")?.textContent === "said behind your back"`)
	if page.MustEval(`() => document.querySelector("#draft").textContent.includes("said behind your back")`).Bool() {
		t.Error("a hidden page goes on listening")
	}
	hide(false)
	wait(t, page, `document.querySelector("#draft .draft")?.textContent === "said behind your back"`)
}

func TestARunWithScriptsOff(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	page := withoutScripts(t)
	signInWith(page, server.URL, "viewer")
	page.MustNavigate(server.URL + "/admin/runs/run-2").MustWaitLoad()
	text := squeeze(page.MustElement("main").MustText())
	for _, want := range []string{"as of 7 Dec 2026, 15:20 UTC", "Reload", "the model answers turn 2, gpt-5", "Nine days in.", "$0.03 held", "vivra replay run-2"} {
		if !strings.Contains(text, want) {
			t.Errorf("without scripts the trace lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "Follow") || strings.Contains(text, "Copy") {
		t.Error("without scripts a control is shown that does nothing")
	}
}

// withoutScripts is a page whose own scripts are kept away: the driver needs
// some to look at it.
func withoutScripts(t *testing.T) *rod.Page {
	t.Helper()
	page := testbrowser.Page(t)
	router := page.HijackRequests()
	router.MustAdd("*.js*", func(h *rod.Hijack) { h.Response.Fail(proto.NetworkErrorReasonBlockedByClient) })
	go router.Run()
	t.Cleanup(router.MustStop)
	return page
}

// TestAnotherProcessesAnswerIsSeen goes through the database: a worker keeps
// the draft, and the page of a process that knows nothing else shows it.
func TestAnotherProcessesAnswerIsSeen(t *testing.T) {
	t.Parallel()
	w := newRunningStep(t)
	ctx := t.Context()
	run, _, err := w.worker.OpenRun(ctx, w.claim, app.Run{Agent: "scanner", Task: "scanner.full_report", Model: "gpt-5-mini", PromptSHA256: sha("prompt"), System: "You scan.", Budget: app.Dollar}, j0)
	if err != nil {
		t.Fatal(err)
	}
	price := app.Price{Input: 250_000_000, Cached: 25_000_000, Output: 2_000_000_000}
	grant, err := w.worker.ReserveCall(ctx, w.claim, app.CallRequest{RunID: run.ID, Agent: "scanner", Turn: 1, Kind: "model", Model: "gpt-5-mini", RequestSHA256: sha("request"), Price: price, RequestBytes: 4000, WantOutput: 4000, MinOutput: 256}, j0)
	if err != nil {
		t.Fatal(err)
	}
	page := testbrowser.Page(t)
	signInWith(page, w.url, "admin")
	page.MustNavigate(w.url + "/admin/runs/" + run.ID).MustWaitLoad()
	waitLive(t, page)
	if err := w.worker.Overhear(ctx, grant.ID, run.ID, "I read the chain first. "+hostile, j0); err != nil {
		t.Fatal(err)
	}
	wait(t, page, `document.querySelector("#draft .draft")?.textContent.startsWith("I read the chain first. <script>")`)
	for _, want := range []string{"Scanner's share of the cap", grant.Reserved.String() + " held", "$0.25 / $0.025 / $2.00"} {
		if text := squeeze(page.MustElement("main").MustText()); !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	out := app.CallOutcome{State: "settled", Cost: 1_000_000, Source: app.CostTable, LatencyMS: 900, Usage: &app.Usage{PromptTokens: 2000, CompletionTokens: 250, TotalTokens: 2250, Reported: true}}
	line := app.EventLine{Kind: "model_call", Agent: "scanner", Step: "scanner.full_report", Summary: "The model answered in text"}
	if err := w.worker.SettleCall(ctx, w.claim, run.ID, 1, grant.ID, out, []json.RawMessage{must(item{Role: "assistant", Text: "The owner renounced."})}, line, j0); err != nil {
		t.Fatal(err)
	}
	wait(t, page, `document.querySelector("#items")?.textContent.includes("The owner renounced.") && !document.querySelector("#draft .draft")`)
	public := newVisitor(t, w.url).get("/operations/dodo").doc(t)
	if got := spoken(public, "#costs"); !strings.Contains(got, "Scanner $0.001 $10.00") || !strings.Contains(got, "Tokens by our price list 1 row of the log $0.001") {
		t.Errorf("the public page says %q", got)
	}
}

// runningStep is a real database with a step in hand, under the whole site, and
// the store of the worker that has it.
type runningStep struct {
	takeover
	worker *postgres.Store
	claim  app.Claim
}

func newRunningStep(t *testing.T) runningStep {
	t.Helper()
	url := testdb.URL(t)
	open := func() *postgres.Store {
		store, err := postgres.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		return store
	}
	w := runningStep{takeover: planned(t, open()), worker: open()}
	if err := w.store.BeginOperation(t.Context(), w.op.ID, j0); err != nil {
		t.Fatal(err)
	}
	w.claim = w.start(t, "scanner.full_report", j0)
	w.url = w.serve(t)
	return w
}
