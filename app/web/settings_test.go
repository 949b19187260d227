package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/go-rod/rod/lib/input"

	"vivra/app"
	"vivra/app/internal/testbrowser"
)

func TestSettingsTellDefaultPresentAndHistory(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	res := v.get("/admin/settings")
	doc := res.doc(t)
	for selector, want := range map[string]string{
		"#setting-run-max_turns-now":           "25 is the default",
		"#setting-run-max_turns details":       "2 changes",
		"#setting-run-max_turns li:last-child": "30 by ada, 28 Nov 2026, 09:00 UTC",
		"#setting-budget-share_percent-cm-now": "6 set by ada, 1 Dec 2026, 09:00 UTC · default 40",
		"#setting-links-allowlist-now":         "pons.family, t.me/dodo set by ada",
		"#setting-run-max_time_s-now":          "10 min is the default",
		"#setting-step-retries_s-now":          "1 min, 5 min, 15 min is the default",
		"#setting-llm-model-cm-now":            "gpt-5 is the default",
		"#setting-llm-fallback-cm-now":         "gpt-5-mini is the default",
		"#setting-llm-fallback-builder-now":    "none is the default",
		"#setting-validation_required-cm-now":  "yes is the default",
		"#setting-x-post_spacing_s-now":        "30 min is the default",
		"#setting-x-ai_reply_approval-now":     "none is the default",
	} {
		if got := spoken(doc, selector); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", selector, got, want)
		}
	}
	var groups []string
	doc.Find("main h2").Each(func(_ int, h *goquery.Selection) { groups = append(groups, h.Text()) })
	if got := strings.Join(groups, ", "); got != "Runs, Budgets and shares, Models, Validation, X, Links" {
		t.Errorf("the groups are %q", got)
	}
	if strings.Contains(res.body, "<script>alert") {
		t.Error("a name became markup")
	}
}

// TestEverySettingIsTakenAsItIsShown sends each form unchanged, on the real
// store: what is shown can be sent back, and what is sent is known there.
func TestEverySettingIsTakenAsItIsShown(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	page := v.get("/admin/settings")
	before := page.doc(t)
	n := 0
	before.Find(".setting").Each(func(_ int, li *goquery.Selection) {
		id := li.AttrOr("id", "")
		n++
		if res := v.submit(page, "#"+id+" form", url.Values{"value": {entered(li)}}); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/settings#"+id {
			t.Errorf("%s sent back as it was answers %s:\n%s", id, res.Status, squeeze(res.doc(t).Find("[role=alert]").Text()))
		}
	})
	after := v.get("/admin/settings").doc(t)
	after.Find(".setting").Each(func(_ int, li *goquery.Selection) {
		id := "#" + li.AttrOr("id", "")
		word := "set by admin"
		if entered(li) == "" {
			word = "none is the default" // nothing in place of nothing is no change
		}
		if was, is := entered(before.Find(id)), entered(li); was != is || !strings.Contains(spoken(after, id), word) {
			t.Errorf("%s was %q and is %q after it was sent back: %s", id, was, is, spoken(after, id))
		}
	})
	if n < 30 {
		t.Errorf("the page has %d settings", n)
	}
	settings, err := w.store.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := app.DefaultSettings(); settings.MaxTurns != d.MaxTurns || settings.MaxRunTime != d.MaxRunTime || settings.Share("designer", 100) != 50 || len(settings.StepRetries) != len(d.StepRetries) || !settings.ValidationRequired["cm"] {
		t.Errorf("the settings are %+v", settings)
	}
}

// entered is what the form of a setting holds.
func entered(li *goquery.Selection) string {
	if chosen := li.Find("select option[selected]"); chosen.Length() > 0 {
		return chosen.Text()
	}
	if lines := li.Find("textarea"); lines.Length() > 0 {
		return lines.Text()
	}
	return li.Find("input[name=value]").AttrOr("value", "")
}

