package x

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"

	"vivra/app"
)

// Authorization is one time that an account is asked for its consent.
type Authorization struct {
	RedirectURI string // where X leads back to, exactly as it is registered there
	State       string // proves that what X leads back with was asked for
	Verifier    string // proves that who has the code is who asked for it
}

// NewAuthorization makes one that nobody can guess.
func NewAuthorization(redirectURI string) Authorization {
	return Authorization{RedirectURI: redirectURI, State: rand.Text() + rand.Text(), Verifier: rand.Text() + rand.Text()}
}

// AuthorizeURL is the page on X where the account's owner is asked: OAuth 2.0
// with PKCE.
func (c *Client) AuthorizeURL(a Authorization) string {
	challenge := sha256.Sum256([]byte(a.Verifier))
	return c.cfg.AuthorizeBaseURL + "/i/oauth2/authorize?" + strings.ReplaceAll(url.Values{
		"response_type": {"code"}, "client_id": {c.cfg.ClientID}, "redirect_uri": {a.RedirectURI}, "scope": {strings.Join(app.XScopes(), " ")},
		"state": {a.State}, "code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])}, "code_challenge_method": {"S256"},
	}.Encode(), "+", "%20") // in scopes X wants it so
}
