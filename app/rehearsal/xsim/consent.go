package xsim

import (
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// asked is one request for an account's consent.
type asked struct {
	ResponseType, ClientID, RedirectURI, Scope, State, Challenge, Method string
}

func askedBy(r *http.Request) asked {
	return asked{r.FormValue("response_type"), r.FormValue("client_id"), r.FormValue("redirect_uri"), r.FormValue("scope"),
		r.FormValue("state"), r.FormValue("code_challenge"), r.FormValue("code_challenge_method")}
}

// Callback registers where the application may have people led back to, as in
// the developer console. Until one is registered, every address of this machine
// will do.
func (s *Server) Callback(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Callbacks = append(s.opts.Callbacks, uri)
}

// fault says what is wrong with a request: people see that at X, and are not
// led back to an address that may be anybody's.
func (s *Server) fault(a asked) string {
	switch {
	case a.ResponseType != "code" || a.ClientID != s.opts.ClientID:
		return "The application is not known."
	case !s.registered(a.RedirectURI):
		return "The callback is not registered."
	case a.State == "" || len(a.State) > 500:
		return "The state has 1 to 500 characters."
	case a.Challenge == "" || a.Method != "S256":
		return "A code challenge is missing."
	case a.Scope == "":
		return "No scope is asked for."
	}
	for scope := range strings.FieldsSeq(a.Scope) {
		if !slices.Contains(strings.Fields(scopes), scope) {
			return "There is no scope " + scope + "."
		}
	}
	return ""
}

func (s *Server) registered(uri string) bool {
	if len(s.opts.Callbacks) > 0 {
		return slices.Contains(s.opts.Callbacks, uri)
	}
	u, err := url.Parse(uri)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// showConsent asks whoever is signed in; here that is chosen on the page.
func (s *Server) showConsent(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := askedBy(r)
	page := consent{Scopes: strings.Fields(a.Scope), Fault: s.fault(a)}
	for _, account := range s.opts.Accounts {
		page.Accounts = append(page.Accounts, account.Username)
	}
	s.showPage(w, page)
}

// decideConsent leads back with a code, or without one.
func (s *Server) decideConsent(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := askedBy(r)
	account := s.byName(r.PostFormValue("account"))
	if fault := s.fault(a); fault != "" || account == nil {
		s.showPage(w, consent{Fault: fault + " Nobody is signed in."})
		return
	}
	back := url.Values{"state": {a.State}}
	if r.PostFormValue("decision") == "allow" {
		s.issued++
		name := fmt.Sprintf("code-%s-%d", account.ID, s.issued)
		s.codes[name] = &code{family: &family{account.ID, a.Scope}, redirect: a.RedirectURI, challenge: a.Challenge, expires: s.opts.Wall().Add(codeLifetime)}
		back.Set("code", name)
	} else {
		back.Set("error", "access_denied")
	}
	http.Redirect(w, r, a.RedirectURI+"?"+back.Encode(), http.StatusFound)
}

type consent struct {
	Accounts, Scopes []string
	Fault            string
}

func (s *Server) showPage(w http.ResponseWriter, page consent) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Referrer-Policy", "no-referrer")
	if page.Fault != "" {
		w.WriteHeader(http.StatusBadRequest)
	}
	_ = consentPage.Execute(w, page) // a visitor who left needs no answer
}

var consentPage = template.Must(template.New("consent").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The local X</title>
<main>{{if .Fault}}<h1>Something went wrong</h1><p>You weren't able to give access to the App. {{.Fault}}</p>
{{else}}<h1>An application wants to access your account</h1>
<ul>{{range .Scopes}}<li>{{.}}</li>{{end}}</ul>
<form method="post">
<p><label>Signed in as <select name="account">{{range .Accounts}}<option>{{.}}</option>{{end}}</select></label></p>
<p><button name="decision" value="allow">Authorize app</button> <button name="decision" value="deny">Cancel</button></p>
</form>{{end}}</main></html>`))
