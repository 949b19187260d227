// Package x speaks to X's API v2: posts, media, reads and token refresh.
package x

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxBody bounds what is read of an answer.
const maxBody = 8 << 20

// Config says where X is and who the application is.
type Config struct {
	APIBaseURL  string // https://api.x.com
	AuthBaseURL string // origin of /2/oauth2/token, https://api.x.com
	// AuthorizeBaseURL is the origin of the page where people consent, https://x.com.
	AuthorizeBaseURL string
	ClientID         string
	ClientSecret     string // empty for a public client
	// Refused is optional; it is told each access token that X no longer takes.
	Refused func(ctx context.Context, accessToken string)
	// PictureHosts are the hosts profile pictures may be fetched from besides
	// the API's own, such as pbs.twimg.com.
	PictureHosts []string
	// HTTP is optional; the default gives a call 30 seconds.
	HTTP *http.Client
	// Wait is optional; it pauses between two looks at a media's processing.
	Wait func(context.Context, time.Duration) error
}

// Client calls the API for any account: the access token is always an argument.
type Client struct {
	cfg  Config
	http *http.Client
}

// New returns a client. It starts nothing.
func New(cfg Config) *Client {
	cfg.APIBaseURL = strings.TrimRight(cfg.APIBaseURL, "/")
	cfg.AuthBaseURL = strings.TrimRight(cfg.AuthBaseURL, "/")
	cfg.AuthorizeBaseURL = strings.TrimRight(cfg.AuthorizeBaseURL, "/")
	if cfg.Wait == nil {
		cfg.Wait = pause
	}
	client := http.Client{Timeout: 30 * time.Second}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	// A redirect would carry the bearer token to a place nobody configured.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{cfg, &client}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// get reads path into out.
func (c *Client) get(ctx context.Context, token, path string, query url.Values, out any) error {
	return c.call(ctx, http.MethodGet, path+"?"+query.Encode(), token, "", nil, out)
}

// post sends in as JSON and reads the answer into out.
func (c *Client) post(ctx context.Context, token, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, path, token, "application/json", body, out)
}

func (c *Client) call(ctx context.Context, method, path, token, contentType string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.APIBaseURL+path, bytes.NewReader(body))
	if err != nil {
		return errors.New("the X base URL is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	err = c.send(req, out)
	var refused *APIError
	if errors.As(err, &refused) && refused.Unauthorized() && token != "" && c.cfg.Refused != nil {
		c.cfg.Refused(ctx, token)
	}
	return err
}

// send carries the request out. out may be nil when only success matters.
func (c *Client) send(req *http.Request, out any) error {
	res, err := c.http.Do(req)
	if err != nil {
		return transportError(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return apiError(res, body)
	}
	if err != nil {
		return &unknownError{fmt.Errorf("the answer broke off: %w", err)}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &unknownError{fmt.Errorf("X answered %d with %s that could not be read as JSON", res.StatusCode, mediaType(res))}
	}
	return nil
}

// transportError sorts what went wrong on the way: a failed dial sent nothing.
func transportError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the URL
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("reach X: %w", err)
	}
	return &unknownError{fmt.Errorf("X did not answer: %w", err)}
}

func mediaType(res *http.Response) string {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return "no content type"
	}
	return kind
}
