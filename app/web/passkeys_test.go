package web_test

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"

	"vivra/app/internal/testbrowser"
)

// authenticator is a virtual one, plugged into a page.
type authenticator struct {
	t    *testing.T
	page *rod.Page
	id   proto.WebAuthnAuthenticatorID
}

func plugIn(t *testing.T, page *rod.Page) authenticator {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(proto.WebAuthnEnable{}.Call(page))
	made, err := proto.WebAuthnAddVirtualAuthenticator{Options: &proto.WebAuthnVirtualAuthenticatorOptions{Protocol: proto.WebAuthnAuthenticatorProtocolCtap2, Transport: proto.WebAuthnAuthenticatorTransportInternal,
		HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true}}.Call(page)
	must(err)
	return authenticator{t, page, made.AuthenticatorID}
}

// key is the only credential it holds.
func (a authenticator) key() *proto.WebAuthnCredential {
	a.t.Helper()
	all, err := proto.WebAuthnGetCredentials{AuthenticatorID: a.id}.Call(a.page)
	if err != nil || len(all.Credentials) != 1 {
		a.t.Fatalf("it holds %v, %v", all, err)
	}
	return all.Credentials[0]
}

// put takes what it holds away and gives it one credential.
func (a authenticator) put(key proto.WebAuthnCredential) {
	a.t.Helper()
	if err := (proto.WebAuthnClearCredentials{AuthenticatorID: a.id}).Call(a.page); err != nil {
		a.t.Fatal(err)
	}
	if err := (proto.WebAuthnAddCredential{AuthenticatorID: a.id, Credential: &key}).Call(a.page); err != nil {
		a.t.Fatal(err)
	}
}

// addPasskey signs in with the password and adds one through the page.
func addPasskey(t *testing.T, page *rod.Page, url, name string) {
	t.Helper()
	signInWith(page, url, name)
	page.MustNavigate(url + "/admin/account").MustWaitLoad()
	page.MustElement("form[data-passkey] input[name=name]").MustInput("My laptop")
	page.MustElement("form[data-passkey] input[name=password]").MustInput("correct horse batter")
	page.MustElement("form[data-passkey] button").MustClick()
	wait(t, page, `/The password is not right/.test(document.querySelector("form[data-passkey] [role=status]").textContent)`)
	page.MustElement("form[data-passkey] input[name=password]").MustInput("y")
	page.MustElement("form[data-passkey] button").MustClick()
	wait(t, page, `document.readyState === "complete" && /The passkey is added/.test(document.querySelector("main").textContent)`)
}

func signOut(t *testing.T, page *rod.Page) {
	t.Helper()
	page.MustElement("header form button").MustClick()
	wait(t, page, `document.readyState === "complete" && location.pathname === "/admin/sign-in"`)
}

func TestPasskeySignIn(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	page := testbrowser.Page(t)
	device := plugIn(t, page)
	addPasskey(t, page, c.url, "viewer")
	if text := page.MustElement("[aria-labelledby=passkeys-title]").MustText(); !strings.Contains(text, "My laptop") {
		t.Errorf("the page lists %s", text)
	}
	if key := device.key(); !key.IsResidentCredential || key.RpID != "localhost" || slices.Equal(key.UserHandle, []byte("viewer")) {
		t.Errorf("the device holds %+v", key)
	}
	page.MustElement("form[data-passkey] input[name=name]").MustInput("The same again")
	page.MustElement("form[data-passkey] input[name=password]").MustInput("correct horse battery")
	page.MustElement("form[data-passkey] button").MustClick()
	wait(t, page, `/a passkey of this account here already/.test(document.querySelector("form[data-passkey] [role=status]").textContent)`)
	if page.MustEval(`() => document.querySelector("form[data-passkey] button").disabled`).Bool() {
		t.Error("after a fault the button stays dead")
	}

	signOut(t, page)
	page.MustNavigate(c.url + "/admin/sign-in?next=/admin/audit").MustWaitLoad()
	page.MustElement("form[data-passkey] button").MustClick()
	wait(t, page, `location.pathname === "/admin/audit" && /viewer, viewer/.test(document.querySelector("header").textContent)`)
	keys, err := c.store.PasskeysOf(t.Context(), c.users["viewer"].ID)
	if err != nil || len(keys) != 1 || keys[0].UsedAt == nil {
		t.Errorf("%+v, %v", keys, err)
	}

	page.MustNavigate(c.url + "/admin/account").MustWaitLoad()
	page.MustElement(`form[action$="/removal"] button`).MustClick()
	wait(t, page, `/The passkey is removed/.test(document.querySelector("main").textContent)`)
	signOut(t, page)
	page.MustElement("form[data-passkey] button").MustClick()
	wait(t, page, `/belongs to no account here/.test(document.querySelector("[role=alert]")?.textContent)`)
	for _, want := range []string{`viewer passkey.add viewer: null → {"passkey": "My laptop"}`, `viewer passkey.remove viewer: {"passkey": "My laptop"} → null`} {
		if !strings.Contains(c.audit(), want) {
			t.Errorf("the audit lacks %q:\n%s", want, c.audit())
		}
	}
}

