package web_test

import (
	"bufio"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
)

// link is the one-time link that a page shows.
func link(t *testing.T, p page) string {
	t.Helper()
	url := p.doc(t).Find(".addr [data-copy]").AttrOr("data-copy", "")
	if url == "" {
		t.Fatalf("the page shows no link: %s\n%s", p.Status, squeeze(p.doc(t).Find("main").Text()))
	}
	return url
}

// form is the selector of a form for a member, by where it leads.
func (c *club) form(name, action string) string {
	return `form[action="/admin/users/` + number(c.users[name].ID) + "/" + action + `"]`
}

func (c *club) path(address string) string { return strings.TrimPrefix(address, c.url) }

func TestAnInviteIsShownOnceAndUsedOnce(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	admin := c.member("admin")
	made := admin.submit(admin.get("/admin/users"), `form[action="/admin/users/invites"]`, url.Values{"role": {"approver"}})
	address := link(t, made)
	token := address[strings.LastIndex(address, "/")+1:]
	if !strings.HasPrefix(address, c.url+"/admin/setup/") || len(token) < 26 || made.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the link is %s, its page %s", address, made.Header.Get("Cache-Control"))
	}
	for _, path := range []string{"/admin/users", "/admin/audit"} {
		if res := admin.get(path); strings.Contains(res.body, token) {
			t.Errorf("%s shows the link again", path)
		}
	}
	if text := squeeze(admin.get("/admin/users").doc(t).Find("main").Text()); !strings.Contains(text, "new approver") {
		t.Errorf("the open link is not listed: %s", text)
	}
	if !strings.Contains(c.audit(), "admin user.invite new approver") || strings.Contains(c.audit(), token) {
		t.Errorf("the audit says\n%s", c.audit())
	}

	names := []string{"ann", "ben", "cat", "dan"}
	var wait sync.WaitGroup
	in := make([]bool, len(names))
	visitors, forms := make([]*visitor, len(names)), make([]page, len(names))
	for i := range names {
		v := newVisitor(t, c.url)
		form := v.get(c.path(address))
		visitors[i], forms[i] = v, form
		if form.Header.Get("Referrer-Policy") != "no-referrer" || !strings.Contains(form.body, "An approver sees all") {
			t.Errorf("the form's page: %v", form.Header)
		}
	}
	for i, name := range names {
		wait.Go(func() {
			res := visitors[i].submit(forms[i], "main form", url.Values{"name": {name}, "password": {"long enough to be one"}})
			in[i] = res.StatusCode == http.StatusSeeOther
			if !in[i] && (res.StatusCode != http.StatusNotFound || !strings.Contains(res.body, "no longer open")) {
				t.Errorf("%s gets %s", name, res.Status)
			}
		})
	}
	wait.Wait()
	for i, name := range names {
		if u, err := c.store.UserByName(t.Context(), name); (err == nil) != in[i] || err == nil && u.Role != app.RoleApprover {
			t.Errorf("%s: %+v, %v, told %t", name, u, err, in[i])
		}
	}
	if n := count(in...); n != 1 {
		t.Errorf("one link made %d accounts", n)
	}
	if strings.Contains(c.said.String(), token) {
		t.Error("the log holds the link")
	}
}

func TestALinkIsRevoked(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	admin := c.member("admin")
	address := link(t, admin.submit(admin.get("/admin/users"), `form[action="/admin/users/invites"]`, url.Values{"role": {"admin"}}))
	admin.submit(admin.get("/admin/users"), `form[action$="/revocation"]`, nil)
	if res := c.visitor("203.0.113.1").get(c.path(address)); res.StatusCode != http.StatusNotFound {
		t.Errorf("a revoked link answers %s", res.Status)
	}
	address = link(t, admin.submit(admin.get("/admin/users"), `form[action="/admin/users/invites"]`, url.Values{"role": {"viewer"}}))
	c.later(7*24*time.Hour - time.Second)
	if res := c.visitor("203.0.113.1").get(c.path(address)); res.StatusCode != http.StatusOK {
		t.Errorf("after a week less a second: %s", res.Status)
	}
	c.later(time.Second)
	if res := c.visitor("203.0.113.1").get(c.path(address)); res.StatusCode != http.StatusNotFound {
		t.Errorf("after a week: %s", res.Status)
	}
}

func TestANewPasswordByLink(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	admin, viewer := c.member("admin"), c.member("viewer")
	address := link(t, admin.submit(admin.get("/admin/users"), c.form("viewer", "reset"), nil))
	if !viewer.in() {
		t.Error("making a link signed its account out")
	}
	v := c.visitor("203.0.113.1")
	form := v.get(c.path(address))
	if text := squeeze(form.doc(t).Find("main").Text()); !strings.Contains(text, "For the account viewer") {
		t.Errorf("the form says %q", text)
	}
	if res := v.submit(form, "main form", url.Values{"password": {"short"}}); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("a short password: %s", res.Status)
	}
	if res := v.submit(form, "main form", url.Values{"password": {"another long password"}, "name": {"admin"}}); res.StatusCode != http.StatusSeeOther || !strings.Contains(v.get("/admin").body, "viewer, viewer") {
		t.Errorf("the link: %s", res.Status)
	}
	if viewer.in() {
		t.Error("the account's session outlives its password")
	}
	if res := c.visitor("203.0.113.2").tries("viewer", "correct horse battery"); res.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("the old password: %s", res.Status)
	}
	if res := v.get(c.path(address)); res.StatusCode != http.StatusNotFound {
		t.Errorf("the link once more: %s", res.Status)
	}
}

