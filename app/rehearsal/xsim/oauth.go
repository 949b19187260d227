package xsim

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	lifetime     = 7200 * time.Second // of an access token
	codeLifetime = 30 * time.Second
)

const scopes = "tweet.read users.read tweet.write media.write offline.access"

type tokenError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// family is everything that one consent has led to: it ends as a whole.
type family struct {
	account string
	scopes  string
}

// grant is one access token.
type grant struct {
	*family
	expires time.Time
}

// code is what a consent is traded for tokens with, once.
type code struct {
	*family
	redirect, challenge string
	expires             time.Time // wall clock
	spent               bool
}

// byClient finds the application that asks. The server is locked meanwhile.
func (s *Server) byClient(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.client(r) {
			writeJSON(w, http.StatusUnauthorized, tokenError{"unauthorized_client", "Missing valid authorization header"})
			return
		}
		next(w, r)
	}
}

// createToken trades a code or a refresh token for a new pair.
func (s *Server) createToken(w http.ResponseWriter, r *http.Request) {
	var of *family
	problem := "Missing required parameter [grant_type]."
	switch r.PostFormValue("grant_type") {
	case "authorization_code":
		of, problem = s.trade(r)
	case "refresh_token":
		of, problem = s.rotate(r.PostFormValue("refresh_token"))
	}
	if problem != "" {
		writeJSON(w, http.StatusBadRequest, tokenError{"invalid_request", problem})
		return
	}
	access, refresh := s.issue(of)
	answer := map[string]any{"token_type": "bearer", "expires_in": int(lifetime / time.Second), "access_token": access, "scope": of.scopes}
	if refresh != "" {
		answer["refresh_token"] = refresh
	}
	writeJSON(w, http.StatusOK, answer)
}

// rotate spends a refresh token. Each is good once; one that comes again ends
// what the account has granted with it.
func (s *Server) rotate(refresh string) (*family, string) {
	if of, known := s.spent[refresh]; known {
		s.end(of)
	}
	of, ok := s.refresh[refresh]
	if !ok {
		return nil, "Value passed for the token was invalid."
	}
	delete(s.refresh, refresh)
	s.spent[refresh] = of
	return of, ""
}

// trade spends a code, which comes from where it was sent to and with the proof
// that it was asked for there. One that comes again ends what it was traded for.
func (s *Server) trade(r *http.Request) (*family, string) {
	c := s.codes[r.PostFormValue("code")]
	if c != nil && c.spent {
		s.end(c.family)
	}
	if c == nil || c.spent || !s.opts.Wall().Before(c.expires) {
		return nil, "Value passed for the authorization code was invalid."
	}
	c.spent = true
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	switch {
	case r.PostFormValue("redirect_uri") != c.redirect:
		return nil, "Value passed for the redirect uri did not match the uri of the authorization code."
	case subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(proof[:])), []byte(c.challenge)) != 1:
		return nil, "Value passed for the code verifier did not match the code challenge."
	}
	return c.family, ""
}

// revokeToken forgets a token; with a refresh token ends all that it stands for.
func (s *Server) revokeToken(w http.ResponseWriter, r *http.Request) {
	token := r.PostFormValue("token")
	if token == "" {
		writeJSON(w, http.StatusBadRequest, tokenError{"invalid_request", "Missing required parameter [token]."})
		return
	}
	if of := s.refresh[token]; of != nil {
		s.end(of)
	}
	delete(s.tokens, token)
	writeJSON(w, http.StatusOK, map[string]bool{"revoked": true})
}

// client checks who asks: a confidential client by its header, a public one by its id.
func (s *Server) client(r *http.Request) bool {
	if s.opts.ClientSecret == "" {
		return r.PostFormValue("client_id") == s.opts.ClientID
	}
	id, secret, ok := r.BasicAuth()
	return ok && id == url.QueryEscape(s.opts.ClientID) && secret == url.QueryEscape(s.opts.ClientSecret)
}

func (s *Server) issue(of *family) (access, refresh string) {
	s.issued++
	access = fmt.Sprintf("access-%s-%d", of.account, s.issued)
	s.tokens[access] = &grant{of, s.opts.Now().Add(lifetime)}
	if slices.Contains(strings.Fields(of.scopes), "offline.access") {
		refresh = fmt.Sprintf("refresh-%s-%d", of.account, s.issued)
		s.refresh[refresh] = of
	}
	return access, refresh
}

// end forgets every token of a consent.
func (s *Server) end(of *family) {
	for token, g := range s.tokens {
		if g.family == of {
			delete(s.tokens, token)
		}
	}
	for token, each := range s.refresh {
		if each == of {
			delete(s.refresh, token)
		}
	}
}

// Forget plays the owner of an account who takes its consent back in the
// settings of X.
func (s *Server) Forget(accountID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.tokens {
		if g.account == accountID {
			s.end(g.family)
		}
	}
	for _, of := range s.refresh {
		if of.account == accountID {
			s.end(of)
		}
	}
}

// Tokens counts what an account's consents stand for now.
func (s *Server) Tokens(accountID string) (access, refresh int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.tokens {
		if g.account == accountID {
			access++
		}
	}
	for _, of := range s.refresh {
		if of.account == accountID {
			refresh++
		}
	}
	return access, refresh
}
