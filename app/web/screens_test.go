package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-rod/rod"

	"vivra/app"
	"vivra/app/web"
)

// screen is something that a person can have before them.
type screen struct {
	name string
	show func(page *rod.Page)
}

// exhibited fills a route's parameters with things of the exhibit.
func exhibited(path string) string {
	id := "1"
	if strings.Contains(path, "/validations/") {
		id = "v1"
	}
	return strings.NewReplacer(":slug", "dodo", ":id", id, ":token", "invite", ":sha256", sha("meme"), "*", "index.html", ":name", "live.js",
		":key", "run.retries", ":kind", "post", ":chain", "4663", ":address", official).Replace(path)
}

// further are addresses of pages that show more than one thing.
var further = []string{
	"/candidates?state=qualified", "/candidates?page=9", "/candidates/4663/0x0100000000000000000000000000000000000000",
	"/operations/dodo?agent=cm&kind=decision", "/operations/nowhere", "/admin/nowhere",
	"/admin/validations/v2", "/admin/validations/v3", "/admin/validations/v4", "/admin/validations/v5", "/admin/validations/v6", "/admin/validations/v7",
	"/admin/validations/v8", "/admin/validations/v9", "/admin/validations/v10", "/admin/validations/v11", "/admin/validations/v12", "/admin/validations/v13", "/admin/validations/v14", "/admin/validations/w4",
	"/admin/validations/v2/draft", "/admin/validations/v3/draft", "/admin/validations/v4/draft", "/admin/validations/v5/draft", "/admin/validations/v13/draft", "/admin/validations/v8/draft",
	"/admin/alerts?acknowledged=yes", "/admin/alerts?operation=dodo&kind=overdue", "/admin/runs/run-1", "/admin/runs/run-2",
	"/admin/operations/dodo/mentions?state=flagged", "/admin/operations/dodo/mentions?state=reading&before=1",
	"/admin/accounts?tried=c1", "/admin/accounts?tried=c2",
}

// screens are every page there is, as the routes say, then what forms lead to,
// each in an exhibit of its own.
func screens(t *testing.T) (all []screen) {
	t.Helper()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	for _, path := range []string{"/admin/sign-in", "/admin/setup/invite", "/admin/setup/reset"} {
		all = append(all, screen{path, func(page *rod.Page) { page.MustNavigate(server.URL + path) }})
	}
	v.signIn("admin")
	signedIn := false
	open := func(path string) {
		all = append(all, screen{path, func(page *rod.Page) {
			if !signedIn {
				signInWith(page, server.URL, "admin")
				signedIn = true
			}
			page.MustNavigate(server.URL + path)
		}})
	}
	for _, r := range routes(func(r web.Route) bool { return r.Method == http.MethodGet && r.Access != web.Visitor }) {
		if path := exhibited(r.Path); v.isPage(path) {
			open(path)
		}
	}
	for _, path := range further {
		open(path)
	}
	return append(all, acted(t)...)
}

// isPage tells whether there is a page of ours at an address.
func (v *visitor) isPage(path string) bool {
	v.t.Helper()
	res := v.visit(http.MethodGet, path, "")
	if res.StatusCode >= http.StatusBadRequest {
		v.t.Errorf("the exhibit has nothing at %s: it answers %s", path, res.Status)
	}
	h := res.Header
	return res.StatusCode == http.StatusOK && strings.HasPrefix(h.Get("Content-Type"), "text/html") && !strings.Contains(h.Get("Content-Security-Policy"), "sandbox")
}

