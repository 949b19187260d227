package web_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"vivra/app/web"
)

// programs open links without anybody having clicked them, the first one apart.
var programs = []string{
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
	"Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
	"TelegramBot (like TwitterBot)",
	"Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
	"facebookexternalhit/1.1 Facebot Twitterbot/1.0",
	"WhatsApp/2.24.1 A",
}

// TestReadingChangesNothing opens each address there is, those of forms too, as
// a stranger, a viewer and an admin: by hand, and as link previews do.
func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, name := range []string{"", "viewer", "admin"} {
		v := h.visitor(name)
		csrf := v.token()
		for _, r := range new(web.Server).Routes() {
			path := h.address(r.Path)
			if r.Method == http.MethodPost {
				path += "?" + h.form(r, csrf).Encode()
			}
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				h.unchanged(method+" "+r.Path+" by "+name, func() {
					for _, program := range programs {
						h.opened(r, name, method, v.visit(method, path, program))
					}
				})
			}
		}
	}
}

// TestARefusalSaysWhoMay reads like a sentence for each role.
func TestARefusalSaysWhoMay(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	for role, want := range map[string]string{"viewer": "As a viewer you may not do this.", "approver": "As an approver you may not do this."} {
		if res := x.member(t, server.URL, role).get("/admin/users"); res.StatusCode != http.StatusForbidden || !strings.Contains(res.body, want) {
			t.Errorf("%s answers %s", role, spoken(res.doc(t), "main"))
		}
	}
}

// TestHeadsAreThoseOfPages: whoever asks for the head alone gets it.
func TestHeadsAreThoseOfPages(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor("admin")
	for _, r := range routes(func(r web.Route) bool { return r.Method == http.MethodGet }) {
		at := h.address(r.Path)
		if want, got := v.visit(http.MethodGet, at, programs[0]), v.visit(http.MethodHead, at, programs[0]); got.StatusCode != want.StatusCode {
			t.Errorf("HEAD %s answers %s, GET %s", r.Path, got.Status, want.Status)
		}
	}
}

// TestNoAddressIsOurFault: what is no text is nobody's page, in any place of any
// address, query or form.
func TestNoAddressIsOurFault(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.visitor("admin")
	csrf := v.token()
	fields := url.Values{}
	for _, name := range strings.Fields("before operation kind acknowledged current around decided tried agent line after next state code error v datastar name reason role key value choice seen handle up_to") {
		fields.Set(name, "")
	}
	for _, odd := range []string{"\x00", "\xff", "a\xed\xa0\x80", "\u2028", "%", "../..", "'\"<", strings.Repeat("9", 40), "-1"} {
		query, form := url.Values{}, url.Values{}
		for name := range fields {
			query.Set(name, odd)
			form.Set(name, odd)
		}
		form.Set("csrf", csrf)
		for _, r := range new(web.Server).Routes() {
			parts := strings.Split(r.Path, "/")
			for i, part := range parts {
				if strings.HasPrefix(part, ":") || part == "*" {
					parts[i] = strings.ReplaceAll(url.PathEscape(odd), "..", "%2e%2e")
				}
			}
			var answers []*http.Response
			switch odd := strings.Join(parts, "/"); {
			case r.Path == "/admin/sign-out":
			case r.Method == http.MethodPost:
				answers = append(answers, v.post(odd, form).Response, v.post(h.address(r.Path), form).Response)
			default:
				answers = append(answers, v.visit(r.Method, odd, programs[0]), v.visit(r.Method, h.address(r.Path)+"?"+query.Encode(), "\xff"))
			}
			for _, res := range answers {
				if res.StatusCode >= http.StatusInternalServerError && res.StatusCode != http.StatusServiceUnavailable {
					t.Errorf("%s %s with %q answers %s", r.Method, res.Request.URL, odd, res.Status)
				}
			}
		}
	}
}

