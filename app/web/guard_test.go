package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vivra/app/web"
)

// address fills a route's parameters with things that exist.
func address(r web.Route) string {
	id := "1"
	if strings.Contains(r.Path, "/validations/") {
		id = "v1"
	}
	return strings.NewReplacer(":slug", "dodo", ":id", id, ":token", "invite", ":sha256", sha("meme"), "*", "index.html", ":name", "live.js",
		":key", "run.retries", ":chain", "4663", ":address", official).Replace(r.Path)
}

func routes(keep func(web.Route) bool) (found []web.Route) {
	for _, r := range new(web.Server).Routes() {
		if keep(r) {
			found = append(found, r)
		}
	}
	return found
}

// filled is a form that every decision would accept.
func filled(csrf string) url.Values {
	return url.Values{"csrf": {csrf}, "reason": {"because"}, "confirm": {"dodo"}, "sent": {"yes"}, "on_purpose": {"yes"}, "sha256": {"?"},
		"chain_id": {"4663"}, "address": {official}, "cap": {"25"}, "envelope": {"0"}, "value": {"4"}, "name": {"eve"}, "password": {"long enough to be one"}}
}

func TestEveryTeamPageAsksToSignIn(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	for _, r := range routes(func(r web.Route) bool { return r.Method == http.MethodGet && r.Access >= web.Viewer }) {
		res := v.get(address(r))
		if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(res.Header.Get("Location"), "/admin/sign-in?next=") {
			t.Errorf("GET %s without a session answers %s to %q", r.Path, res.Status, res.Header.Get("Location"))
		}
	}
	if said := x.said(); said != "" {
		t.Errorf("reading changed something:\n%s", said)
	}
}

func TestEveryFormNeedsItsToken(t *testing.T) {
	t.Parallel()
	for _, signedIn := range []bool{false, true} {
		x := newExhibit(t)
		server, _ := x.serve(t)
		v := newVisitor(t, server.URL)
		if signedIn {
			v.signIn("admin")
		}
		for _, r := range routes(func(r web.Route) bool { return r.Method == http.MethodPost && r.Access > web.Everyone }) {
			for _, token := range []string{"", "forged"} {
				if res := v.post(address(r), filled(token)); res.StatusCode != http.StatusForbidden {
					t.Errorf("POST %s (signed in: %t) with the token %q answers %s", r.Path, signedIn, token, res.Status)
				}
			}
		}
		if said := x.said(); said != "" {
			t.Errorf("a forged form changed something:\n%s", said)
		}
	}
}

func TestRolesHoldOnEveryRoute(t *testing.T) {
	t.Parallel()
	ranks := map[string]web.Access{"viewer": web.Viewer, "approver": web.Approver, "admin": web.Admin}
	for name, rank := range ranks {
		x := newExhibit(t)
		server, _ := x.serve(t)
		v := newVisitor(t, server.URL)
		v.signIn(name)
		csrf := v.csrf()
		for _, r := range routes(func(r web.Route) bool { return r.Access >= web.Viewer && r.Path != "/admin/sign-out" }) {
			if strings.HasSuffix(r.Path, "/live") {
				continue // a stream has no end
			}
			var res page
			if r.Method == http.MethodGet {
				res = v.get(address(r))
			} else {
				res = v.post(address(r), filled(csrf))
			}
			if refused := res.StatusCode == http.StatusForbidden; refused != (r.Access > rank) {
				t.Errorf("a %s's %s %s answers %s", name, r.Method, r.Path, res.Status)
			}
			if res.StatusCode >= 500 {
				t.Errorf("a %s's %s %s answers %s: %s", name, r.Method, r.Path, res.Status, res.body)
			}
		}
		if said := x.said(); name == "viewer" && said != "" {
			t.Errorf("a viewer changed something:\n%s", said)
		}
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
		res := v.get(address(r))
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
