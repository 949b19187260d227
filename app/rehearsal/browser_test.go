package rehearsal_test

import (
	"context"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testbrowser"
	"vivra/app/paths"
	"vivra/app/rehearsal"
)

// TestApproveInABrowser: two of the team come by their one-time links, one with
// scripts and one without, while a reader has the public page open.
func TestApproveInABrowser(t *testing.T) {
	t.Parallel()
	rehearse(t, rehearsal.Plan{Seed: 1, Days: 1, Script: script(t, "none"), Finished: func(ctx context.Context, a *boot.App, op app.Operation, base string) error {
		one, other := invite(t, a), invite(t, a)
		undone := func() { a.Config.Clock.(*clockwork.FakeClock).Advance(app.DefaultSettings().Undo) }
		t.Run("scripts", func(t *testing.T) { withScripts(t, base, paths.Operation(op.Slug), one, undone) })
		t.Run("no scripts", func(t *testing.T) { withoutScripts(t, base, paths.Operation(op.Slug), other, undone) })
		return nil
	}})
}

func invite(t *testing.T, a *boot.App) string {
	t.Helper()
	token, err := a.Invite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return paths.Setup(token)
}

// withScripts approves by a key; past lets the time go by in which that can be
// taken back.
func withScripts(t *testing.T, base, public, link string, past func()) {
	reader, approver := testbrowser.Page(t), testbrowser.Page(t)
	reader.MustNavigate(base + public).MustWaitLoad()
	await(t, reader, `document.querySelector("[data-connection]").textContent === "live"`)
	reader.MustEval(`() => { window.notReloaded = true }`)

	join(t, approver, base+link, "keyboard")
	approver.MustNavigate(base + paths.Validations()).MustWaitLoad()
	if got := approver.MustElement("#output-title").MustText(); got != "Go or no-go" {
		t.Fatalf("the queue offers %q first", got)
	}
	await(t, approver, `document.documentElement.dataset.ready === "yes"`)
	leads := approver.MustWaitNavigation()
	approver.Keyboard.MustType(input.KeyA)
	leads()
	await(t, approver, `document.querySelector("#undo [data-undo]") !== null`)
	past()

	await(t, reader, `document.querySelector("#step-scanner-go_nogo .state").textContent.includes("done")`)
	await(t, reader, `document.querySelector("#log-lines").textContent.includes("Approved by a person")`)
	await(t, reader, `document.querySelector("#step-tg-setup .state").textContent.includes("waits")`)
	if !reader.MustEval(`() => window.notReloaded === true`).Bool() {
		t.Error("the public page was loaded again")
	}
}

func withoutScripts(t *testing.T, base, public, link string, past func()) {
	page := testbrowser.Page(t)
	if err := (proto.EmulationSetScriptExecutionDisabled{Value: true}).Call(page); err != nil {
		t.Fatal(err)
	}
	join(t, page, base+link, "no-scripts")
	visit(page, base+paths.Validations())
	follow(t, page, page.MustElementR("#queue a", "Telegram"))
	page.MustElementR("#output-title", "Telegram")
	follow(t, page, page.MustElement("#approve button"))
	page.MustElement("#undo button")
	past()

	for range 100 { // reloads
		visit(page, base+public)
		if page.MustHasR("#step-tg-setup .state", "done") {
			return
		}
	}
	t.Errorf("after many reloads the public page says %q", page.MustElement("#step-tg-setup").MustText())
}

// join creates an account by its one-time link.
func join(t *testing.T, page *rod.Page, link, name string) {
	t.Helper()
	visit(page, link)
	for field, text := range map[string]string{"name": name, "password": "correct horse battery"} {
		focus(t, page, page.MustElement("input[name="+field+"]"))
		page.MustInsertText(text)
	}
	follow(t, page, page.MustElement("main button"))
}

// visit opens a page. Rod's own wait for its load listens by script, in vain
// where none runs.
func visit(page *rod.Page, url string) {
	leads := page.MustWaitNavigation()
	page.MustNavigate(url)
	leads()
}

// focus moves the keyboard to an element. Rod's own clicks wait for a frame to
// be painted, which need not come where no script runs.
func focus(t *testing.T, page *rod.Page, el *rod.Element) {
	t.Helper()
	if err := (proto.DOMFocus{ObjectID: el.Object.ObjectID}).Call(page); err != nil {
		t.Fatal(err)
	}
}

// follow presses Enter on a link or a button and waits for where it leads.
func follow(t *testing.T, page *rod.Page, el *rod.Element) {
	t.Helper()
	focus(t, page, el)
	leads := page.MustWaitNavigation()
	page.Keyboard.MustType(input.Enter)
	leads()
}

func await(t *testing.T, page *rod.Page, js string) {
	t.Helper()
	if err := page.Wait(rod.Eval("() => " + js)); err != nil {
		t.Fatalf("waited in vain for %s: %v", js, err)
	}
}
