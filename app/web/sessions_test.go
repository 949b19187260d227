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
	if !before.HttpOnly || before.SameSite != http.SameSiteLaxMode || before.Path != "/admin" || before.Secure {
		t.Errorf("the cookie is %v", before)
	}
	wrong := v.submit(form, "main form", url.Values{"name": {"admin"}, "password": {"wrong horse battery"}})
	if wrong.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(wrong.body, "do not belong together") {
		t.Fatalf("a wrong password answers %s", wrong.Status)
	}
	in := v.submit(wrong, "main form", url.Values{"name": {"admin"}, "password": {"correct horse battery"}})
	if in.Header.Get("Location") != "/admin/validations/v2" {
		t.Fatalf("signing in leads to %q, want the page that was asked for", in.Header.Get("Location"))
	}
	if after := cookie(in, "vivra_session"); after.Value == before.Value {
		t.Error("the session kept its name: it could have been planted")
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
