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
// new pair before it is used. An *APIError with status 400 or 401 means that the
// account has to be connected again.
func (c *Client) Refresh(ctx context.Context, refreshToken string, now time.Time) (Token, error) {
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refreshToken}}
	if c.cfg.ClientSecret == "" {
		form.Set("client_id", c.cfg.ClientID)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.cfg.AuthBaseURL+"/2/oauth2/token", strings.NewReader(form.Encode()))
	if err != nil {
		return Token{}, errors.New("refresh token: the X auth base URL is not a URL")
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.cfg.ClientSecret != "" {
		req.SetBasicAuth(url.QueryEscape(c.cfg.ClientID), url.QueryEscape(c.cfg.ClientSecret))
	}
	var answer struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
		ExpiresIn    int64  `json:"expires_in"`
		Scope        string `json:"scope"`
	}
	if err := c.send(req, &answer); err != nil {
		return Token{}, fmt.Errorf("refresh token: %w", err)
	}
	if answer.AccessToken == "" || answer.RefreshToken == "" {
		return Token{}, fmt.Errorf("refresh token: %w", &unknownError{errors.New("X answered without a new pair")})
	}
	return Token{
		AccessToken: answer.AccessToken, RefreshToken: answer.RefreshToken, Scopes: strings.Fields(answer.Scope),
		ExpiresAt: now.Add(time.Duration(answer.ExpiresIn) * time.Second).UTC(),
	}, nil
}
