package web_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app/internal/testbrowser"
)

// everyPage is each page that a visitor or a member of the team can open.
var everyPage = []string{
	"/", "/operations/dodo", "/operations/dodo?agent=cm&kind=decision", "/operations/nowhere", "/admin/sign-in", "/admin/setup/invite",
	"/admin", "/admin/validations", "/admin/validations/v2", "/admin/validations/v3", "/admin/validations/v4", "/admin/validations/v5", "/admin/validations/v6",
	"/admin/validations/v7", "/admin/validations/v8", "/admin/validations/v9", "/admin/validations/v10", "/admin/validations/v11", "/admin/validations/v12",
	"/admin/validations/v13", "/admin/validations/v14", "/admin/operations", "/admin/operations/new", "/admin/operations/dodo", "/admin/runs/run-1", "/admin/runs/run-2", "/admin/steps/1/runs",
	"/admin/alerts", "/admin/settings", "/admin/prices", "/admin/audit",
}

// signInWith carries out the sign-in in a real browser.
func signInWith(page *rod.Page, base, name string) {
	page.MustNavigate(base + "/admin/sign-in").MustWaitLoad()
	page.MustElement("input[name=name]").MustInput(name)
	page.MustElement("input[name=password]").MustInput("correct horse battery")
	page.MustElement("main button").MustClick()
	page.MustWait(`() => document.readyState === "complete" && location.pathname === "/admin"`)
}

func scheme(t *testing.T, page *rod.Page, name string) {
	t.Helper()
	set := proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if err := set.Call(page); err != nil {
		t.Fatal(err)
	}
}

// patient gives a page that opens many addresses more time in all.
func patient(page *rod.Page) *rod.Page { return page.CancelTimeout().Timeout(5 * time.Minute) }

// TestPagesFitAPhone opens every page at 360 px: nothing may scroll sideways.
// With VIVRA_SHOTS set it keeps a picture of each, narrow and wide, light and dark.
func TestPagesFitAPhone(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	page := patient(testbrowser.Page(t))
	signInWith(page, server.URL, "admin")
	for _, path := range everyPage {
		if path == "/admin/sign-in" {
			continue // it leads on, once signed in
		}
		testbrowser.Width(t, page, 360)
		page.MustNavigate(server.URL + path).MustWaitLoad()
		if wide := page.MustEval(`() => document.documentElement.scrollWidth`).Int(); wide > 360 {
			t.Errorf("%s is %d px wide on a phone of 360: %s", path, wide, page.MustEval(`() => [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > 361).map((e) => e.tagName + "." + e.className).slice(0, 5).join(" ")`).Str())
		}
		shoot(t, page, path)
	}
}

func shoot(t *testing.T, page *rod.Page, path string) {
	if os.Getenv("VIVRA_SHOTS") == "" {
		return
	}
	name := strings.Trim(strings.NewReplacer("/", "-", "?", "-", "&", "-", "=", "-").Replace(path), "-") + "-"
	for _, width := range []int{360, 1440} {
		testbrowser.Width(t, page, width)
		for _, s := range []string{"light", "dark"} {
			scheme(t, page, s)
			testbrowser.Shot(t, page, name+s+map[int]string{360: "-phone", 1440: ""}[width])
		}
	}
}

// TestAxe runs axe-core over every page in both schemes. The file is named by
// VIVRA_AXE, as in node_modules/axe-core/axe.min.js.
func TestAxe(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile(os.Getenv("VIVRA_AXE"))
	if err != nil {
		t.Skip("VIVRA_AXE names no axe-core script")
	}
	server, _ := newExhibit(t).serve(t)
	page := patient(testbrowser.Page(refused{t}))
	if err := (proto.PageSetBypassCSP{Enabled: true}).Call(page); err != nil {
		t.Fatal(err)
	}
	for _, path := range append([]string{"/admin/sign-in"}, everyPage...) {
		if path == "/" {
			signInWith(page, server.URL, "admin")
		}
		for _, s := range []string{"light", "dark"} {
			scheme(t, page, s)
			page.MustNavigate(server.URL + path).MustWaitLoad()
			page.MustEval(`(source) => { const s = document.createElement("script"); s.textContent = source; document.head.append(s); }`, string(script))
			found := page.MustEval(`async () => (await axe.run({ iframes: false })).violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | ")).join("\n")`).Str()
			if found != "" {
				t.Errorf("%s, %s:\n%s", path, s, found)
			}
		}
	}
}
