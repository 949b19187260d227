package web_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"vivra/app/web"

	"golang.org/x/crypto/argon2"
)

func TestSignInAndOut(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	v := newVisitor(t, server.URL)

	form := v.get(v.get("/admin/validations/v2").Header.Get("Location"))
	before := cookie(form, "vivra_session")
	if before.Value != "" {
		t.Errorf("to look at the form opens the session %v", before)
	}
	wrong := v.submit(form, "main form", url.Values{"name": {"admin"}, "password": {"wrong horse battery"}})
	if wrong.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(wrong.body, "do not belong together") {
		t.Fatalf("a wrong password answers %s", wrong.Status)
	}
	in := v.submit(wrong, "main form", url.Values{"name": {"admin"}, "password": {"correct horse battery"}})
	if in.Header.Get("Location") != "/admin/validations/v2" {
		t.Fatalf("signing in leads to %q, want the page that was asked for", in.Header.Get("Location"))
	}
	if opened := cookie(in, "vivra_session"); opened.Value == "" || !opened.HttpOnly || opened.SameSite != http.SameSiteLaxMode || opened.Path != "/admin" || opened.Secure {
		t.Errorf("the cookie is %v", opened)
	}
	if res := v.get("/admin"); res.StatusCode != http.StatusOK {
		t.Fatalf("signed in, /admin answers %s", res.Status)
	}
	v.submit(v.get("/admin"), "header form", nil)
	if res := v.get("/admin"); res.StatusCode != http.StatusSeeOther {
		t.Errorf("signed out, /admin answers %s", res.Status)
	}
}

func TestSignInNeverLeadsElsewhere(t *testing.T) {
	t.Parallel()
	server, _ := newExhibit(t).serve(t)
	for _, next := range []string{"https://evil.example/admin", "//evil.example/admin", `/\evil.example/admin`, "/operations", "javascript:alert(1)", "/admin\\@evil.example"} {
		v := newVisitor(t, server.URL)
		form := v.get("/admin/sign-in?" + url.Values{"next": {next}}.Encode())
		res := v.submit(form, "main form", url.Values{"name": {"admin"}, "password": {"correct horse battery"}, "next": {next}})
		if to := res.Header.Get("Location"); to != "/admin" {
			t.Errorf("next=%q leads to %q", next, to)
		}
	}
}

func TestFirstAccount(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	v := newVisitor(t, server.URL)
	if res := v.get("/admin/setup/guess"); res.StatusCode != http.StatusNotFound || !strings.Contains(res.body, "no longer open") {
		t.Errorf("a guessed link answers %s", res.Status)
	}
	form := v.get("/admin/setup/invite")
	for name, fields := range map[string]url.Values{
		"short password": {"name": {"ada"}, "password": {"short"}},
		"odd name":       {"name": {"<b>"}, "password": {"long enough to be one"}},
	} {
		if res := v.submit(form, "main form", fields); res.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s answers %s", name, res.Status)
		}
	}
	res := v.submit(form, "main form", url.Values{"name": {"ada"}, "password": {"long enough to be one"}})
	if res.Header.Get("Location") != "/admin" || !strings.Contains(v.get("/admin").body, "ada, admin") {
		t.Errorf("the account was not created and signed in: %s", res.Status)
	}
}

// cookie is the one of that name that an answer sets.
func cookie(p page, name string) *http.Cookie {
	for _, c := range p.Cookies() {
		if c.Name == name {
			return c
		}
	}
	return new(http.Cookie)
}

// cheapKey is what argon2id makes of the tests' password at a lower cost.
func cheapKey() string {
	key := argon2.IDKey([]byte("correct horse battery"), []byte("saltsaltsaltsalt"), 1, 8192, 1, 32)
	return base64.RawStdEncoding.EncodeToString(key)
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	hash, err := web.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the hash is %s", hash)
	}
	for password, want := range map[string]bool{"correct horse battery": true, "Correct horse battery": false, "": false, strings.Repeat("x", 1<<20): false} {
		if web.PasswordMatches(hash, password) != want {
			t.Errorf("%.30q matches: %t", password, !want)
		}
	}
	// As long as another cost is known it is checked with that one.
	const cheaper = "$argon2id$v=19$m=8192,t=1,p=1$c2FsdHNhbHRzYWx0c2FsdA$"
	if cheap := cheaper + cheapKey(); !web.PasswordMatches(cheap, "correct horse battery") || web.PasswordMatches(cheap, "wrong") || web.PasswordMatches(strings.Replace(cheap, "t=1", "t=2", 1), "correct horse battery") {
		t.Error("a hash of another cost is not checked with that cost")
	}
	for _, broken := range []string{"$argon2id$v=19$m=8192,t=0,p=1$c2FsdA$x", "$argon2id$v=19$m=8192,t=1,p=0$c2FsdA$x", "$argon2i$v=19$m=19456,t=2,p=1$c2FsdA$x", "", "plain", "$argon2id$v=19$m=19456,t=2,p=1$%%%$x", strings.TrimSuffix(hash, hash[len(hash)-4:])} {
		if web.PasswordMatches(broken, "correct horse battery") {
			t.Errorf("the broken hash %q matches", broken)
		}
	}
}

// TestASessionHasANewName: one that was planted opens nothing.
func TestASessionHasANewName(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	v := newVisitor(t, c.url)
	at, err := url.Parse(c.url + "/admin")
	if err != nil {
		t.Fatal(err)
	}
	port := "_" + at.Port()
	form := v.get("/admin/sign-in")
	v.http.Jar.SetCookies(at, []*http.Cookie{{Name: "vivra_session" + port, Value: "planted", Path: "/admin"}})
	in := v.submit(form, "main form", url.Values{"name": {"admin"}, "password": {"correct horse battery"}})
	if got := cookie(in, "vivra_session"+port).Value; got == "" || got == "planted" || !v.in() {
		t.Errorf("signed in, the session is named %q", got)
	}
}