// TestPasskeysThatAreRefused: of a disabled account, of a person who was not
// verified, and when there may be a copy.
func TestPasskeysThatAreRefused(t *testing.T) {
	t.Parallel()
	refused := func(t *testing.T, page *rod.Page, why string) {
		t.Helper()
		page.MustElement("form[data-passkey] button").MustClick()
		wait(t, page, `document.querySelector("[role=alert]")?.textContent.includes("`+why+`")`)
		if page.MustNavigate(page.MustInfo().URL).MustWaitLoad(); page.MustInfo().Title != "Sign in, Vivra" {
			t.Errorf("it leads to %s", page.MustInfo().Title)
		}
	}
	t.Run("disabled", func(t *testing.T) {
		t.Parallel()
		c, page := newClub(t), testbrowser.Page(t)
		plugIn(t, page)
		addPasskey(t, page, c.url, "viewer")
		signOut(t, page)
		if err := c.store.DisableUser(t.Context(), c.users["viewer"].ID, c.users["admin"], c.now()); err != nil {
			t.Fatal(err)
		}
		refused(t, page, "This account is disabled")
	})
	t.Run("not verified", func(t *testing.T) {
		t.Parallel()
		c, page := newClub(t), testbrowser.Page(t)
		device := plugIn(t, page)
		addPasskey(t, page, c.url, "viewer")
		signOut(t, page)
		if err := (proto.WebAuthnSetResponseOverrideBits{AuthenticatorID: device.id, IsBadUV: true}).Call(page); err != nil {
			t.Fatal(err)
		}
		refused(t, page, "belongs to no account here")
	})
	t.Run("forged", func(t *testing.T) {
		t.Parallel()
		c, page := newClub(t), testbrowser.Page(t)
		device := plugIn(t, page)
		addPasskey(t, page, c.url, "viewer")
		signOut(t, page)
		if err := (proto.WebAuthnSetResponseOverrideBits{AuthenticatorID: device.id, IsBogusSignature: true}).Call(page); err != nil {
			t.Fatal(err)
		}
		refused(t, page, "belongs to no account here")
	})
	t.Run("another's handle", func(t *testing.T) {
		t.Parallel()
		c, page := newClub(t), testbrowser.Page(t)
		device := plugIn(t, page)
		addPasskey(t, page, c.url, "viewer")
		signOut(t, page)
		key := *device.key()
		key.UserHandle = []byte(c.users["admin"].Handle)
		device.put(key)
		refused(t, page, "belongs to no account here")
	})
	t.Run("copied", func(t *testing.T) {
		t.Parallel()
		c, page := newClub(t), testbrowser.Page(t)
		device := plugIn(t, page)
		addPasskey(t, page, c.url, "viewer")
		copied := *device.key()
		signOut(t, page)
		page.MustElement("form[data-passkey] button").MustClick()
		wait(t, page, `document.readyState === "complete" && location.pathname === "/admin"`)
		signOut(t, page)
		device.put(copied) // its counter is where it was before the use
		refused(t, page, "There may be a copy of this passkey")
		copied.SignCount += 100
		device.put(copied)
		refused(t, page, "There may be a copy of this passkey")
		if !strings.Contains(c.audit(), `viewer passkey.suspect viewer: null → {"passkey": "My laptop"}`) {
			t.Errorf("the audit says\n%s", c.audit())
		}
		signInWith(page, c.url, "viewer")
		page.MustNavigate(c.url + "/admin/account").MustWaitLoad()
		if text := page.MustElement("[aria-labelledby=passkeys-title]").MustText(); !strings.Contains(text, "There may be a copy of it") {
			t.Errorf("its owner is told %s", text)
		}
	})
}

// TestPasskeysEnd with the password that a link replaces, and when an admin says
// so: what somebody added while the account was theirs lets nobody in.
func TestPasskeysEnd(t *testing.T) {
	t.Parallel()
	c, page := newClub(t), testbrowser.Page(t)
	device := plugIn(t, page)
	admin := c.member("admin")
	for what, end := range map[string]func(){
		`user.password approver: null → {"by": "one-time link", "sessions_ended": 0, "passkeys_removed": 1}`: func() {
			address := link(t, admin.submit(admin.get("/admin/users"), c.form("approver", "reset"), nil))
			owner := newVisitor(t, c.url)
			form := owner.get(c.path(address))
			if !strings.Contains(form.body, "passkeys are removed") {
				t.Errorf("the form says %s", spoken(form.doc(t), "main"))
			}
			owner.submit(form, "main form", url.Values{"password": {"correct horse battery"}})
		},
		`user.passkeys approver: {"passkeys": 1} → {"passkeys": 0, "sessions_ended": `: func() {
			people := admin.get("/admin/users")
			if !strings.Contains(people.body, "1 passkey ·") {
				t.Error("an admin is not told of the passkey")
			}
			admin.submit(people, c.form("approver", "passkeys/removal"), nil)
		},
	} {
		addPasskey(t, page, c.url, "approver")
		signOut(t, page)
		end()
		page.MustNavigate(c.url + "/admin/sign-in").MustWaitLoad()
		page.MustElement("form[data-passkey] button").MustClick()
		wait(t, page, `/belongs to no account here/.test(document.querySelector("[role=alert]")?.textContent)`)
		if !strings.Contains(c.audit(), what) {
			t.Errorf("the audit lacks %s:\n%s", what, c.audit())
		}
		if err := (proto.WebAuthnClearCredentials{AuthenticatorID: device.id}).Call(page); err != nil {
			t.Fatal(err)
		}
	}
	if admin.get("/admin/users").doc(t).Find(c.form("approver", "passkeys/removal")).Length() != 0 {
		t.Error("there is nothing to remove, and it is offered")
	}
}