// opened checks that what was read is there: a page that is not would change
// nothing anyway.
func (h *house) opened(r web.Route, name, method string, res *http.Response) {
	h.t.Helper()
	if res.StatusCode >= http.StatusInternalServerError {
		h.t.Errorf("%s %s by %q answers %s", method, r.Path, name, res.Status)
	}
	if method != http.MethodGet || r.Method != http.MethodGet || r.Access < web.Viewer {
		return
	}
	to := res.Header.Get("Location")
	switch asked := strings.HasPrefix(to, "/admin/sign-in?next="); {
	case name == "" && (res.StatusCode != http.StatusSeeOther || !asked):
		h.t.Errorf("GET %s without a session answers %s to %q", r.Path, res.Status, to)
	case name == "viewer" && (res.StatusCode == http.StatusForbidden) != (r.Access > web.Viewer):
		h.t.Errorf("a viewer's GET %s answers %s", r.Path, res.Status)
	case name == "admin" && res.StatusCode >= http.StatusBadRequest:
		h.t.Errorf("an admin's GET %s answers %s", r.Path, res.Status)
	}
}

// TestOnlyAFormOfOnesOwnChangesAnything sends each form there is without a
// session, with less than it asks for, and with every token but the session's.
func TestOnlyAFormOfOnesOwnChangesAnything(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	nobody, guest, viewer, approver, admin := newVisitor(t, h.url), h.visitor(""), h.visitor("viewer"), h.visitor("approver"), h.visitor("admin")
	guests, viewers, approvers, admins := guest.token(), viewer.token(), approver.token(), admin.token()
	tries := []struct {
		who   string
		by    *visitor
		token string
		below web.Access // the token is the session's own: it fails only where more is asked for
	}{
		{"nobody without a token", nobody, "", web.Everyone}, {"nobody with an admin's", nobody, admins, web.Everyone},
		{"a guest with their own", guest, guests, web.Visitor}, {"a guest with an admin's", guest, admins, web.Everyone},
		{"a viewer without a token", viewer, "", web.Everyone}, {"a viewer with a forged one", viewer, "forged", web.Everyone},
		{"a viewer with an admin's", viewer, admins, web.Everyone}, {"a viewer with their own", viewer, viewers, web.Viewer},
		{"an approver with their own", approver, approvers, web.Approver},
		{"an admin without a token", admin, "", web.Everyone}, {"an admin with a forged one", admin, "forged", web.Everyone},
		{"an admin with a viewer's", admin, viewers, web.Everyone}, {"an admin with a guest's", admin, guests, web.Everyone},
	}
	for _, r := range routes(func(r web.Route) bool { return r.Method != http.MethodGet }) {
		for _, try := range tries {
			if try.below > web.Everyone && r.Access <= try.below {
				continue
			}
			h.unchanged(r.Method+" "+r.Path+" by "+try.who, func() {
				res := try.by.post(h.address(r.Path), h.form(r, try.token))
				askedToSignIn := try.by == guest && strings.HasPrefix(res.Header.Get("Location"), "/admin/sign-in")
				isIn := strings.HasPrefix(r.Path, "/admin/sign-in") && try.by != guest && res.Header.Get("Location") == "/admin"
				if res.StatusCode != http.StatusForbidden && res.StatusCode != http.StatusUnauthorized && !askedToSignIn && !isIn {
					t.Errorf("%s %s by %s answers %s", r.Method, r.Path, try.who, res.Status)
				}
			})
		}
	}
}

// apart are the forms that the control below can't fill in, and who does.
var apart = map[string]string{
	"/admin/account/passkeys":           "an authenticator signs it: the browser tests have a virtual one",
	"/admin/account/passkeys/challenge": "only the session keeps what is to be signed",
	"/admin/sign-in/passkey":            "an authenticator signs it: the browser tests have a virtual one",
	"/admin/sign-in/passkey/challenge":  "only the session keeps what is to be signed",
}

// TestEachFormChangesSomething is the control of the tests above: with the
// session's own token and just the right role, the same forms at the same rows
// change something, each in a house of its own, and stand in the audit.
func TestEachFormChangesSomething(t *testing.T) {
	t.Parallel()
	names := map[web.Access]string{web.Visitor: "", web.Viewer: "viewer", web.Approver: "approver", web.Admin: "admin"}
	tried := 0
	for _, r := range routes(func(r web.Route) bool { return r.Method != http.MethodGet && r.Access > web.Everyone }) {
		if apart[r.Path] != "" {
			tried++
			continue
		}
		t.Run(strings.ReplaceAll(strings.TrimPrefix(r.Path, "/admin/"), "/", " "), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			v := h.visitor(names[r.Access])
			before := h.state()
			res := v.post(h.address(r.Path), h.form(r, v.token()))
			changed := h.state().since(before)
			if len(changed) == 0 || res.StatusCode == http.StatusForbidden {
				t.Errorf("it answers %s and changes %v: say in form what it asks for\n%s", res.Status, changed, squeeze(res.doc(t).Find("main").Text()))
			}
			own := r.Path == "/admin/sign-out" || r.Path == "/admin/sign-in"
			if !own && !slices.Contains(changed, "admin_audit") && !slices.Contains(changed, "the outside") {
				t.Errorf("it changes %v and does not stand in the audit", changed)
			}
		})
	}
	if tried != len(apart) {
		t.Errorf("%d of %d routes that stand apart are there", tried, len(apart))
	}
}

