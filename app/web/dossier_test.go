package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app"
	"vivra/app/internal/testbrowser"
	"vivra/app/internal/testop"
	"vivra/app/postgres"
)

// TestADossierShowsEachForm with where it is submitted, what is known of it, its
// fields with their sources, and its gaps with who fills them.
func TestADossierShowsEachForm(t *testing.T) {
	t.Parallel()
	_, v := team(t, "approver")
	doc := v.get("/admin/validations/v13").doc(t)
	if n := doc.Find(".venue").Length(); n != 3 || doc.Find(".venue[open]").Length() != 1 {
		t.Errorf("%d forms, %d of them open", n, doc.Find(".venue[open]").Length())
	}
	got := spoken(doc, ".output")
	for _, want := range []string{"pons 18 of 30 fields filled", "https://forms.gle/JjrWvybFeNfE5v8F6", "Price $199 (list price $499).", "The token needs a profile already (Enhanced Token Info, $299).",
		"A verification post on the new account is required", "Telegram link Missing Only the group's number is known (-1001). You: its public link", "Website Missing Not published yet: comes with webdev.publish.",
		"Contact e-mail Missing You: one that is read.", "publication of cm.verification_post, 28 Nov, 12:00 UTC receipt", "the chain, block 9000100", "Left out: 6 forms that do not fit", "Moonit : It takes only tokens it launched on Solana."} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q", want)
		}
	}
	if html, _ := doc.Find(".output").Html(); strings.Contains(html, "<script") || strings.Contains(html, "<b>Coin") {
		t.Error("outside text became markup")
	}
	if got := doc.Find(`.venue [data-copy="@dodo_back"]`).First().AttrOr("aria-label", ""); got != "Copy Account on X for pons" {
		t.Errorf("a button is called %q", got)
	}
	external := doc.Find(`.venue a[target=_blank]`)
	if external.Length() == 0 || external.Filter(`[rel="noopener noreferrer"]`).Length() != external.Length() {
		t.Error("a new tab learns where it was opened from")
	}
}

// TestADossierNeedsItsReceipts, one at least: what was entered is kept while
// anything is wrong with it, and said beside the form's name.
func TestADossierNeedsItsReceipts(t *testing.T) {
	t.Parallel()
	x, v := team(t, "approver")
	page := v.get("/admin/validations/v13")
	good := url.Values{"receipt.pons": {"https://example.com/r/1"}, "reason.dexscreener": {"It has no profile."}, "reason.coingecko": {"It is not listed."}}
	with := func(name, value string) url.Values {
		form := url.Values{}
		for k := range good {
			form.Set(k, good.Get(k))
		}
		form.Set(name, value)
		return form
	}
	for _, tt := range []struct {
		form url.Values
		want string
	}{
		{url.Values{}, "pons: enter the receipt's address, or why the form was not submitted. DexScreener: enter"},
		{with("receipt.pons", "no address"), "pons: give the address of the receipt"},
		{with("receipt.pons", "javascript:alert(1)"), "pons: give the address of the receipt"},
		{with("reason.pons", "nor this"), "pons: enter the receipt's address or the reason why it was not submitted, not both."},
		{with("reason.coingecko", " "), "CoinGecko: enter the receipt's address"},
		{with("reason.dexscreener", strings.Repeat("é", 301)), "DexScreener: say the reason in 300 characters at most."},
		{url.Values{"reason.pons": {"a"}, "reason.dexscreener": {"b"}, "reason.coingecko": {"c"}}, "Submit one form at least"},
	} {
		res := v.submit(page, "#approve", tt.form)
		doc := res.doc(t)
		if got := spoken(doc, "#refusal"); res.StatusCode != http.StatusUnprocessableEntity || !strings.HasPrefix(got, tt.want) || x.said() != "" {
			t.Errorf("%v answers %s: %q, and did %q", tt.form, res.Status, got, x.said())
		}
		for name := range tt.form {
			if kept := doc.Find(`[name="`+name+`"]`).AttrOr("value", ""); kept != tt.form.Get(name) {
				t.Errorf("of %s is kept %q", name, kept)
			}
		}
	}
	if res := v.submit(page, "#approve", good); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("recording answers %s", res.Status)
	}
	if got := x.said(); got != "approve pons=https://example.com/r/1 dexscreener=It has no profile. coingecko=It is not listed. v13 by approver" {
		t.Errorf("what was done: %q", got)
	}
	doc := v.get("/admin/validations/v13").doc(t)
	if got := spoken(doc, "#receipt"); !strings.Contains(got, "submitted pons: https://example.com/r/1 approver, 7 Dec, 15:20 UTC") || !strings.Contains(got, "not submitted DexScreener: “ It has no profile. ”") {
		t.Errorf("the receipt says %q", got)
	}
}

