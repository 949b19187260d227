package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"

	"vivra/app"
	"vivra/app/internal/testbrowser"
	"vivra/app/live"
)

// desk is the queue in a real browser, with someone signed in.
type desk struct {
	*rod.Page
	t   *testing.T
	x   *exhibit
	url string
	hub *live.Hub
}

func newDesk(t *testing.T, x *exhibit, page *rod.Page, role string) *desk {
	t.Helper()
	server, hub := x.serve(t)
	signInWith(page, server.URL, role)
	return &desk{page, t, x, server.URL, hub}
}

// opens goes to an output, and waits until keys decide there.
func (d *desk) opens(id string) {
	d.t.Helper()
	d.MustNavigate(d.url + "/admin/validations/" + id)
	d.ready(fmt.Sprintf("location.pathname.endsWith(%q)", "/"+id))
}

// ready waits for a page where keys decide, and of which more holds.
func (d *desk) ready(more string) {
	d.t.Helper()
	wait(d.t, d.Page, `document.readyState === "complete" && document.documentElement.dataset.ready === "yes" && (`+more+`)`)
}

// press types a key and waits for the output that it leads to.
func (d *desk) press(key input.Key, output string) {
	d.t.Helper()
	d.Keyboard.MustType(key)
	d.ready(fmt.Sprintf("document.querySelector('#output-title')?.textContent === %q", output))
}

func (d *desk) js(expression string) string {
	d.t.Helper()
	return d.MustEval("() => String(" + expression + ")").Str()
}

// focus is the id or the name of what has the focus.
func (d *desk) focus() string {
	return d.js("document.activeElement.id || document.activeElement.name")
}

// TestTheWholeQueueByKeyboard works every output of the queue without a
// pointer, each as its kind asks for, and finds the focus where it goes on.
func TestTheWholeQueueByKeyboard(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v1")
	d.press(input.KeyJ, "Daily post, day 9")
	d.press(input.KeyJ, "Community poll")
	d.press(input.KeyK, "Daily post, day 9")
	if got := d.focus(); got != "output-title" {
		t.Errorf("after a move the focus is on %q", got)
	}
	// A reason that is made of the keys is typed, not obeyed.
	d.Keyboard.MustType(input.KeyR)
	wait(t, d.Page, `document.activeElement.name === "reason"`)
	d.Keyboard.MustType(input.KeyA, input.KeyJ, input.KeyK, input.KeyR, input.KeyE, input.KeyU, input.Slash)
	d.Keyboard.MustType(input.Tab)
	d.press(input.Enter, "Community poll")
	if got := d.focus(); got != "output-title" {
		t.Errorf("after a rejection the focus is on %q", got)
	}
	d.press(input.KeyU, "Daily post, day 9")
	// Past a risk mark: the key leads to the box, space ticks it, the key decides.
	d.Keyboard.MustType(input.KeyA)
	wait(t, d.Page, `document.querySelector("#approve").checkValidity() === false && document.activeElement.name === "on_purpose"`)
	d.Keyboard.MustType(input.Space)
	d.press(input.KeyA, "Community poll")
	// Edit it, then go on.
	d.Keyboard.MustType(input.KeyE)
	d.ready(`document.activeElement.id === "field-intro.text"`)
	d.MustElement("#field-intro\\.text").MustSelectAllText().MustInput("Three faces. Vote below.")
	d.MustElement("#draft-form").MustEval(`() => { [...this.querySelectorAll("button")][0].focus() }`)
	d.press(input.Enter, "Community poll")
	for _, next := range []string{"Account set-up on X", "Telegram group set-up", "Publish the site", "Utility", "Go or no-go", "Three directions", "Brand kit", "Moderator shortlist, week 1", "Verdict", "Takeover dossier"} {
		d.press(input.KeyA, next)
	}
	d.MustElement(`[name="receipt.pons"]`).MustInput("https://example.com/r/1")
	d.Keyboard.MustType(input.Enter)
	d.ready(`document.activeElement.id === "refusal"`)
	d.MustElement(`[name="reason.dexscreener"]`).MustInput("too dear")
	d.MustElement(`[name="reason.coingecko"]`).MustInput("not listed")
	d.press(input.Enter, "Handover")
	d.press(input.KeyA, "Comeback thread")
	d.press(input.KeyA, "Nothing waits")
	want := `reject v2 by approver
withdraw v2 by approver
approve  v2 by approver
edit v3 by approver
approve  v3-2 by approver
approve  v4 by approver
approve  v5 by approver
approve  v6 by approver
approve  v7 by approver
approve  v8 by approver
approve  v9 by approver
approve  v10 by approver
approve  v11 by approver
approve  v12 by approver
approve pons=https://example.com/r/1 dexscreener=too dear coingecko=not listed v13 by approver
approve  v14 by approver
approve  v1 by approver`
	if got := x.said(); got != want {
		t.Errorf("by keys was done:\n%s", got)
	}
}

