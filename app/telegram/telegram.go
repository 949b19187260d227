// Package telegram speaks to the Telegram Bot API, for one bot.
package telegram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxBody bounds what is read of an answer.
const maxBody = 8 << 20

// Config says where the Bot API is and which bot calls.
type Config struct {
	BaseURL string // https://api.telegram.org, or a self-hosted server
	Token   string
	// HTTP is optional; the default gives a call 30 seconds.
	HTTP *http.Client
}

// Client calls the Bot API. The token is part of every URL there, so no error
// of this package ever holds one.
type Client struct {
	base string
	http *http.Client
}

// New returns a client. It starts nothing.
func New(cfg Config) *Client {
	client := http.Client{Timeout: 30 * time.Second}
	if cfg.HTTP != nil {
		client = *cfg.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{strings.TrimRight(cfg.BaseURL, "/") + "/bot" + cfg.Token + "/", &client}
}

// call sends in as JSON and reads the result into out, which may be nil.
func (c *Client) call(ctx context.Context, method string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return c.send(ctx, method, "application/json", body, out)
}

func (c *Client) send(ctx context.Context, method, contentType string, body []byte, out any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s: the Telegram base URL or the bot token is malformed", method)
	}
	req.Header.Set("Content-Type", contentType)
	res, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", method, transportError(err))
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return fmt.Errorf("%s: %w", method, &unknownError{fmt.Errorf("the answer broke off: %w", err)})
	}
	if err := decode(res.StatusCode, raw, out); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// decode reads the envelope. An answer that is not one came from something
// between us and Telegram, whatever its status.
func decode(status int, raw []byte, out any) error {
	var envelope struct {
		OK          bool            `json:"ok"`
		Result      json.RawMessage `json:"result"`
		Code        int             `json:"error_code"`
		Description string          `json:"description"`
		Parameters  struct {
			RetryAfter int   `json:"retry_after"`
			MigrateTo  int64 `json:"migrate_to_chat_id"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return notJSON(status)
	}
	if !envelope.OK {
		return &APIError{
			Code: max(envelope.Code, status), Description: capped(envelope.Description), MigrateTo: envelope.Parameters.MigrateTo,
			RetryAfter: time.Duration(envelope.Parameters.RetryAfter) * time.Second,
		}
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(envelope.Result, out); err != nil {
		return &unknownError{errors.New("Telegram answered with a result that could not be read")}
	}
	return nil
}

func notJSON(status int) error {
	if status >= 400 && status < 500 {
		return &APIError{Code: status, Description: "no JSON in the answer"}
	}
	return &unknownError{fmt.Errorf("Telegram answered %d without JSON", status)}
}

// transportError drops the URL, which holds the token, and sorts what went
// wrong on the way: a failed dial sent nothing.
func transportError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("reach Telegram: %w", err)
	}
	return &unknownError{fmt.Errorf("Telegram did not answer: %w", err)}
}
