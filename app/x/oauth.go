package x

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Token is what an account granted. It prints as nothing.
type Token struct {
	AccessToken  string
	RefreshToken string // single use: keep this one before using the access token
	Scopes       []string
	ExpiresAt    time.Time
}

// String hides the secrets from logs and errors.
func (Token) String() string { return "x.Token(secret)" }

// GoString hides the secrets from %#v.
func (Token) GoString() string { return "x.Token(secret)" }

// Refresh trades a refresh token for a new pair. The old one is spent as soon
// as X has seen it, so a caller must hold a lock on the account and keep the
// new pair before it is used. An error that is Spent means that the account has
// to be connected again.
func (c *Client) Refresh(ctx context.Context, refreshToken string, now time.Time) (Token, error) {
	token, err := c.token(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken}}, now)
	if err == nil && token.RefreshToken == "" {
		err = &unknownError{errors.New("X answered without a new pair")}
	}
	if err != nil {
		return Token{}, fmt.Errorf("refresh token: %w", err)
	}
	return token, nil
}

// Exchange trades the code of an authorisation for a first pair; X takes it for
// 30 seconds. Its refresh token is empty when the account did not grant one.
func (c *Client) Exchange(ctx context.Context, code string, a Authorization, now time.Time) (Token, error) {
	token, err := c.token(ctx, url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {a.RedirectURI}, "code_verifier": {a.Verifier}}, now)
	if err != nil {
		return Token{}, fmt.Errorf("exchange code: %w", err)
	}
	return token, nil
}

// Revoke has X forget a token. One that it does not know is as good as revoked.
func (c *Client) Revoke(ctx context.Context, token, kind string) error {
	req, err := c.form(ctx, "/2/oauth2/revoke", url.Values{"token": {token}, "token_type_hint": {kind}})
	if err == nil {
		err = c.send(req, nil)
	}
	if err != nil {
		return fmt.Errorf("revoke token: %w", err)
	}
	return nil
}

// The kinds of tokens, as Revoke takes them.
const (
	AccessToken  = "access_token"
	RefreshToken = "refresh_token"
)

func (c *Client) token(ctx context.Context, form url.Values, now time.Time) (Token, error) {
	req, err := c.form(ctx, "/2/oauth2/token", form)
	if err != nil {
		return Token{}, err
	}
	var answer struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		ExpiresIn    int64  `json:"expires_in"`
		Scope        string `json:"scope"`
	}
	if err := c.send(req, &answer); err != nil {
		return Token{}, err
	}
	if answer.AccessToken == "" {
		return Token{}, &unknownError{errors.New("X answered without a token")}
	}
	return Token{
		AccessToken: answer.AccessToken, RefreshToken: answer.RefreshToken, Scopes: strings.Fields(answer.Scope),
		ExpiresAt: now.Add(time.Duration(answer.ExpiresIn) * time.Second).UTC(),
	}, nil
}

// form is a request in the name of the application: a confidential client says
// who it is in a header, a public one in the form.
func (c *Client) form(ctx context.Context, path string, form url.Values) (*http.Request, error) {
	if c.cfg.ClientSecret == "" {
		form.Set("client_id", c.cfg.ClientID)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.AuthBaseURL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, errors.New("the X auth base URL is not a URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.cfg.ClientSecret != "" {
		req.SetBasicAuth(url.QueryEscape(c.cfg.ClientID), url.QueryEscape(c.cfg.ClientSecret))
	}
	return req, nil
}