func TestKeysThatDoNothing(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v3")
	for _, modifier := range []input.Key{input.ControlLeft, input.MetaLeft, input.AltLeft} {
		d.KeyActions().Press(modifier).Type(input.KeyA, input.KeyE, input.KeyJ).Release(modifier).MustDo()
	}
	d.Keyboard.MustType(input.Key('?'))
	wait(t, d.Page, `document.querySelector("#keys").open`)
	d.Keyboard.MustType(input.KeyA, input.KeyJ)
	d.MustElement("#keys button").MustClick()
	wait(t, d.Page, `!document.querySelector("#keys").open`)
	d.Keyboard.MustType(input.Key('?'))
	wait(t, d.Page, `document.querySelector("#keys").open`)
	d.Keyboard.MustType(input.Escape)
	wait(t, d.Page, `!document.querySelector("#keys").open`)
	// In a field only Escape does something: it leads back to the button.
	d.Keyboard.MustType(input.KeyR)
	wait(t, d.Page, `document.activeElement.name === "reason"`)
	d.Keyboard.MustType(input.KeyA, input.Escape)
	wait(t, d.Page, `document.activeElement.tagName === "SUMMARY"`)
	if got := d.js("location.pathname"); got != "/admin/validations/v3" || x.said() != "" {
		t.Errorf("the keys led to %s and did %q", got, x.said())
	}
	// A key that is meant for the output before decides nothing about this one.
	d.MustEval(`() => { delete document.documentElement.dataset.ready }`)
	d.Keyboard.MustType(input.KeyA)
	d.MustEval(`() => { document.documentElement.dataset.ready = "yes" }`)
	// Pressed twice it is sent once.
	d.MustEval(`() => { const b = document.querySelector("#approve button"); b.click(); b.click() }`)
	d.ready(`location.pathname === "/admin/validations/v4"`)
	if got := x.said(); got != "approve  v3 by approver" {
		t.Errorf("was done: %q", got)
	}
}

// TestArrivalsMoveNothing: what comes appears in the list; what is read, what is
// written and where the list stands stays.
func TestArrivalsMoveNothing(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.queueUp(30)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v20")
	waitLive(t, d.Page)
	d.Keyboard.MustType(input.KeyR)
	d.MustElement("#reject textarea").MustInput("Half a sen")
	d.MustEval(`() => { const list = document.querySelector(".items"); list.scrollTop = 300; scrollTo(0, 40);
		window.seen = ["#item-v12", "#output-title", "#reject textarea", "#approve button"].map((s) => document.querySelector(s));
		window.at = window.seen.map((e) => e.getBoundingClientRect().top); window.list = list.scrollTop }`)
	x.mu.Lock()
	x.queueUp(3)
	x.mu.Unlock()
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#item-v47") !== null && document.querySelector("#waiting").textContent === "47 waiting"`)
	if got := d.js(`window.seen.every((e, i) => e.isConnected && Math.abs(e.getBoundingClientRect().top - window.at[i]) < 1) && document.querySelector(".items").scrollTop === window.list && document.querySelector("#reject textarea").value + document.activeElement.name`); got != "Half a senreason" {
		t.Errorf("after an arrival the page has moved, or holds %q", got)
	}
	// Someone else decides an older one: the list shrinks, and nothing that is read moves.
	other := newVisitor(t, d.url)
	other.signIn("admin")
	other.submit(other.get("/admin/validations/v1"), "#approve", nil)
	wait(t, d.Page, `document.querySelector("#item-v1") === null && document.querySelector("#undo").textContent.includes("admin approved")`)
	if got := d.js(`window.seen.every((e, i) => e.isConnected && Math.abs(e.getBoundingClientRect().top - window.at[i]) < 1) && document.querySelector("#reject textarea").value`); got != "Half a sen" {
		t.Errorf("after another's decision the page has moved, or holds %q", got)
	}
	// The form still decides: its turn is the present one.
	d.MustElement("#reject form button").MustClick()
	d.ready(`location.pathname === "/admin/validations/v21"`)
}

