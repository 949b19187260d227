package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTheCookieOfEachSite: its name tells sites on one host apart, and on https
// no site beside it can plant one.
func TestTheCookieOfEachSite(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for at, want := range map[string]http.Cookie{
		"http://127.0.0.1:8080":       {Name: "vivra_guest_8080", Path: "/admin"},
		"http://127.0.0.1:8081":       {Name: "vivra_guest_8081", Path: "/admin"},
		"https://vivra.example":       {Name: "__Host-vivra_guest", Path: "/", Secure: true},
		"https://vivra.example:8443":  {Name: "__Host-vivra_guest_8443", Path: "/", Secure: true},
		"http://vivra.example":        {Name: "vivra_guest", Path: "/admin"},
		"https://[2001:db8::1]:10443": {Name: "__Host-vivra_guest_10443", Path: "/", Secure: true},
	} {
		site := c.site()
		site.PublicURL = at
		answer := httptest.NewRecorder()
		site.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/admin/sign-in", nil))
		got := cookie(page{answer.Result(), ""}, want.Name)
		if got.Value == "" || got.Path != want.Path || got.Secure != want.Secure || !got.HttpOnly || got.SameSite != http.SameSiteLaxMode || got.Domain != "" {
			t.Errorf("%s sets %v, want %s", at, answer.Header()["Set-Cookie"], want.Name)
		}
		if hsts := answer.Header().Get("Strict-Transport-Security"); (hsts != "") != strings.HasPrefix(at, "https://") {
			t.Errorf("%s says of https: %q", at, hsts)
		}
	}
}