func TestASettingIsChangedAuditedAndReset(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	const form = "#setting-run-max_time_s form"
	v.submit(v.get("/admin/settings"), form, url.Values{"value": {" 1 h 30 min "}})
	settings, err := w.store.Settings(t.Context())
	if err != nil || settings.MaxRunTime != 90*time.Minute {
		t.Fatalf("after the change a run may take %s (%v)", settings.MaxRunTime, err)
	}
	v.submit(v.get("/admin/settings"), form, url.Values{"value": {"20min"}})
	reset := v.get("/admin/settings")
	path, _ := reset.doc(t).Find("#setting-run-max_time_s button[formaction]").Attr("formaction")
	v.post(path, url.Values{"csrf": {v.csrf()}, "seen": {reset.doc(t).Find("#setting-run-max_time_s input[name=seen]").AttrOr("value", "")}})
	if settings, err = w.store.Settings(t.Context()); err != nil || settings.MaxRunTime != 10*time.Minute {
		t.Errorf("after the reset a run may take %s (%v)", settings.MaxRunTime, err)
	}
	rows, err := w.store.Audit(t.Context(), 3)
	if err != nil || len(rows) != 3 {
		t.Fatalf("the audit holds %+v (%v)", rows, err)
	}
	for i, want := range []string{"1200 to null", "5400 to 1200", "null to 5400"} {
		if r := rows[i]; r.User != "admin" || r.Action != "setting.set" || r.Subject != "run.max_time_s" || string(r.Before)+" to "+string(r.After) != want {
			t.Errorf("change %d before the last is audited as %s %s %s: %s to %s, want %s", i, r.User, r.Action, r.Subject, r.Before, r.After, want)
		}
	}
	if got := spoken(v.get("/admin/settings").doc(t), "#setting-run-max_time_s"); !strings.Contains(got, "10 min is the default") || !strings.Contains(got, "3 changes") || !strings.Contains(got, "1 h 30 min by admin") {
		t.Errorf("the page says %q", got)
	}
}

func TestABadValueIsKeptAndExplained(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	page := v.get("/admin/settings")
	for _, c := range []struct{ id, value, want string }{
		{"run-max_turns", "many", "a whole number from 1 to 100"}, {"run-max_turns", "0", "from 1 to 100"}, {"run-max_turns", "2.5", "a whole number"}, {"run-max_turns", "", "a whole number"},
		{"run-max_time_s", "10", "is no span of time"}, {"run-max_time_s", "", "from 30 s to 2 h"}, {"run-max_time_s", "3 h", "from 30 s to 2 h"}, {"run-max_time_s", "99999 d 99999 d 99999 d", "from 30 s to 2 h"}, {"run-max_time_s", "soon", "is no span of time"},
		{"step-retries_s", "1 min; 5 min", "is no span of time"}, {"step-retries_s", strings.Repeat("1 s,", 11), "at most 10 waits"},
		{"budget-share_percent-cm", "101", "from 1 to 100"}, {"budget-warning_percent", "-1", "from 1 to 100"},
		{"validation_required-cm", "maybe", "Choose yes or no"}, {"links-allowlist", "pons.family\nhttps://evil.example", "without https://"}, {"links-allowlist", hostile, "is no host"},
		{"x-banned_phrases", "act now\n!!!", "is no phrase"}, {"x-banned_phrases", strings.Repeat("x", 81), "at most 80 characters"},
		{"llm-model-cm", "", "Write the model's name"}, {"llm-model-cm", hostile, "Write the model's name"}, {"x-ai_reply_approval", strings.Repeat("x", 501), "at most 500 characters"},
		{"x-ai_reply_approval", "none", "Write the number of X's case, or a link"}, {"x-ai_reply_approval", "pending", "Leave the field empty while X has not approved"}, {"x-ai_reply_approval", "http://x.example/approval", "is no reference"},
		{"x-ai_reply_approval", "https://", "is no reference"}, {"x-ai_reply_approval", "https:approval", "is no reference"}, {"x-ai_reply_approval", "\u200b", "is no reference"}, {"x-ai_reply_approval", "yes, ask Ada", "is no reference"}, {"x-ai_reply_approval", hostile[:8], "is no reference"},
		{"llm-model-cm", "gpt-9", "gpt-9 has no price in force, so none of its calls could be made. Import one first with vivra prices import FILE"},
		{"llm-fallback-cm", "gpt-image-1", "gpt-image-1 has no price in force"},
	} {
		res := v.submit(page, "#setting-"+c.id+" form", url.Values{"value": {c.value}})
		li := res.doc(t).Find("#setting-" + c.id)
		problem := li.Find("[role=alert]").Text()
		if res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(problem, c.want) {
			t.Errorf("%s set to %.40q answers %s: %q", c.id, c.value, res.Status, problem)
		}
		if kept := entered(li); c.id != "validation_required-cm" && kept != strings.TrimSpace(strings.ReplaceAll(c.value, "\r", "\n")) { // as HTML reads it
			t.Errorf("%s: of %.40q the form keeps %.40q", c.id, c.value, kept)
		}
		if li.Find("[aria-invalid=true][autofocus]").Length() != 1 || res.doc(t).Find("[role=alert]").Length() != 1 {
			t.Errorf("%s: the field to be corrected is not marked, or others are", c.id)
		}
		if strings.Contains(res.body, "<script>alert") {
			t.Errorf("%s: what was entered became markup", c.id)
		}
	}
	if said := x.said(); said != "" {
		t.Errorf("a bad value changed something:\n%s", said)
	}
	if res := v.post("/admin/settings/no.such", url.Values{"csrf": {v.csrf()}, "value": {"1"}}); res.StatusCode != http.StatusNotFound {
		t.Errorf("a setting that does not exist answers %s", res.Status)
	}
}

