package xsim_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"vivra/app/rehearsal/xsim"
	"vivra/app/x"
)

const callback = "https://vivra.example/admin/accounts/callback"

// office is an X that people consent at.
type office struct {
	t      *testing.T
	sim    *xsim.Server
	client *x.Client
	clock  *clock
	http   *http.Client
}

func newOffice(t *testing.T) office {
	t.Helper()
	c := &clock{now: j0}
	sim := xsim.New(xsim.Options{Now: c.Now, ClientID: "client", ClientSecret: "hush hush", Callbacks: []string{callback},
		Accounts: []xsim.Account{{ID: "11", Username: "dodo"}, {ID: "12", Username: "stranger"}}})
	srv := httptest.NewServer(sim)
	t.Cleanup(srv.Close)
	return office{t, sim, x.New(x.Config{APIBaseURL: srv.URL, AuthBaseURL: srv.URL, AuthorizeBaseURL: srv.URL, ClientID: "client", ClientSecret: "hush hush"}), c,
		&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// decides answers the page at address as dodo, and returns the query that X
// leads back with, nil when it does not lead back.
func (o office) decides(address, decision string) url.Values {
	o.t.Helper()
	for _, ask := range []func() (*http.Response, error){
		func() (*http.Response, error) { return o.http.Get(address) },
		func() (*http.Response, error) {
			return o.http.PostForm(address, url.Values{"account": {"dodo"}, "decision": {decision}})
		},
	} {
		res, err := ask()
		if err != nil {
			o.t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		switch {
		case res.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "Something went wrong"):
			return nil
		case res.StatusCode == http.StatusFound:
			to, err := url.Parse(res.Header.Get("Location"))
			if err != nil || !strings.HasPrefix(to.String(), callback+"?") {
				o.t.Fatalf("it leads to %s", to)
			}
			return to.Query()
		}
	}
	o.t.Fatal("X neither leads back nor says why not")
	return nil
}

func (o office) consents() (string, x.Authorization) {
	o.t.Helper()
	a := x.NewAuthorization(callback)
	return o.decides(o.client.AuthorizeURL(a), "allow").Get("code"), a
}

func TestConsent(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	a := x.NewAuthorization(callback)
	if back := o.decides(o.client.AuthorizeURL(a), "deny"); back.Get("error") != "access_denied" || back.Get("state") != a.State || back.Has("code") {
		t.Errorf("denied: %v", back)
	}
	back := o.decides(o.client.AuthorizeURL(a), "allow")
	token, err := o.client.Exchange(t.Context(), back.Get("code"), a, j0)
	if err != nil || back.Get("state") != a.State || token.RefreshToken == "" || !token.ExpiresAt.Equal(j0.Add(2*time.Hour)) || len(token.Scopes) != 5 {
		t.Fatalf("allowed: %v, %v", back, err)
	}
	if me, err := o.client.Me(t.Context(), token.AccessToken); err != nil || me.ID != "11" {
		t.Errorf("the token is of %+v, %v", me, err)
	}
}

// TestWhoIsNotLedBack: people see at X what is wrong with a request.
func TestWhoIsNotLedBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for name, change := range map[string]func(url.Values){
		"another callback": func(q url.Values) { q.Set("redirect_uri", callback+"/") },
		"another client":   func(q url.Values) { q.Set("client_id", "somebody") },
		"no state":         func(q url.Values) { q.Del("state") },
		"a long state":     func(q url.Values) { q.Set("state", strings.Repeat("s", 501)) },
		"no challenge":     func(q url.Values) { q.Del("code_challenge") },
		"a plain one":      func(q url.Values) { q.Set("code_challenge_method", "plain") },
		"a strange scope":  func(q url.Values) { q.Set("scope", "tweet.read everything") },
		"an implicit flow": func(q url.Values) { q.Set("response_type", "token") },
	} {
		address, err := url.Parse(o.client.AuthorizeURL(x.NewAuthorization(callback)))
		if err != nil {
			t.Fatal(err)
		}
		q := address.Query()
		change(q)
		address.RawQuery = q.Encode()
		if back := o.decides(address.String(), "allow"); back != nil {
			t.Errorf("%s: X leads back with %v", name, back)
		}
	}
}

// TestCodes are good once, for thirty seconds, with the proof, where they were
// sent to; one that comes again ends what it was traded for.
func TestCodes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	refused := func(name, code string, a x.Authorization) {
		t.Helper()
		_, err := o.client.Exchange(t.Context(), code, a, o.clock.Now())
		var refusal *x.APIError
		if !errors.As(err, &refusal) || !refusal.Spent() {
			t.Errorf("%s: %v", name, err)
		}
	}
	code, a := o.consents()
	refused("another proof", code, x.NewAuthorization(callback))
	refused("after a wrong try", code, a)
	code, a = o.consents()
	elsewhere := a
	elsewhere.RedirectURI += "/"
	refused("another callback", code, elsewhere)
	code, a = o.consents()
	o.clock.pass(30 * time.Second)
	refused("after 30 seconds", code, a)
	refused("made up", "code", a)

	code, a = o.consents()
	token, err := o.client.Exchange(t.Context(), code, a, o.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	refused("again", code, a)
	if _, err := o.client.Me(t.Context(), token.AccessToken); err == nil {
		t.Error("what the code was traded for is still good")
	}
}

// TestFamilies end as a whole, and each by itself.
func TestFamilies(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	consent := func() x.Token {
		t.Helper()
		code, a := o.consents()
		token, err := o.client.Exchange(t.Context(), code, a, j0)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	one, two, three := consent(), consent(), consent()
	next, err := o.client.Refresh(t.Context(), one.RefreshToken, j0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.client.Refresh(t.Context(), one.RefreshToken, j0); err == nil {
		t.Error("a spent token was taken")
	}
	if err := errors.Join(o.client.Revoke(t.Context(), two.RefreshToken, x.RefreshToken), o.client.Revoke(t.Context(), "nobody's", x.AccessToken)); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		token string
		good  bool
	}{"renewed, then the old one reused": {next.AccessToken, false}, "revoked": {two.AccessToken, false}, "untouched": {three.AccessToken, true}} {
		if _, err := o.client.Me(t.Context(), c.token); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	if access, refresh := o.sim.Tokens("11"); access != 1 || refresh != 1 {
		t.Errorf("X holds %d access and %d refresh tokens", access, refresh)
	}
	o.sim.Forget("11")
	if access, refresh := o.sim.Tokens("11"); access+refresh != 0 {
		t.Errorf("X holds %d and %d after the owner took the consent back", access, refresh)
	}
}