// TestTheShownOutputIsSeenInTheList, also above what can be undone.
func TestTheShownOutputIsSeenInTheList(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.queueUp(90)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	seen := func() {
		t.Helper()
		d.ready(`(() => { const row = document.querySelector("[aria-current=true]").getBoundingClientRect(); return row.top >= 0 && row.bottom <= document.querySelector("#undo").getBoundingClientRect().top })()`)
	}
	d.opens("v40")
	for day := 27; day < 30; day++ {
		seen()
		d.press(input.KeyA, fmt.Sprintf("Daily post, day %d", day))
	}
	seen()
	d.opens("v80")
	seen()
}

// TestAnOutputArrivesInAnEmptyQueue, and a key opens it.
func TestAnOutputArrivesInAnEmptyQueue(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.validations = nil
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.MustNavigate(d.url + "/admin/validations").MustWaitLoad()
	waitLive(t, d.Page)
	x.mu.Lock()
	x.queueUp(1)
	x.mu.Unlock()
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#output-title").textContent === "1 output has arrived"`)
	d.press(input.KeyJ, "Daily post, day 1")
}

func TestADecisionElsewhereReachesTheOpenOutput(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v5")
	waitLive(t, d.Page)
	other := newVisitor(t, d.url)
	other.signIn("admin")
	next := other.get(other.submit(other.get("/admin/validations/v5"), "#approve", nil).Header.Get("Location"))
	wait(t, d.Page, `/approved\s*by admin/.test(document.querySelector("#decide").textContent)`)
	// Taken back, it can be decided here, on its new turn.
	other.submit(next, "#undo form", nil)
	wait(t, d.Page, `document.querySelector("#approve") !== null`)
	d.press(input.KeyA, "Publish the site")
	if got := x.said(); !strings.HasSuffix(got, "withdraw v5 by admin\napprove  v5 by approver") {
		t.Errorf("was done: %q", got)
	}
}

// TestASecondClickSeesTheReceipt in the browser: the page says who was first,
// and the focus is on that.
func TestASecondClickSeesTheReceipt(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v5")
	d.MustEval(`() => { const sent = document.querySelector("#approve [name=nonce]"); sent.value = "an earlier turn" }`)
	d.Keyboard.MustType(input.KeyA)
	d.ready(`document.activeElement.id === "refusal"`)
	d.clicksLate()
	d.ready(`document.activeElement.id === "refusal" && document.querySelector("#receipt").textContent.includes("admin")`)
	d.press(input.KeyJ, "Publish the site")
	d.press(input.KeyK, "Account set-up on X")
	if strings.Contains(x.said(), "by approver") {
		t.Errorf("was done: %q", x.said())
	}
}