// TestRepliesAreDraftedForAReferenceOnly: the page says in words whether they
// are, also of what was stored before words were refused, and the program does
// as the page says.
func TestRepliesAreDraftedForAReferenceOnly(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	said := func() string { return spoken(v.get("/admin/settings").doc(t), "#setting-x-ai_reply_approval") }
	held := func() string {
		settings, err := w.store.Settings(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return settings.XReplyApproval
	}
	const off = "Replies are not drafted"
	if got := said(); !strings.Contains(got, off) || held() != "" {
		t.Errorf("at first it says %q and holds %q", got, held())
	}
	for _, text := range []string{"X case 12345", "https://docs.example.com/letters/approval"} {
		res := v.submit(v.get("/admin/settings"), "#setting-x-ai_reply_approval form", url.Values{"value": {"  " + text + " "}})
		if got := said(); res.StatusCode != http.StatusSeeOther || !strings.Contains(got, "Replies are drafted, and each waits in the queue") || strings.Contains(got, off) || held() != text {
			t.Errorf("%s: it says %q and holds %q", text, got, held())
		}
	}
	for _, text := range []string{"none", "pending", " "} {
		if err := w.store.SetSetting(t.Context(), "x.ai_reply_approval", must(text), "ada", j0); err != nil {
			t.Fatal(err)
		}
		if got := said(); !strings.Contains(got, off) || held() != "" {
			t.Errorf("with %q stored it says %q and holds %q", text, got, held())
		}
	}
}

func TestAModelIsSetOnceItHasAPrice(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	const form = "#setting-llm-model-cm form"
	if res := v.submit(v.get("/admin/settings"), form, url.Values{"value": {"gpt-9"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Fatalf("without a price it answers %s", res.Status)
	}
	price := app.PriceRow{Model: "gpt-9", Kind: app.PriceTokens, Price: app.Price{Input: app.Dollar, Cached: app.Dollar, Output: app.Dollar}, EffectiveAt: j0, Source: "prices.json"}
	if _, err := w.store.ImportPrices(t.Context(), []app.PriceRow{price}, "ada", j0); err != nil {
		t.Fatal(err)
	}
	if res := v.submit(v.get("/admin/settings"), form, url.Values{"value": {"gpt-9"}}); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("with a price it answers %s: %s", res.Status, res.doc(t).Find("[role=alert]").Text())
	}
	settings, err := w.store.Settings(t.Context())
	if err != nil || settings.Models["cm"] != "gpt-9" {
		t.Errorf("the models are %v (%v)", settings.Models, err)
	}
	if got := spoken(v.get("/admin/prices").doc(t), "section[aria-label='Price of gpt-9']"); !strings.Contains(got, "28 Nov 2026, 09:00 UTC in force $1.00 $1.00 $1.00 imported by ada") {
		t.Errorf("the price list says %q", got)
	}
}

// TestWhatChangesNothingIsNoChange holds that the history tells changes only,
// and that the address of a refused value leads back to its setting.
func TestWhatChangesNothingIsNoChange(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	for _, c := range []struct{ id, value string }{{"llm-fallback-builder", "  "}, {"budget-share_percent-cm", "6"}, {"x-ai_reply_approval", " "}, {"links-allowlist", "pons.family\nt.me/dodo"}} {
		if res := v.submit(v.get("/admin/settings"), "#setting-"+c.id+" form", url.Values{"value": {c.value}}); res.StatusCode != http.StatusSeeOther || x.said() != "" {
			t.Errorf("%s set to what it is answers %s, and was done: %s", c.id, res.Status, x.said())
		}
	}
	for _, path := range []string{"/admin/settings/run.max_turns", "/admin/settings/run.max_turns/default"} {
		if res := v.get(path); res.StatusCode != http.StatusSeeOther || res.Header.Get("Location") != "/admin/settings#setting-run-max_turns" {
			t.Errorf("%s answers %s to %q", path, res.Status, res.Header.Get("Location"))
		}
	}
	if res := v.get("/admin/settings/no.such"); res.StatusCode != http.StatusNotFound {
		t.Errorf("a setting that does not exist answers %s", res.Status)
	}
}

func TestAModelIsNotItsOwnFallback(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	for _, c := range []struct{ id, value, want string }{
		{"llm-fallback-cm", "gpt-5", "Model of CM is gpt-5 as well"}, {"llm-model-cm", "gpt-5-mini", "Fallback of CM is gpt-5-mini as well"},
	} {
		res := v.submit(v.get("/admin/settings"), "#setting-"+c.id+" form", url.Values{"value": {c.value}})
		if problem := res.doc(t).Find("[role=alert]").Text(); res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(problem, c.want) || x.said() != "" {
			t.Errorf("%s set to %s answers %s: %q, and was done: %s", c.id, c.value, res.Status, problem, x.said())
		}
	}
}

// TestSavingOneSettingKeepsTheOthersAsWritten goes through a refusal as well,
// and through what somebody else set meanwhile.
func TestSavingOneSettingKeepsTheOthersAsWritten(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "admin")
	page.MustNavigate(server.URL + "/admin/settings").MustWaitLoad()
	write := func(id, value string) {
		field := page.MustElement("#setting-" + id + " [name=value]")
		field.MustFocus()
		page.MustEval(`() => document.activeElement.select()`)
		field.MustInput(value)
	}
	marked := `[...document.querySelectorAll(".unsaved:not([hidden])")].map((p) => p.closest(".setting").id).join(" ") === `
	write("run-max_turns", "41")
	write("links-allowlist", "pons.family")
	page.MustElement("#setting-validation_required-cm select").MustSelect("no")
	wait(t, page, marked+`"setting-run-max_turns setting-validation_required-cm setting-links-allowlist"`)
	write("run-retries", "many")
	page.MustElement("#setting-run-retries .btn").MustClick()
	wait(t, page, `!!document.querySelector("#setting-run-retries [role=alert]")`)
	wait(t, page, marked+`"setting-run-max_turns setting-run-retries setting-validation_required-cm setting-links-allowlist"`)
	write("run-retries", "5")
	page.MustElement("#setting-run-retries .btn").MustClick()
	wait(t, page, `document.querySelector("#setting-run-retries-now").textContent.includes("set by admin")`)
	wait(t, page, marked+`"setting-run-max_turns setting-validation_required-cm setting-links-allowlist"`)
	if got := page.MustEval(`() => ["run-max_turns", "validation_required-cm", "links-allowlist"].map((id) => document.querySelector("#setting-" + id + " [name=value]").value).join()`).Str(); got != "41,no,pons.family" {
		t.Errorf("the other forms hold %q", got)
	}
	testbrowser.Shot(t, page, "admin-settings-unsaved")

	if err := x.ChangeSetting(t.Context(), "run.max_turns", must(50), 3, "ada", today); err != nil {
		t.Fatal(err)
	}
	page.MustElement("#setting-validation_required-cm .btn").MustClick()
	wait(t, page, `document.querySelector("#setting-validation_required-cm-now").textContent.includes("set by admin")`)
	wait(t, page, marked+`"setting-run-max_turns setting-links-allowlist"`)
	page.MustElement("#setting-run-max_turns .btn").MustClick()
	wait(t, page, `document.querySelector("#setting-run-max_turns [role=alert]")?.textContent.includes("ada set “Turns of a run” to 50")`)
	wait(t, page, marked+`"setting-run-max_turns setting-links-allowlist"`)
	page.MustNavigate(server.URL + "/admin/settings").MustWaitLoad()
	wait(t, page, marked+`""`)
}

func TestTwoTabsDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	one, two := v.get("/admin/settings"), v.get("/admin/settings")
	const form = "#setting-run-max_turns form"
	v.submit(one, form, url.Values{"value": {"30"}})
	res := v.submit(two, form, url.Values{"value": {"40"}})
	li := res.doc(t).Find("#setting-run-max_turns")
	if problem := li.Find("[role=alert]").Text(); res.StatusCode != http.StatusConflict || !strings.Contains(problem, "admin set “Turns of a run” to 30 on ") || entered(li) != "40" {
		t.Errorf("the second tab answers %s: %q, and keeps %q", res.Status, problem, entered(li))
	}
	const of = "#setting-run-max_time_s form"
	v.submit(one, of, url.Values{"value": {"5 min"}})
	if problem := v.submit(two, of, url.Values{"value": {"7 min"}}).doc(t).Find("[role=alert]").Text(); !strings.Contains(problem, "admin set “Time of a run” to 5 min on ") {
		t.Errorf("of a span of time the second tab says %q", problem)
	}
	if res := v.submit(res, form, url.Values{"value": {"40"}}); res.StatusCode != http.StatusSeeOther {
		t.Errorf("sent again after looking, it answers %s", res.Status)
	}
}