// TestAnAnswerSignsInOnce, however often and from wherever it is sent.
func TestAnAnswerSignsInOnce(t *testing.T) {
	t.Parallel()
	c, page := newClub(t), testbrowser.Page(t)
	plugIn(t, page)
	addPasskey(t, page, c.url, "viewer")
	signOut(t, page)
	// The form is held back, so that its answer can be sent by hand.
	answer := page.MustEval(`() => new Promise((done) => {
		const form = document.querySelector("form[data-passkey]");
		form.submit = () => done(JSON.stringify(Object.fromEntries(new FormData(form))));
		form.requestSubmit();
	})`).Str()
	var fields map[string]string
	if err := json.Unmarshal([]byte(answer), &fields); err != nil {
		t.Fatal(err)
	}
	form := url.Values{}
	for name, value := range fields {
		form.Set(name, value)
	}
	thief := newVisitor(t, c.url)
	stolen := url.Values{"credential": form["credential"], "csrf": {thief.get("/admin/sign-in").doc(t).Find("input[name=csrf]").AttrOr("value", "")}}
	if res := thief.post("/admin/sign-in/passkey", stolen); res.StatusCode != http.StatusUnprocessableEntity || thief.in() {
		t.Errorf("in another session the answer gets %s", res.Status)
	}

	cookies := page.MustCookies()
	var all sync.WaitGroup
	in := make([]bool, 8)
	for i := range in {
		all.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/admin/sign-in/passkey", strings.NewReader(form.Encode()))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for _, k := range cookies {
				req.AddCookie(&http.Cookie{Name: k.Name, Value: k.Value})
			}
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			in[i] = res.StatusCode == http.StatusSeeOther
		})
	}
	all.Wait()
	if n := count(in...); n != 1 {
		t.Errorf("one answer signed in %d times", n)
	}
}

// direct asks a site that no port leads to.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	d.ServeHTTP(answer, r)
	return answer.Result(), nil
}

func TestWherePasskeysAreOff(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	for at, why := range map[string]string{
		"http://127.0.0.1:8080": "this site's address is 127.0.0.1", "https://[2001:db8::1]": "this site's address is 2001:db8::1", "http://vivra.example": "Passkeys need https", "": "VIVRA_PUBLIC_URL",
		"https://vivra.example": "", "http://localhost:8080": "", "https://Vivra.Example:8443": "", "http://a.localhost": "",
	} {
		site := c.site()
		site.PublicURL = at
		v := newVisitor(t, cmp.Or(at, "http://nowhere.example"))
		v.http.Transport = direct{site.Handler()}
		v.signIn("viewer")
		page := v.get("/admin/account").doc(t)
		text, form := squeeze(page.Find("[aria-labelledby=passkeys-title]").Text()), page.Find("form[data-passkey]").Length()
		if (why == "") != (form == 1) || (why == "") == strings.Contains(text, "Passkeys are off") || !strings.Contains(text, why) {
			t.Errorf("at %q there are %d forms, and it says %s", at, form, text)
		}
		csrf := page.Find("input[name=csrf]").First().AttrOr("value", "")
		if res := v.post("/admin/account/passkeys/challenge", url.Values{"csrf": {csrf}, "password": {"correct horse battery"}}); (res.StatusCode == http.StatusOK) != (why == "") {
			t.Errorf("at %q a challenge is answered %s", at, res.Status)
		}
	}
}

func TestPasskeysNeedAScript(t *testing.T) {
	t.Parallel()
	c := newClub(t)
	page := withoutScripts(t)
	signInWith(page, c.url, "viewer")
	page.MustNavigate(c.url + "/admin/account").MustWaitLoad()
	if text := page.MustElement("[aria-labelledby=passkeys-title]").MustText(); !strings.Contains(text, "Adding a passkey needs JavaScript") || strings.Contains(text, "Add a passkey") {
		t.Errorf("without scripts the page says %s", text)
	}
	page.MustElement(`form[action="/admin/account/password"] input[name=password]`).MustInput("correct horse battery")
	page.MustElement(`input[name=new_password]`).MustInput("another long password")
	page.MustElement(`form[action="/admin/account/password"] button`).MustClick()
	wait(t, page, `/The password is changed/.test(document.querySelector("main").textContent)`)
	signOut(t, page)
	if text := page.MustElement("main").MustText(); !strings.Contains(text, "Passkeys need JavaScript") || strings.Contains(text, "Sign in with a passkey") {
		t.Errorf("without scripts the page says %s", text)
	}
}
