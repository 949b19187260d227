package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"vivra/app/web"
)

func TestChangingThePassword(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	here, elsewhere := c.member("viewer"), c.member("viewer")
	const form = `form[action="/admin/account/password"]`
	for what, fields := range map[string]url.Values{
		"The old password is not right": {"password": {"wrong horse battery"}, "new_password": {"another long password"}},
		"at least 12 characters":        {"password": {"correct horse battery"}, "new_password": {"short"}},
		"at most 200 characters":        {"password": {"correct horse battery"}, "new_password": {strings.Repeat("x", 201)}},
	} {
		if res := here.submit(here.get("/admin/account"), form, fields); res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(res.body, what) {
			t.Errorf("want %q: %s", what, res.Status)
		}
	}
	if !elsewhere.in() {
		t.Error("a refused change ended a session")
	}
	before := here.cookie()
	res := here.submit(here.get("/admin/account"), form, url.Values{"password": {"correct horse battery"}, "new_password": {"another long password"}})
	if res.Header.Get("Location") != "/admin/account" {
		t.Fatalf("it answers %s", res.Status)
	}
	for _, said := range []bool{true, false} { // once
		if strings.Contains(here.get("/admin/account").body, "The password is changed") != said {
			t.Errorf("the page says so: %t", !said)
		}
	}
	if here.cookie() == before || elsewhere.in() {
		t.Errorf("the session kept its name (%t), or the other one goes on (%t)", here.cookie() == before, elsewhere.in())
	}
	if c.visitor("203.0.113.1").tries("viewer", "correct horse battery").StatusCode == http.StatusSeeOther || c.visitor("203.0.113.1").tries("viewer", "another long password").StatusCode != http.StatusSeeOther {
		t.Error("the old password still holds, or the new one does not")
	}
	if audit := c.audit(); !strings.Contains(audit, "viewer user.password viewer") || strings.Contains(audit, "argon2") || strings.Contains(audit, "another") {
		t.Errorf("the audit says\n%s", audit)
	}
}

// cookie is what the visitor's session is known by.
func (v *visitor) cookie() string {
	v.t.Helper()
	at, err := url.Parse(v.base + "/admin")
	if err != nil {
		v.t.Fatal(err)
	}
	for _, c := range v.http.Jar.Cookies(at) {
		if strings.HasPrefix(c.Name, "vivra_session") {
			return c.Value
		}
	}
	return ""
}

func TestOwnSessions(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	here, second, third, other := c.member("viewer"), c.member("viewer"), c.member("viewer"), c.member("approver")
	c.later(5 * time.Minute)
	list := here.get("/admin/account").doc(t).Find("[aria-labelledby=sessions-title] li")
	if list.Length() != 3 || !strings.Contains(list.First().Text(), "this one") || !strings.Contains(list.First().Text(), "Go-http-client") {
		t.Errorf("the page lists %s", squeeze(list.Text()))
	}
	here.submit(here.get("/admin/account"), `form[action$="/end"]:not([action$="sessions/end"])`, nil)
	if n := count(second.in(), third.in()); n != 1 || !other.in() {
		t.Errorf("of two others %d go on", n)
	}
	here.submit(here.get("/admin/account"), `form[action="/admin/account/sessions/end"]`, nil)
	if second.in() || third.in() || !here.in() || !other.in() {
		t.Error("ending all others ended this one, or one of another account, or not all")
	}
	page := other.get("/admin/account").doc(t)
	csrf := page.Find("input[name=csrf]").First().AttrOr("value", "")
	open, err := c.store.Sessions(c.now).SessionsOf(t.Context(), c.users["viewer"].ID)
	if err != nil || len(open) != 1 {
		t.Fatal(open, err)
	}
	if res := other.post("/admin/account/sessions/"+open[0].ID+"/end", url.Values{"csrf": {csrf}}); res.StatusCode != http.StatusNotFound || !here.in() {
		t.Errorf("another account ends it: %s", res.Status)
	}
	c.later(2 * time.Hour)
	if here.in() {
		t.Error("a session that was not used for two hours goes on")
	}
}

func count(all ...bool) (n int) {
	for _, b := range all {
		if b {
			n++
		}
	}
	return n
}

// TestOldHashesAreMadeAnew at the first sign-in, with the same password.
func TestOldHashesAreMadeAnew(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	old := "$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$" + cheapKey()
	if err := c.store.Rehash(t.Context(), c.users["viewer"], old); err != nil {
		t.Fatal(err)
	}
	c.visitor("203.0.113.1").tries("viewer", "wrong horse battery")
	if u, err := c.store.UserByName(t.Context(), "viewer"); err != nil || u.PasswordHash != old {
		t.Errorf("a wrong password made %s, %v", u.PasswordHash, err)
	}
	for range 2 {
		v := c.member("viewer")
		u, err := c.store.UserByName(t.Context(), "viewer")
		if err != nil || !strings.HasPrefix(u.PasswordHash, "$argon2id$v=19$m=19456,t=2,p=1$") || !web.PasswordMatches(u.PasswordHash, "correct horse battery") || !v.in() {
			t.Errorf("after the sign-in it is %s, %v", u.PasswordHash, err)
		}
	}
}