func TestASettingByKeyboardAndWithScriptsOff(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	page := withoutScripts(t)
	signInWith(page, server.URL, "admin")
	page.MustNavigate(server.URL + "/admin/settings").MustWaitLoad()
	now := `document.querySelector("#setting-run-retries-now").textContent`
	send := func(value string) {
		field := page.MustElement("#setting-run-retries input[name=value]")
		field.MustFocus()
		page.MustEval(`() => document.activeElement.select()`)
		field.MustInput(value).MustType(input.Enter)
	}
	send("none")
	wait(t, page, `document.querySelector("#setting-run-retries [role=alert]") && document.activeElement.value === "none"`)
	testbrowser.Shot(t, page, "admin-settings-refused")
	send("5")
	wait(t, page, now+`.includes("set by admin") && location.hash === "#setting-run-retries"`)
	page.MustElement("#setting-run-retries button[formaction]").MustFocus().MustType(input.Enter)
	wait(t, page, now+`.includes("is the default")`)
	if x.said() != "set run.retries to 5 by admin\nset run.retries to null by admin" {
		t.Errorf("in all was done %q", x.said())
	}
}

func TestASettingIsSentOnceWithScripts(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	page := testbrowser.Page(t)
	signInWith(page, server.URL, "admin")
	page.MustNavigate(server.URL + "/admin/settings").MustWaitLoad()
	page.MustElement("#setting-validation_required-cm select").MustSelect("no")
	page.MustElement("#setting-validation_required-cm .btn").MustClick()
	wait(t, page, `document.querySelector("#setting-validation_required-cm-now").textContent.includes("set by admin")`)
	if x.said() != "set validation_required.cm to false by admin" {
		t.Errorf("what was done: %q", x.said())
	}
}