// TestARoleHoldsAtOnce: the member's pages ask to sign in, and a stream that is
// open tells nothing more.
func TestARoleHoldsAtOnce(t *testing.T) {
	t.Parallel()
	for action, fields := range map[string]url.Values{"role": {"role": {"viewer"}}, "disabling": nil, "sign-out": nil} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			c := newClub(t)
			admin, approver := c.member("admin"), c.member("approver")
			ended := approver.listen("/admin/validations/live?current=")
			if res := admin.submit(admin.get("/admin/users"), c.form("approver", action), fields); res.Header.Get("Location") != "/admin/users" {
				t.Fatalf("it answers %s\n%s", res.Status, res.body)
			}
			select {
			case <-ended:
			case <-time.After(20 * time.Second):
				t.Error("the stream goes on")
			}
			if approver.in() || !admin.in() {
				t.Errorf("the member is in: %t, the admin: %t", approver.in(), admin.in())
			}
			want := map[string]string{"role": `admin user.role approver: {"role": "approver"} → {"role": "viewer", "sessions_ended": 1}`,
				"disabling": `admin user.disable approver: {"disabled": false} → {"disabled": true, "sessions_ended": 1}`, "sign-out": `admin user.sign_out approver: {"sessions": 1} → {"sessions": 0}`}[action]
			if !strings.HasPrefix(c.audit(), want) {
				t.Errorf("the audit says\n%s", c.audit())
			}
			res := c.visitor("203.0.113.5").tries("approver", "correct horse battery")
			if may := res.StatusCode == http.StatusSeeOther; may != (action != "disabling") || !may && !strings.Contains(res.body, "This account is disabled") {
				t.Errorf("signing in again: %s", res.Status)
			}
		})
	}
}

// listen opens a stream and returns what is closed when it ends.
func (v *visitor) listen(path string) <-chan struct{} {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	v.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Datastar-Request", "true")
	res, err := v.http.Do(req)
	if err != nil || res.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %v, %v", path, res, err)
	}
	ended, lines := make(chan struct{}), bufio.NewScanner(res.Body)
	lines.Scan() // its first words: it is open
	go func() {
		defer close(ended)
		defer res.Body.Close()
		for lines.Scan() {
		}
	}()
	return ended
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	admin := c.member("admin")
	for action, fields := range map[string]url.Values{"role": {"role": {"viewer"}}, "disabling": nil} {
		res := admin.submit(admin.get("/admin/users"), c.form("admin", action), fields)
		if res.StatusCode != http.StatusConflict || !strings.Contains(res.body, "admin is the last admin who can sign in") {
			t.Errorf("%s answers %s", action, res.Status)
		}
	}
	if !admin.in() {
		t.Error("what was refused ended the session")
	}
	admin.submit(admin.get("/admin/users"), c.form("approver", "role"), url.Values{"role": {"admin"}})
	if res := admin.submit(admin.get("/admin/users"), c.form("admin", "disabling"), nil); res.StatusCode != http.StatusSeeOther || admin.in() {
		t.Errorf("with another admin: %s", res.Status)
	}
	second := c.member("approver")
	if text := spoken(second.get("/admin/users").doc(t), "main"); !strings.Contains(text, "admin disabled since") {
		t.Errorf("the page says %s", text)
	}
	second.submit(second.get("/admin/users"), c.form("admin", "enabling"), nil)
	c.member("admin")
}

// TestOnlyAdminsSeePeople, and nobody is an admin by what a form says.
func TestOnlyAdminsSeePeople(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for name, want := range map[string]int{"viewer": http.StatusForbidden, "approver": http.StatusForbidden, "admin": http.StatusOK} {
		v := c.member(name)
		if res := v.get("/admin/users"); res.StatusCode != want {
			t.Errorf("%s gets %s", name, res.Status)
		}
		account := v.get("/admin/account")
		if account.StatusCode != http.StatusOK || (account.doc(t).Find(`nav a[href="/admin/users"]`).Length() == 1) != (want == http.StatusOK) {
			t.Errorf("%s's account: %s", name, account.Status)
		}
		csrf := account.doc(t).Find("input[name=csrf]").First().AttrOr("value", "")
		for _, path := range []string{"/role", "/disabling", "/enabling", "/reset", "/sign-out"} {
			res := v.post("/admin/users/"+number(c.users["viewer"].ID)+path, url.Values{"csrf": {csrf}, "role": {"viewer"}})
			if refused := res.StatusCode == http.StatusForbidden; refused != (want == http.StatusForbidden) {
				t.Errorf("%s's %s answers %s", name, path, res.Status)
			}
		}
		if res := v.post("/admin/users/invites", url.Values{"csrf": {csrf}, "role": {"owner"}}); res.StatusCode != want && res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s's invite of an owner answers %s", name, res.Status)
		}
	}
}