// TestAnOldDossierIsReadable: one that was written for a single form.
func TestAnOldDossierIsReadable(t *testing.T) {
	t.Parallel()
	_, v := team(t, "approver")
	doc := v.get("/admin/validations/w4").doc(t)
	if got := spoken(doc, ".venue"); got != "Takeover form 1 of 2 fields filled Contract "+official+" Copy token Proof of inactivity Missing nothing found" {
		t.Errorf("it says %q", got)
	}
	if got := spoken(doc, "#receipt"); !strings.Contains(got, "submitted Takeover form: https://forms.example/r/1 ada") {
		t.Errorf("its receipt says %q", got)
	}
}

// TestWhereFormsWereSentIsPublic, and what they say is not.
func TestWhereFormsWereSentIsPublic(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	doc := newVisitor(t, server.URL).get("/operations/dodo").doc(t)
	section := "#published-cto-dossier-1"
	if got := spoken(doc, section); got != "Takeover dossier Dossier Submitted by hand to: pons, receipt CoinGecko, receipt recorded by 1 person 28 Nov, 14:00 UTC" {
		t.Errorf("it says %q", got)
	}
	if link := doc.Find(section + ` a[aria-label="receipt of pons"]`); link.AttrOr("href", "") != "https://forms.example/r/1" || link.AttrOr("rel", "") != "noopener nofollow" {
		t.Error("the receipt is not linked")
	}
}

// TestADossierOnTheRealStore: a person fills a gap, cannot name another token,
// submits, and records what became of each form.
func TestADossierOnTheRealStore(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor("approver")
	h.op = testop.Of(t, h.app.Store, app.NewOperation{Slug: "auk", J0: j0, Cap: app.Dollar, XHandle: "auk_back", Token: app.Token{Ref: testop.Token(7).Ref, Name: "Auk", Symbol: "AUK", Decimals: 18}},
		app.Step{Key: "cto.dossier", Task: "cto.dossier", Agent: "system", DueAt: j0, Validates: true, DependsOn: []string{}, After: []string{}})
	claim, _ := testop.Start(t, h.app.Store, h.op, "cto.dossier", h.now, h.now.AddDate(1, 0, 0))
	h.must(h.app.Store.AwaitPerson(t.Context(), claim, postgres.Proposal{Kind: app.KindDossier, Payload: forms(), Risk: app.Risk{Effect: "You submit them."}}, h.now))
	waiting, err := h.app.Store.WaitingOf(t.Context(), h.op.ID)
	h.must(err)
	first := "/admin/validations/" + waiting[0].ID

	form := v.get(first + "/draft")
	email, wallet := form.doc(t).Find("label:contains('Contact e-mail')").AttrOr("for", ""), form.doc(t).Find("label:contains('New fee recipient')").AttrOr("for", "")
	if form.doc(t).Find("label:contains('Token address')").Length() != 0 || strings.Count(spoken(form.doc(t), "#draft-form"), "Contact e-mail") != 1 {
		t.Error("an address can be typed, or what several forms ask for is asked twice")
	}
	name := func(id string) string { return form.doc(t).Find(`[id="`+id+`"]`).AttrOr("name", "") }
	refused := v.submit(form, "#draft-form", url.Values{name(email): {"write to " + other}})
	if kept := refused.doc(t).Find(`[id="`+email+`"]`).AttrOr("value", ""); refused.StatusCode != http.StatusUnprocessableEntity || kept != "write to "+other {
		t.Errorf("another address answers %s and keeps %q", refused.Status, kept)
	}
	saved := v.submit(form, "#draft-form", url.Values{name(email): {"team at auk"}, name(wallet): {other}})
	if saved.StatusCode != http.StatusSeeOther {
		t.Fatalf("saving answers %s: %s", saved.Status, spoken(saved.doc(t), "main"))
	}
	edited := saved.Header.Get("Location")
	page := v.get(edited)
	if got := page.doc(t).Find(`.venue [data-copy="team at auk"]`).Length(); got != 3 {
		t.Errorf("%d forms show what was entered once", got)
	}
	if got := spoken(page.doc(t), ".risk"); !strings.Contains(got, other+" is not the token's address") {
		t.Errorf("before it is approved is said %q", got)
	}
	receipts := url.Values{"receipt.pons": {"https://example.com/r/1"}, "reason.dexscreener": {"too dear"}, "receipt.coingecko": {"https://example.com/r/2"}, "on_purpose": {"yes"}}
	receipts.Set("receipt.pons", "ftp://example.com")
	if res := v.submit(page, "#approve", receipts); res.StatusCode != http.StatusUnprocessableEntity || res.doc(t).Find(`[name="reason.dexscreener"]`).AttrOr("value", "") != "too dear" {
		t.Errorf("a bad receipt answers %s", res.Status)
	}
	receipts.Set("receipt.pons", "https://example.com/r/1")
	if res := v.submit(page, "#approve", receipts); res.StatusCode != http.StatusSeeOther {
		t.Fatalf("recording answers %s: %s", res.Status, spoken(res.doc(t), "#refusal"))
	}
	h.must(h.app.Store.ApplyDecisions(t.Context(), h.now.Add(app.DefaultSettings().Undo)))
	if got := spoken(v.get(edited).doc(t), "#receipt"); !strings.Contains(got, "submitted pons: https://example.com/r/1") || !strings.Contains(got, "not submitted DexScreener: “ too dear ”") {
		t.Errorf("the receipt says %q", got)
	}
	public := v.get("/operations/auk").doc(t)
	if got := spoken(public, "#published"); !strings.Contains(got, "Submitted by hand to: pons, receipt CoinGecko, receipt") || strings.Contains(spoken(public, "main"), "too dear") || strings.Contains(spoken(public, "main"), "team at auk") {
		t.Errorf("public is %q", got)
	}
}

