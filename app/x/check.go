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

// noToken is a refresh token that X has never issued.
const noToken = "vivra-doctor-asks-whether-the-client-is-known"

// CheckClient asks whether X knows the application: it offers a refresh token
// that never was, which a known client hears of with 400 and an unknown one not
// at all. Nothing is spent by it. An error with status 401 is an unknown client.
func (c *Client) CheckClient(ctx context.Context) error {
	_, err := c.Refresh(ctx, noToken, time.Time{})
	var refused *APIError
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest && refused.Title != "" {
		if strings.Contains(refused.Title, "client") {
			return &APIError{Status: http.StatusUnauthorized, Title: refused.Title, Detail: refused.Detail}
		}
		return nil
	}
	if err == nil {
		return errors.New("X gave a token for one that never was")
	}
	return err
}

// CheckAPI asks whether the API is there. It is asked without a token, since
// reads with one are billed: the API says 401 then, in JSON.
func (c *Client) CheckAPI(ctx context.Context) error {
	var ignored struct{}
	err := c.get(ctx, "", "/2/users/me", url.Values{}, &ignored)
	var refused *APIError
	if errors.As(err, &refused) && refused.Unauthorized() && refused.Title != "" {
		return nil
	}
	if err == nil {
		return errors.New("the API answers without a token")
	}
	return fmt.Errorf("ask the API: %w", err)
}