// acted are what follows from a click, and what a page is in another state.
func acted(t *testing.T) []screen {
	t.Helper()
	act := func(name, role string, prepare func(*exhibit), do func(d *desk)) screen {
		return screen{name, func(page *rod.Page) {
			x := newExhibit(t)
			if prepare != nil {
				prepare(x)
			}
			do(newDesk(t, x, page, role))
		}}
	}
	live := func(name string, prepare func(*exhibit)) screen {
		return act(name, "viewer", prepare, func(d *desk) { d.MustNavigate(d.url + "/operations/dodo") })
	}
	return append(brokenScreens(act), []screen{
		live("takeover scheduled", func(x *exhibit) { x.becomes(app.OperationScheduled) }),
		live("takeover paused", func(x *exhibit) { x.becomes(app.OperationPaused) }),
		live("takeover stopped", func(x *exhibit) { x.becomes(app.OperationStopped) }),
		live("takeover completed", func(x *exhibit) { x.becomes(app.OperationCompleted) }),
		act("nothing yet", "viewer", func(x *exhibit) { x.bare = true }, func(d *desk) { d.MustNavigate(d.url + "/") }),
		act("receipt", "approver", nil, (*desk).clicksLate),
		act("undo", "approver", nil, func(d *desk) {
			d.opens("v4")
			d.MustElement("#approve button").MustClick()
			d.ready(`document.querySelector("#undo form") !== null`)
		}),
		act("one of two", "approver", func(x *exhibit) { x.queue.byTwo = true }, func(d *desk) {
			d.opens("v8")
			d.MustElement("#approve button").MustClick()
			d.ready(`!location.pathname.endsWith("/v8")`)
			d.opens("v8")
		}),
		act("batch", "approver", func(x *exhibit) { x.queueUp(3) }, func(d *desk) { d.MustNavigate(d.url + "/admin/validations/batches/post") }),
		act("batch done", "approver", func(x *exhibit) { x.queueUp(3) }, func(d *desk) {
			d.MustNavigate(d.url + "/admin/validations/batches/post").MustWaitLoad()
			d.MustElement("#batch [name=choice]").MustClick()
			d.MustElement("#batch button").MustClick()
			d.MustElement("#results-title")
		}),
		act("batch of nothing", "approver", nil, func(d *desk) { d.MustNavigate(d.url + "/admin/validations/batches/kit") }),
		act("draft refused", "approver", nil, func(d *desk) {
			d.MustNavigate(d.url + "/admin/validations/v2/draft").MustWaitLoad()
			d.MustElement("#draft-form textarea").MustSelectAllText().MustInput("It will 10x.")
			d.MustElement("#draft-form button").MustClick()
			d.MustElement("#refusal")
		}),
		act("dossier refused", "approver", nil, func(d *desk) {
			d.opens("v13")
			d.MustEval(`() => document.querySelectorAll(".venue").forEach((form) => { form.open = true })`)
			d.MustElement(`[name="receipt.pons"]`).MustInput("https://example.com/r/1")
			d.MustElement("#approve button").MustClick()
			d.MustElement("#refusal")
			d.MustEval(`() => document.querySelectorAll(".venue").forEach((form) => { form.open = true })`)
		}),
		act("dossier submitted", "approver", nil, func(d *desk) {
			d.opens("v13")
			for name, text := range map[string]string{"receipt.pons": "https://example.com/r/1", "reason.dexscreener": "It has no profile.", "reason.coingecko": strings.Repeat("It is not listed. ", 12)} {
				d.MustElement(`[name="` + name + `"]`).MustInput(text)
			}
			d.MustElement("#approve button").MustClick()
			d.ready(`!location.pathname.endsWith("/v13")`)
			d.opens("v13")
		}),
		act("words kept", "approver", nil, func(d *desk) {
			d.opens("v13")
			d.MustElement(`[name="receipt.pons"]`).MustInput("https://example.com/r/1")
			d.MustElement("#reject summary").MustClick()
			d.MustElement("#reason").MustInput("It says holders decide, which is not so.")
			_, err := d.x.ApproveValidation(d.t.Context(), d.x.find(d.t, "v13").Choice(), app.User{Name: "admin", Role: "admin"}, submitted(*d.x.find(d.t, "v13")), d.x.now())
			if err != nil {
				d.t.Fatal(err)
			}
			d.hub.OperationChanged("1")
			wait(d.t, d.Page, `document.querySelector("#approve") === null`)
		}),
		act("words not sent", "approver", nil, func(d *desk) {
			d.opens("v5")
			d.MustElement("#reject summary").MustClick()
			d.MustElement("#reason").MustInput("It says holders decide, which is not so.")
			d.MustSetCookies()
			d.MustElement("#reject form button").MustClick()
			d.MustWait(`() => document.title === "Not sent, Vivra"`)
		}),
		act("audit opened", "viewer", nil, func(d *desk) {
			d.MustNavigate(d.url + "/admin/audit").MustWaitLoad()
			d.MustEval(`() => document.querySelectorAll("main details").forEach((e) => { e.open = true })`)
		}),
		act("queue of a viewer", "viewer", nil, func(d *desk) { d.MustNavigate(d.url + "/admin/validations") }),
		act("empty queue", "approver", func(x *exhibit) { x.validations = nil }, func(d *desk) { d.MustNavigate(d.url + "/admin/validations") }),
		act("invite", "admin", nil, func(d *desk) {
			d.MustNavigate(d.url + "/admin/users").MustWaitLoad()
			d.MustElement(`form[action="/admin/users/invites"] button`).MustClick()
			d.MustWait(`() => location.pathname === "/admin/users/invites"`)
		}),
		act("on to X", "admin", nil, func(d *desk) {
			d.MustNavigate(d.url + "/admin/accounts").MustWaitLoad()
			d.MustElement(`#x-dodo_back form[action="/admin/accounts/connections"] button`).MustClick()
			d.MustWait(`() => location.pathname === "/admin/accounts/connections"`)
		}),
		act("setting refused", "admin", nil, func(d *desk) {
			d.MustNavigate(d.url + "/admin/settings").MustWaitLoad()
			d.MustElement(`form[action="/admin/settings/validation.undo_s"] input[name=value]`).MustSelectAllText().MustInput("soon")
			d.MustElement(`form[action="/admin/settings/validation.undo_s"] button`).MustClick()
			d.MustElement("[role=alert]")
		}),
	}...)
}

// clicksLate approves an output that somebody else has just approved, before the
// page has heard of it.
func (d *desk) clicksLate() {
	d.opens("v5")
	_, err := d.x.ApproveValidation(d.t.Context(), d.x.find(d.t, "v5").Choice(), app.User{Name: "admin", Role: "admin"}, nil, d.x.now())
	if err != nil {
		d.t.Fatal(err)
	}
	d.MustElement("#approve button").MustClick()
	d.ready(`document.querySelector("#receipt") !== null`)
}
