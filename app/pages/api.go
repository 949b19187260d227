package pages

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
const maxBody = 16 << 20

// APIError is a refusal by Cloudflare.
type APIError struct {
	Status  int
	Code    int // Cloudflare's own number of the error, 0 when it gave none
	Message string
}

func (e *APIError) Error() string {
	if e.Code == 0 {
		return fmt.Sprintf("Cloudflare answered %d: %s", e.Status, e.Message)
	}
	return fmt.Sprintf("Cloudflare answered %d: %s (%d)", e.Status, e.Message, e.Code)
}

// Unknown tells whether err leaves open if Cloudflare did what was asked: a
// timeout, a broken connection, an unreadable answer or a 5xx. Find tells.
func Unknown(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.Status >= 500
	}
	var unknown *unknownError
	return errors.As(err, &unknown)
}

// unknownError is a call whose outcome nobody told us.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return e.err.Error() }
func (e *unknownError) Unwrap() error { return e.err }

func isStatus(err error, status int) bool {
	var api *APIError
	return errors.As(err, &api) && api.Status == status
}

// request is one raw call. bearer is the API token, or the upload token for assets.
type request struct {
	method, path, bearer, contentType string
	body                              []byte
}

func (h *Host) get(ctx context.Context, path string, out any) error {
	return h.do(ctx, request{http.MethodGet, path, h.cfg.Token, "", nil}, out)
}

func (h *Host) post(ctx context.Context, path, bearer string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	return h.do(ctx, request{http.MethodPost, path, bearer, "application/json", body}, out)
}

// do carries a call out and reads the result of its envelope into out, which may be nil.
func (h *Host) do(ctx context.Context, r request, out any) error {
	req, err := http.NewRequestWithContext(ctx, r.method, h.cfg.APIBaseURL+r.path, bytes.NewReader(r.body))
	if err != nil {
		return errors.New("the Cloudflare base URL is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+r.bearer)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	res, err := h.http.Do(req)
	if err != nil {
		return transportError(err)
	}
	defer res.Body.Close()
	return decode(res, out)
}

func decode(res *http.Response, out any) error {
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return &unknownError{fmt.Errorf("the answer broke off: %w", err)}
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return apiError(res.StatusCode, raw)
	}
	var envelope struct {
		Success bool            `json:"success"`
		Result  json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return &unknownError{fmt.Errorf("Cloudflare answered %d without JSON", res.StatusCode)}
	}
	if !envelope.Success {
		return apiError(res.StatusCode, raw)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(envelope.Result, out); err != nil {
		return &unknownError{errors.New("Cloudflare answered with a result that could not be read")}
	}
	return nil
}

func apiError(status int, raw []byte) *APIError {
	e := &APIError{Status: status, Message: http.StatusText(status)}
	var envelope struct {
		Errors []struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(raw, &envelope) == nil && len(envelope.Errors) > 0 {
		e.Code, e.Message = envelope.Errors[0].Code, capped(envelope.Errors[0].Message)
	}
	return e
}

// transportError sorts what went wrong on the way: a failed dial sent nothing.
func transportError(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("reach Cloudflare: %w", err)
	}
	return &unknownError{fmt.Errorf("Cloudflare did not answer: %w", err)}
}

// capped keeps an error readable.
func capped(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// patiently repeats what is safe to repeat while Cloudflare answers 5xx, which
// it does in bursts.
func (h *Host) patiently(ctx context.Context, try func() error) error {
	const tries = 4
	var err error
	for n := range tries {
		if err = try(); !Unknown(err) {
			return err
		}
		if n == tries-1 {
			break
		}
		if waited := h.cfg.Wait(ctx, time.Second<<n); waited != nil {
			return waited
		}
	}
	return err
}