func TestPublicPagesTellNothingPrivate(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	for _, r := range routes(func(r web.Route) bool { return r.Access == web.Everyone && r.Method == http.MethodGet }) {
		if strings.HasSuffix(r.Path, "/live") {
			continue // patches are the page's own parts
		}
		res := v.get(exhibited(r.Path))
		if res.StatusCode != http.StatusOK {
			t.Errorf("GET %s answers %s", r.Path, res.Status)
		}
		for _, secret := range []string{"CANARY", "It will 10x", "429 Too Many", "gpt-5-mini is", "correct horse"} {
			if strings.Contains(res.body, secret) {
				t.Errorf("GET %s tells %q", r.Path, secret)
			}
		}
		if len(res.Cookies()) > 0 {
			t.Errorf("GET %s sets a cookie", r.Path)
		}
	}
}
func TestHeaders(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)
	v.signIn("admin")
	for path, want := range map[string]string{
		"/":                              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
		"/operations/nowhere":            "script-src 'self';",
		"/admin/validations/v6":          "; frame-src 'self'",
		"/admin/builds/b1/":              "sandbox allow-same-origin; default-src 'none'",
		"/admin/validations/nothing":     "frame-ancestors 'none'",
		"/static/live.js":                "default-src 'none'",
		"/admin/assets/" + sha("meme"):   "default-src 'none'",
		"/operations/dodo/log.jsonl":     "default-src 'none'",
		"/admin/operations/dodo?x=<b>&y": "default-src 'none'",
	} {
		res := v.get(path)
		csp := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, want) || strings.Contains(csp, "unsafe-eval") || strings.Contains(csp, "allow-scripts") {
			t.Errorf("%s has the policy %q, want %q in it", path, csp, want)
		}
		if res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s may be sniffed", path)
		}
	}
	if strings.Contains(v.get("/").Header.Get("Content-Security-Policy"), "frame-src") {
		t.Error("pages without a preview may show frames")
	}
}

// TestARoleThatWasLoweredIsSaid sends each form that was open when its reader's
// role was lowered, which ends their sessions: before they sign in anew, after
// that, and where the session went on. None is called too old, none changes
// anything, and what was written is given back.
func TestARoleThatWasLoweredIsSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	out, anew, stays := h.visitor("admin"), h.visitor("admin"), h.visitor("admin")
	tokens := map[*visitor]string{out: out.token(), anew: anew.token(), stays: stays.token()}
	out.submit(out.get("/admin"), "header form", nil)
	anew.submit(anew.get("/admin"), "header form", nil)
	if _, err := h.db.Exec(t.Context(), `UPDATE users SET role = 'viewer' WHERE name = 'admin'`); err != nil {
		t.Fatal(err)
	}
	anew.signIn("admin")
	const no = "As a viewer you may not do this. Nothing was changed."
	wants := map[*visitor]string{out: "You are signed out: the session has ended", anew: no, stays: no}
	for _, r := range routes(func(r web.Route) bool { return r.Method == http.MethodPost && r.Access > web.Viewer }) {
		for v, want := range wants {
			h.unchanged(r.Path, func() {
				form := h.form(r, tokens[v])
				for _, sent := range []url.Values{form, {"csrf": form["csrf"]}} {
					res := v.post(h.address(r.Path), sent)
					doc := res.doc(t)
					if said := spoken(doc, "main"); res.StatusCode != http.StatusForbidden || !strings.Contains(said, want) || strings.Contains(said, "too old") {
						t.Errorf("%s answers %s and says %q, want %q", r.Path, res.Status, said, want)
					}
					if !strings.Contains(doc.Find("textarea").Text(), sent.Get("reason")) {
						t.Errorf("%s gives nothing back: %q", r.Path, doc.Find("textarea").Text())
					}
				}
			})
		}
	}
}