// TestWhatIsBeingWrittenOutlastsADecision of somebody else.
func TestWhatIsBeingWrittenOutlastsADecision(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v5")
	d.Keyboard.MustType(input.KeyR)
	d.MustElement("#reason").MustInput("The rules are missing.")
	v, err := x.Validation(t.Context(), "v5")
	if err == nil {
		_, err = x.ApproveValidation(t.Context(), v.Choice(), app.User{Name: "admin", Role: app.RoleAdmin}, nil, x.now())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#decide").textContent.includes("by admin")`)
	if got := d.js(`document.querySelector("#reason")?.value + " " + document.querySelector("#reason")?.checkVisibility()`); got != "The rules are missing. true" {
		t.Errorf("the page keeps %q", got)
	}
	d.opens("v5")
	if d.js(`document.querySelector("#reason").checkVisibility()`) != "false" {
		t.Error("an empty field is shown")
	}
}

// TestTypingOnDecidesNothing: whatever becomes of an output while somebody writes
// about it, their next letters go on where the others are, and are no keys.
func TestTypingOnDecidesNothing(t *testing.T) {
	t.Parallel()
	fields := []struct {
		output, field, typed string
		key                  input.Key
	}{{"v3", "reason", "no ", input.KeyR}, {"v13", "receipt-pons", "https", 0}}
	elsewhere := map[string]func(*exhibit, app.Validation) error{
		"approved": func(x *exhibit, v app.Validation) error {
			_, err := x.ApproveValidation(t.Context(), v.Choice(), app.User{Name: "admin"}, submitted(v), x.now())
			return err
		},
		"rejected": func(x *exhibit, v app.Validation) error {
			_, err := x.RejectValidation(t.Context(), v.Choice(), app.User{Name: "admin"}, "A line\u2028and another.", x.now())
			return err
		},
		"void": func(x *exhibit, v app.Validation) error {
			defer x.lock()()
			x.last().State = app.ValidationVoid
			for i := range x.validations {
				if x.validations[i].ID == v.ID {
					x.validations[i].State = app.ValidationVoid
				}
			}
			return nil
		},
	}
	for _, f := range fields {
		for became, do := range elsewhere {
			t.Run(f.field+" "+became, func(t *testing.T) {
				t.Parallel()
				x := newExhibit(t)
				d := newDesk(t, x, testbrowser.Page(t), "approver")
				d.opens(f.output)
				waitLive(t, d.Page)
				if f.key != 0 {
					d.Keyboard.MustType(f.key)
				} else {
					d.MustElement("#" + f.field).MustFocus()
				}
				wait(t, d.Page, `document.activeElement.id === "`+f.field+`"`)
				d.writes(f.typed)
				v, err := x.Validation(t.Context(), f.output)
				if err == nil {
					err = do(x, v)
				}
				if err != nil {
					t.Fatal(err)
				}
				d.hub.OperationChanged("1")
				wait(t, d.Page, `document.querySelector("#approve") === null && document.querySelector("#decide").textContent.includes("`+became+`")`)
				d.writes("ajkreu")
				if got, want := d.js(`location.pathname + " " + document.activeElement.id + " " + document.activeElement.value + " " + document.activeElement.checkVisibility()`), "/admin/validations/"+f.output+" "+f.field+" "+f.typed+"ajkreu true"; got != want {
					t.Errorf("typing on leads to %q, want %q", got, want)
				}
				// Even where the field is gone, nothing is obeyed until they act.
				d.MustEval(`() => document.activeElement.closest("label").remove()`)
				d.writes("ajkreu")
				if got := x.said(); strings.Contains(got, "by approver") || d.js("location.pathname") != "/admin/validations/"+f.output {
					t.Errorf("typing on has done %q and led to %s", got, d.js("location.pathname"))
				}
				d.Keyboard.MustType(input.Escape, input.KeyJ)
				d.ready(`!location.pathname.endsWith("/` + f.output + `")`)
			})
		}
	}
}

// TestAnEditOutlastsADecision: on the page where words are changed nothing is
// taken away, no letter is a key, and saving too late gives them back.
func TestAnEditOutlastsADecision(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.MustNavigate(d.url + "/admin/validations/v2/draft").MustWaitLoad()
	d.MustElement("#draft-form textarea").MustSelectAllText()
	d.writes("ajk")
	v, err := x.Validation(t.Context(), "v2")
	if err == nil {
		_, err = x.ApproveValidation(t.Context(), v.Choice(), app.User{Name: "admin"}, nil, x.now())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.hub.OperationChanged("1")
	d.writes("reu")
	if got := d.js(`location.pathname + document.activeElement.value`); got != "/admin/validations/v2/draftajkreu" {
		t.Errorf("typing on leads to %q", got)
	}
	d.MustElement("#draft-form button").MustClick()
	wait(t, d.Page, `document.querySelector("#refusal")?.textContent.includes("ajkreu")`)
	if got := x.said(); strings.Contains(got, "by approver") {
		t.Errorf("was done: %q", got)
	}
}

// writes types letter by letter.
func (d *desk) writes(text string) {
	d.t.Helper()
	for _, r := range text {
		d.Keyboard.MustType(input.Key(r))
	}
}

// TestATickIsForWhatWasSeen: what waits anew after a decision is looked at anew.
func TestATickIsForWhatWasSeen(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v2")
	waitLive(t, d.Page)
	d.MustElement("[name=on_purpose]").MustClick()
	v, err := x.Validation(t.Context(), "v2")
	if err == nil {
		v, err = x.ApproveValidation(t.Context(), v.Choice(), app.User{Name: "admin", Role: app.RoleAdmin}, nil, x.now())
	}
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#approve") === null`)
	if err == nil {
		_, err = x.WithdrawDecision(t.Context(), v.Choice(), app.User{Name: "admin", Role: app.RoleAdmin}, x.now())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#approve") !== null`)
	d.Keyboard.MustType(input.KeyA)
	wait(t, d.Page, `document.activeElement.name === "on_purpose" && !document.activeElement.checked`)
	if got := x.said(); strings.Contains(got, "by approver") {
		t.Errorf("was done: %q", got)
	}
}

// TestAReasonIsSentAfterADecisionWasTakenBack, also from a page that was opened
// in between.
func TestAReasonIsSentAfterADecisionWasTakenBack(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	admin := app.User{Name: "admin", Role: app.RoleAdmin}
	v, err := x.Validation(t.Context(), "v5")
	if err == nil {
		v, err = x.ApproveValidation(t.Context(), v.Choice(), admin, nil, x.now())
	}
	d.MustNavigate(d.url + "/admin/validations/v5?decided=v5").MustWaitLoad()
	if err == nil {
		_, err = x.WithdrawDecision(t.Context(), v.Choice(), admin, x.now())
	}
	if err != nil {
		t.Fatal(err)
	}
	d.opens("v5")
	d.Keyboard.MustType(input.KeyR)
	wait(t, d.Page, `document.activeElement.id === "reason"`)
	d.writes("no")
	d.MustElement("#reject form button").MustClick()
	d.ready(`location.pathname !== "/admin/validations/v5"`)
	if got := x.find(t, "v5").Reason; got != "no" {
		t.Errorf("the reason is %q", got)
	}
}

// TestUndoCountsDown without moving anything, and goes when it is over.
func TestUndoCountsDown(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.queue.undo = ptr(3 * time.Second)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	d.opens("v4")
	d.press(input.KeyA, "Telegram group set-up")
	d.MustEval(`() => { window.shift = 0; new PerformanceObserver((list) => list.getEntries().forEach((e) => { window.shift += e.value })).observe({ type: "layout-shift", buffered: true }) }`)
	wait(t, d.Page, `document.querySelector("#undo .over") !== null && getComputedStyle(document.querySelector("#undo button")).visibility === "hidden"`)
	d.Keyboard.MustType(input.KeyU) // too late: nothing is sent
	x.advance(4 * time.Second)
	d.hub.OperationChanged("1")
	wait(t, d.Page, `document.querySelector("#undo").children.length === 1 && document.querySelector("#undo").textContent.includes("Approved: ")`)
	if shift := d.MustEval(`() => window.shift`).Num(); shift > 0.01 {
		t.Errorf("the page shifted by %v", shift)
	}
	if got := x.said(); got != "approve  v4 by approver" {
		t.Errorf("was done: %q", got)
	}
}

// TestUndoCountsTheReadersSeconds also where the server's clock runs faster, with
// scripts and without.
func TestUndoCountsTheReadersSeconds(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.pace, x.queue.undo = 600, ptr(600*40*time.Second)
	d := newDesk(t, x, testbrowser.Page(t), "approver")
	left := func() (seconds int) {
		t.Helper()
		text := d.js(`document.querySelector("#undo .countdown").textContent`)
		if _, err := fmt.Sscanf(text, "%d s", &seconds); err != nil {
			t.Errorf("it counts %q", text)
		}
		return seconds
	}
	counts := func(where string) {
		t.Helper()
		if n := left(); n < 30 || n > 40 {
			t.Errorf("%s: %d s are left of 40", where, n)
		}
		wait(t, d.Page, `parseInt(document.querySelector("#undo .countdown").textContent) < 40`)
	}
	d.opens("v4")
	d.press(input.KeyA, "Telegram group set-up")
	counts("the queue")
	static := x.member(t, d.url, "approver").get("/admin/validations/v5").doc(t).Find("#undo .countdown").Text()
	if static != "40 s" { // the exhibit's clock stands
		t.Errorf("without scripts it is %q", static)
	}
	x.advance(600 * 20 * time.Second)
	d.hub.OperationChanged("1")
	wait(t, d.Page, `parseInt(document.querySelector("#undo .countdown").textContent) <= 20`)
	if n := left(); n < 10 {
		t.Errorf("after 20 s of 40 %d are left", n)
	}
}

// TestTheQueueWithScriptsOff approves, rejects, undoes, edits and approves several.
func TestTheQueueWithScriptsOff(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	x.queueUp(2)
	page := withoutScripts(t)
	server, _ := x.serve(t)
	page.MustNavigate(server.URL + "/admin/sign-in").MustWaitLoad()
	page.MustElement("input[name=name]").MustInput("approver")
	page.MustElement("input[name=password]").MustInput("correct horse battery")
	page.MustElement("main button").MustClick()
	wait(t, page, `location.pathname === "/admin"`)
	at := func(path string) {
		t.Helper()
		wait(t, page, `document.readyState === "complete" && location.pathname === "/admin/validations/`+path+`"`)
	}
	page.MustNavigate(server.URL + "/admin/validations/v1").MustWaitLoad()
	if got := squeeze(page.MustElement("#decide").MustText()); got != "Approve Reject Edit 10 s to undo, then it goes out" {
		t.Errorf("without scripts the page offers %q", got)
	}
	page.MustElement("#approve button").MustClick()
	at("v2")
	page.MustElement("#undo button").MustClick()
	at("v1")
	page.MustElement("#reject summary").MustClick()
	page.MustElement("#reject textarea").MustInput("Too long.")
	page.MustElement("#reject form button").MustClick()
	at("v2")
	page.MustElement("#edit").MustClick()
	at("v2/draft")
	page.MustElement("#field-text").MustSelectAllText().MustInput("It will 10x.")
	page.MustElement("#draft-form button").MustClick()
	wait(t, page, `document.querySelector("#refusal, .fault") !== null`)
	page.MustElement("#field-text").MustSelectAllText().MustInput("Day 9, told anew.")
	page.MustElement("#draft-form button").MustClick()
	at("v2-2")
	page.MustElement("#queue p a").MustClick()
	at("batches/post")
	for _, box := range page.MustElements("#batch [name=choice]") {
		box.MustClick()
	}
	page.MustElement("#batch .btn.go").MustClick()
	wait(t, page, `document.querySelectorAll("section[aria-labelledby=results-title] li").length === 2`)
	if got, want := x.said(), "approve  v1 by approver\nwithdraw v1 by approver\nreject v1 by approver\nedit v2 by approver\napprove  v15 by approver\napprove  v16 by approver"; got != want {
		t.Errorf("without scripts was done:\n%s", got)
	}
}

// TestFramesAreAsWideAsTheySay: a phone's and a desk's width, in whatever room
// there is, without scripts.
func TestFramesAreAsWideAsTheySay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newExhibit(t), testbrowser.Page(t), "approver")
	for _, width := range []int{1440, 360} {
		testbrowser.Width(t, d.Page, width)
		d.opens("v6")
		for class, want := range map[string]int{"phone": 326, "desktop": 1278} {
			frame := d.MustElement("iframe." + class).MustScrollIntoView().MustFrame()
			frame.MustWaitLoad()
			inner := frame.MustEval(`() => innerWidth`).Int()
			if width == 1440 && class == "phone" {
				want = 358
			}
			if inner != want {
				t.Errorf("on %d px the %s frame is %d px wide inside, want %d", width, class, inner, want)
			}
		}
		if over := d.MustEval(`() => document.documentElement.scrollWidth`).Int(); over > width {
			t.Errorf("the page is %d px wide on %d", over, width)
		}
	}
}

// TestAssetsAreShownAtTrueSize: a pixel of the file is a pixel on the page.
func TestAssetsAreShownAtTrueSize(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newExhibit(t), testbrowser.Page(t), "approver")
	d.opens("v10")
	d.MustElement(".grid img").MustScrollIntoView().MustWaitLoad()
	if got := d.js(`(() => { const i = document.querySelector(".grid img"); return i.naturalWidth > 0 && i.clientWidth === i.naturalWidth && i.clientHeight === i.naturalHeight })()`); got != "true" {
		t.Error("a picture is not shown at its true size")
	}
}