// TestAPriceIsSeenOnAPhone holds that no reader must scroll a table sideways to
// find what a picture costs.
func TestAPriceIsSeenOnAPhone(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	page := testbrowser.Page(t)
	testbrowser.Width(t, page, 360)
	signInWith(page, server.URL, "viewer")
	page.MustNavigate(server.URL + "/admin/prices").MustWaitLoad()
	if right := page.MustEval(`() => document.querySelector("section[aria-label='Price of gpt-image-1'] td.num").getBoundingClientRect().right`).Num(); right > 345 {
		t.Errorf("the picture's price ends at %v px of 360", right)
	}
}

func TestPricesTellTheirHistory(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("viewer")
	res := v.get("/admin/prices")
	doc := res.doc(t)
	row := func(n string) string { return "section[aria-label='Price of gpt-5'] tbody tr:nth-child(" + n + ")" }
	for selector, want := range map[string]string{
		row("1"): "7 Jan 2027, 15:20 UTC not yet $0.90 $0.09 $8.00 imported by",
		row("2"): "1 Nov 2026, 09:00 UTC in force $1.25 $0.125 $10.00 imported by ada, 28 Nov 2026, 10:00 UTC prices.json",
		row("3"): "1 Nov 2026, 09:00 UTC corrected $1.00 $0.10 $9.00 imported by ada",
		row("4"): "the beginning past $1.25 $0.125 $10.00 comes with the program",
		"section[aria-label='Price of gpt-5-nano'] tbody tr":               "the beginning in force $0.05 $0.005 $0.40 comes with the program",
		"section[aria-label='Price of gpt-image-1'] tbody tr:nth-child(2)": "1024 × 1536 $0.06886 the beginning in force",
		"[aria-labelledby=publications-title] li:nth-child(2)":             "post on X with a link X's pay-per-use prices of 2026-08 $0.20",
		"[aria-labelledby=publications-title] li:last-child":               "site free",
		"[aria-labelledby=import-title]":                                   "vivra prices import prices.json",
	} {
		if got := spoken(doc, selector); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q in it", selector, got, want)
		}
	}
	if doc.Find("main form").Length() > 0 || strings.Contains(res.body, "<script>alert") {
		t.Error("prices can be edited, or a source became markup")
	}
}

// An emptied list takes a guard away: the page says which, for as long as it holds.
func TestAnEmptiedListSaysWhatFollows(t *testing.T) {
	t.Parallel()
	w := newTakeover(t)
	v := newVisitor(t, w.url)
	v.signIn("admin")
	const setting, warning = "#setting-x-banned_phrases", "no post is refused for its words: only whoever approves it"
	warned := func() bool {
		return strings.Contains(spoken(v.get("/admin/settings").doc(t), setting), warning)
	}
	if warned() {
		t.Error("the page warns of the default")
	}
	v.submit(v.get("/admin/settings"), setting+" form", url.Values{"value": {" \n"}})
	if settings, err := w.store.Settings(t.Context()); err != nil || len(settings.BannedPhrases) > 0 || !warned() {
		t.Errorf("the list holds %q (%v), the page says %q", settings.BannedPhrases, err, spoken(v.get("/admin/settings").doc(t), setting))
	}
	v.submit(v.get("/admin/settings"), setting+" form", url.Values{"value": {"wen moon"}})
	if warned() {
		t.Error("the page warns of a list that holds a phrase")
	}
}