// TestSeveralTabsAtSignIn: a form that is too old is shown anew with the name,
// and leads on when another tab has signed in.
func TestSeveralTabsAtSignIn(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	v := newVisitor(t, c.url)
	tabs := []page{v.get("/admin/sign-in?next=/admin/audit"), v.get("/admin/sign-in?next=/admin/prices"), v.get("/admin/sign-in")}
	fields := url.Values{"name": {"approver"}, "password": {"correct horse battery"}}
	for i, want := range []string{"/admin/audit", "/admin/prices", "/admin"} {
		if res := v.submit(tabs[i], "main form", fields); res.Header.Get("Location") != want {
			t.Errorf("tab %d answers %s and leads to %q, want %s", i, res.Status, res.Header.Get("Location"), want)
		}
	}
	other := newVisitor(t, c.url) // whose cookies are gone
	res := other.submit(tabs[0], "main form", fields)
	form := res.doc(t).Find("main form").First()
	if res.StatusCode != http.StatusForbidden || form.Find("[name=name]").AttrOr("value", "") != "approver" || form.Find("[name=next]").AttrOr("value", "") != "/admin/audit" || other.in() {
		t.Errorf("an old form answers %s: %s", res.Status, spoken(res.doc(t), "main"))
	}
	if res := other.submit(res, "main form", url.Values{"password": {"correct horse battery"}}); res.Header.Get("Location") != "/admin/audit" {
		t.Errorf("the form that was shown anew answers %s", res.Status)
	}
}

// TestTriesLeaveATrace: refusals in the log, each way in in the audit.
func TestTriesLeaveATrace(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	v := c.visitor("203.0.113.7")
	hostileName := "eve\nlevel=ERROR\x1b[2J" + strings.Repeat("x", 5000)
	for range 12 {
		v.tries(hostileName, "wrong horse battery")
	}
	c.visitor("203.0.113.8").tries("admin", "wrong horse battery")
	said := c.said.String()
	for _, want := range []string{`msg="sign-in refused" name="eve`, `msg="sign-in delayed" name="eve`, "address=203.0.113.7", `msg="sign-in refused" name=admin address=203.0.113.8`} {
		if !strings.Contains(said, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for line := range strings.Lines(said) {
		if len(line) > 500 || strings.Contains(line, "\x1b") || strings.HasPrefix(line, "level=ERROR") || strings.Contains(line, "horse") {
			t.Errorf("the log holds %.600q", line)
		}
	}
	c.member("viewer")
	if want := `viewer session.start viewer: null → {"by": "password", "browser": "Go-http-client/1.1"}`; !strings.Contains(c.audit(), want) {
		t.Errorf("the audit lacks %s:\n%s", want, c.audit())
	}
}

// TestWordsOutliveTheSession: whatever was written into a form is given back when
// its session has ended, as text, and to nobody whom another site sends.
func TestWordsOutliveTheSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := "/admin/validations/" + h.rows["validations/:id"]
	const words = "An hour's <b>work</b>."
	ended := map[string]func(*visitor){
		"ended elsewhere": func(v *visitor) {
			other := h.visitor("approver")
			other.submit(other.get("/admin/account"), `form[action="/admin/account/sessions/end"]`, nil)
		},
		"signed in anew": func(v *visitor) {
			v.submit(v.get("/admin"), "header form", nil)
			v.signIn("approver")
		},
		"idle": func(v *visitor) {
			if _, err := h.db.Exec(t.Context(), "UPDATE sessions SET seen_at = seen_at - interval '3 hours'"); err != nil {
				t.Fatal(err)
			}
		},
	}
	for how, end := range ended {
		v := h.visitor("approver")
		draft, decide := v.get(first+"/draft"), v.get(first)
		end(v)
		next := "/admin/sign-in?next="
		if how == "signed in anew" {
			next = first
		}
		for _, res := range []page{v.submit(draft, "#draft-form", url.Values{"field.text": {words}}), v.submit(decide, "#reject form", url.Values{"reason": {words}})} {
			doc := res.doc(t)
			if res.StatusCode != http.StatusForbidden || doc.Find("textarea").Text() != words || doc.Find("main b").Length() != 0 || doc.Find(`main a[href^="`+next+`"]`).Length() != 1 {
				t.Errorf("%s: it answers %s and says %q", how, res.Status, spoken(doc, "main"))
			}
		}
		req, err := http.NewRequest(http.MethodPost, v.base+first+"/rejection", strings.NewReader("reason=Send+us+your+keys"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		if res := v.do(req); res.StatusCode != http.StatusForbidden || strings.Contains(res.body, "your keys") {
			t.Errorf("another site has us say %q", spoken(res.doc(t), "main"))
		}
	}
}

// TestNamesAsPhonesWriteThem sign in, and count as one name for the limit.
func TestNamesAsPhonesWriteThem(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for _, name := range []string{"Approver", "approver ", " APPROVER"} {
		v := newVisitor(t, c.url)
		if v.tries(name, "correct horse battery"); !v.in() {
			t.Errorf("%q is refused", name)
		}
	}
	input := newVisitor(t, c.url).get("/admin/sign-in").doc(t).Find("input[name=name]")
	if input.AttrOr("autocapitalize", "") != "none" || input.AttrOr("autocorrect", "") != "off" {
		t.Error("a phone writes the name as it likes")
	}
}