// TestFieldsAreCopiedByKeyboard to the clipboard, to the last character.
func TestFieldsAreCopiedByKeyboard(t *testing.T) {
	t.Parallel()
	d := newDesk(t, newExhibit(t), testbrowser.Page(t), "approver")
	grant := proto.BrowserGrantPermissions{Permissions: []proto.BrowserPermissionType{proto.BrowserPermissionTypeClipboardReadWrite, proto.BrowserPermissionTypeClipboardSanitizedWrite}, Origin: d.url, BrowserContextID: d.Browser().BrowserContextID}
	if err := grant.Call(d.Browser()); err != nil {
		t.Fatal(err)
	}
	d.opens("v13")
	for _, label := range []string{"Copy Token address for pons", "Copy Checks by code for pons"} {
		d.MustEval(`(label) => document.querySelector('[aria-label="' + label + '"]').focus()`, label)
		d.Keyboard.MustType(input.Enter)
		wait(t, d.Page, `document.activeElement.textContent === "Copied"`)
		if got := d.MustEval(`async () => (await navigator.clipboard.readText()) === document.activeElement.dataset.copy && document.activeElement.dataset.copy.length > 40`).Bool(); !got {
			t.Errorf("%s: on the clipboard is %q", label, d.MustEval(`() => navigator.clipboard.readText()`).Str())
		}
	}
	if got := d.js("location.pathname"); got != "/admin/validations/v13" || d.x.said() != "" {
		t.Errorf("copying led to %s and did %q", got, d.x.said())
	}
}

// TestADossierWithScriptsOff: values can be selected, nothing is shown that does
// nothing, and the receipts are recorded.
func TestADossierWithScriptsOff(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	page := withoutScripts(t)
	server, _ := x.serve(t)
	signInWith(page, server.URL, "approver")
	page.MustNavigate(server.URL + "/admin/validations/v13").MustWaitLoad()
	text := squeeze(page.MustElement(".output").MustText())
	if !strings.Contains(text, official) || strings.Contains(text, "Copy") {
		t.Errorf("without scripts it shows %q", text)
	}
	page.MustElements(".venue summary")[1].MustClick()
	wait(t, page, `document.querySelectorAll(".venue[open]").length === 2`)
	page.MustElement(`[name="receipt.pons"]`).MustInput("https://example.com/r/1")
	page.MustElement(`[name="reason.dexscreener"]`).MustInput("too dear")
	page.MustElement(`[name="reason.coingecko"]`).MustInput("not listed")
	page.MustElement("#approve button").MustClick()
	wait(t, page, `location.pathname === "/admin/validations/v14"`)
	if got := x.said(); got != "approve pons=https://example.com/r/1 dexscreener=too dear coingecko=not listed v13 by approver" {
		t.Errorf("without scripts was done %q", got)
	}
}
