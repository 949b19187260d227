package web_test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app/internal/testbrowser"
)

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

// each shows one screen after the other on a page, with time for each.
func each(page *rod.Page, all []screen, look func(page *rod.Page, name string)) {
	for _, s := range all {
		timed := page.CancelTimeout().Timeout(time.Minute)
		s.show(timed)
		timed.MustWaitLoad()
		look(timed, s.name)
	}
}

// TestEveryScreen opens everything there is to see: at the widths of a phone, a
// tablet and a desk nothing may scroll sideways, and in neither scheme may
// axe-core find what keeps people out. With VIVRA_SHOTS set it keeps a picture
// of each, light and dark.
func TestEveryScreen(t *testing.T) {
	t.Parallel()
	script, _ := axe() // the test below says so when there is none
	each(testbrowser.Page(t), screens(t), func(page *rod.Page, name string) {
		for _, width := range []int{360, 768, 1440} {
			testbrowser.Width(t, page, width)
			if wide := page.MustEval(`() => document.documentElement.scrollWidth`).Int(); wide > width {
				t.Errorf("%s is %d px wide where there are %d: %s", name, wide, width, page.MustEval(`(w) => [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > w + 1).map((e) => e.tagName + "." + e.className).slice(0, 5).join(" ")`, width).Str())
			}
			shoot(t, page, name, width)
		}
		for _, s := range []string{"light", "dark"} {
			scheme(t, page, s)
			for _, found := range barriers(t, page, script) {
				t.Errorf("%s, %s: %s", name, s, found)
			}
		}
	})
}

func shoot(t *testing.T, page *rod.Page, name string, width int) {
	t.Helper()
	if os.Getenv("VIVRA_SHOTS") == "" {
		return
	}
	name = strings.Trim(strings.NewReplacer("/", "-", "?", "-", "&", "-", "=", "-", " ", "-").Replace(name), "-")
	for _, s := range []string{"light", "dark"} {
		scheme(t, page, s)
		testbrowser.Shot(t, page, fmt.Sprintf("%s-%d-%s", name, width, s))
	}
}

// axe is the script that scripts/axe.sh has fetched, or the one that VIVRA_AXE
// names, as in node_modules/axe-core/axe.min.js.
func axe() (string, error) {
	script, err := os.ReadFile(cmp.Or(os.Getenv("VIVRA_AXE"), "../internal/testbrowser/testdata/axe.min.js"))
	return string(script), err
}

// barriers are what axe-core finds on a page, none without it.
func barriers(t *testing.T, page *rod.Page, script string) (found []string) {
	t.Helper()
	if script == "" {
		return nil
	}
	if _, err := (proto.RuntimeEvaluate{Expression: script}).Call(page); err != nil {
		t.Fatal(err)
	}
	for _, each := range page.MustEval(`async () => {
		const run = await axe.run({ iframes: false });
		if (!run.passes.length) throw new Error("axe-core looked at nothing");
		return run.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? "")).join(" | "));
	}`).Arr() {
		found = append(found, each.Str())
	}
	return found
}

// TestAxeFinds is the control: a page with barriers on it.
func TestAxeFinds(t *testing.T) {
	t.Parallel()
	script, err := axe()
	if err != nil {
		t.Skip("there is no axe-core, so no page was searched for barriers: run scripts/axe.sh, or name a file in VIVRA_AXE")
	}
	page := testbrowser.Page(t)
	page.MustSetDocumentContent(`<!doctype html><html><title>x</title><main><p style="color:#999">pale</p><img src="data:,"><input></main>`)
	found := strings.Join(barriers(t, page, script), " ")
	for _, want := range []string{"color-contrast", "image-alt", "label", "html-has-lang"} {
		if !strings.Contains(found, want) {
			t.Errorf("%s is not found: %s", want, found)
		}
	}
}
