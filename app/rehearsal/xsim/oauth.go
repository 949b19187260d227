package xsim

import (
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// lifetime of an access token.
const lifetime = 7200 * time.Second

const scopes = "tweet.read users.read tweet.write media.write offline.access"

type tokenError struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// createToken trades a refresh token for a new pair. Each is good once; one
// that comes again ends what the account has granted.
func (s *Server) createToken(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.client(r) {
		writeJSON(w, http.StatusUnauthorized, tokenError{"unauthorized_client", "Missing valid authorization header"})
		return
	}
	refresh := r.PostFormValue("refresh_token")
	if r.PostFormValue("grant_type") != "refresh_token" || refresh == "" {
		writeJSON(w, http.StatusBadRequest, tokenError{"invalid_request", "Missing required parameter [grant_type]."})
		return
	}
	if owner, known := s.spent[refresh]; known {
		s.revoke(owner)
	}
	owner, ok := s.refresh[refresh]
	if !ok {
		writeJSON(w, http.StatusBadRequest, tokenError{"invalid_request", "Value passed for the token was invalid."})
		return
	}
	delete(s.refresh, refresh)
	s.spent[refresh] = owner
	access, next := s.issue(owner)
	writeJSON(w, http.StatusOK, map[string]any{
		"token_type": "bearer", "expires_in": int(lifetime / time.Second), "access_token": access, "refresh_token": next, "scope": scopes,
	})
}

// client checks who asks: a confidential client by its header, a public one by its id.
func (s *Server) client(r *http.Request) bool {
	if s.opts.ClientSecret == "" {
		return r.PostFormValue("client_id") == s.opts.ClientID
	}
	id, secret, ok := r.BasicAuth()
	return ok && id == url.QueryEscape(s.opts.ClientID) && secret == url.QueryEscape(s.opts.ClientSecret)
}

func (s *Server) issue(owner string) (access, refresh string) {
	s.issued++
	access, refresh = fmt.Sprintf("access-%s-%d", owner, s.issued), fmt.Sprintf("refresh-%s-%d", owner, s.issued)
	s.tokens[access] = &grant{owner, s.opts.Now().Add(lifetime)}
	s.refresh[refresh] = owner
	return access, refresh
}

func (s *Server) revoke(owner string) {
	for token, g := range s.tokens {
		if g.account == owner {
			delete(s.tokens, token)
		}
	}
	for token, id := range s.refresh {
		if id == owner {
			delete(s.refresh, token)
		}
	}
}
