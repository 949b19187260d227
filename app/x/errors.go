package x

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// APIError is an answer that is not a success. X answers in several shapes
// (problem+json, legacy errors, HTML from its edge); Title and Detail hold
// what could be read of them.
type APIError struct {
	Status int
	Title  string
	Detail string
	Type   string // X's address of the kind of problem, empty when not told
	// RetryAfter is what the server asked for, 0 when it did not.
	RetryAfter time.Duration
	// ResetAt is when the window ends that is used up, of a quarter of an hour or
	// of a day; zero when not told.
	ResetAt time.Time
}

func (e *APIError) Error() string {
	text := fmt.Sprintf("X answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Detail != "" {
		return text + ": " + e.Detail
	}
	return text
}

// Duplicate tells whether X refused the post because the account has just said the same.
func (e *APIError) Duplicate() bool {
	return e.Status == http.StatusForbidden && strings.Contains(strings.ToLower(e.Detail), "duplicate content")
}

// NotSummoned tells whether X refused a reply because its author did not
// mention or quote the account.
func (e *APIError) NotSummoned() bool {
	return e.Status == http.StatusForbidden && strings.Contains(e.Detail, "Reply to this conversation is not allowed")
}

// Unauthorized tells whether the access token has to be refreshed.
func (e *APIError) Unauthorized() bool { return e.Status == http.StatusUnauthorized }

// Spent tells whether X will never again trade the refresh token or code that
// it was given: somebody has to consent anew.
func (e *APIError) Spent() bool {
	return e.Status == http.StatusBadRequest && !e.UnknownClient()
}

// UnknownClient tells whether X knew no such application, or not by that secret.
func (e *APIError) UnknownClient() bool {
	return e.Status == http.StatusUnauthorized || strings.Contains(e.Title, "client")
}

// PaymentRequired tells whether the application is out of credits.
func (e *APIError) PaymentRequired() bool { return e.Status == http.StatusPaymentRequired }

// RateLimited tells whether the call may be tried again at ResetAt.
func (e *APIError) RateLimited() bool {
	return e.Status == http.StatusTooManyRequests && !e.UsageCapped()
}

// UsageCapped tells whether the application may read no more for as long as its
// plan lasts: waiting for ResetAt changes nothing.
func (e *APIError) UsageCapped() bool {
	return e.Title == "UsageCapExceeded" || strings.HasSuffix(e.Type, "/usage-capped")
}

// NotFound tells whether what was asked for does not exist.
func (e *APIError) NotFound() bool { return e.Status == http.StatusNotFound }

// Unknown tells whether err leaves open if X did what was asked: a timeout, a
// broken connection, an unreadable success or a 5xx. Such a call must be
// looked up before it is made again.
func Unknown(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.Status >= 500
	}
	var unknown *unknownError
	return errors.As(err, &unknown)
}

// Unbilled tells whether err is certain to have brought nothing that X bills:
// it was not reached, or it refused.
func Unbilled(err error) bool {
	var (
		api     *APIError
		network *net.OpError
	)
	return errors.As(err, &api) || errors.As(err, &network) && network.Op == "dial"
}

// unknownError is a call whose outcome nobody told us.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return e.err.Error() }
func (e *unknownError) Unwrap() error { return e.err }

func apiError(res *http.Response, body []byte) *APIError {
	e := &APIError{Status: res.StatusCode}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	e.ResetAt = resetAt(res.Header)
	var shape struct {
		Title       string `json:"title"`
		Detail      string `json:"detail"`
		Type        string `json:"type"`
		Code        string `json:"error"`
		Description string `json:"error_description"`
		Errors      []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(body, &shape); err != nil {
		e.Detail = mediaType(res) + " instead of JSON"
		return e
	}
	e.Title, e.Type = capped(shape.Title+shape.Code), capped(shape.Type)
	details := []string{shape.Detail, shape.Description}
	for _, one := range shape.Errors {
		details = append(details, one.Message)
	}
	e.Detail = capped(strings.Join(strings.Fields(strings.Join(details, " ")), " "))
	return e
}

// resetAt is when the call may be made again: the end of the last of the windows
// that are used up, or of the one that is always told.
func resetAt(header http.Header) (at time.Time) {
	for _, window := range []string{"X-Rate-Limit-", "X-User-Limit-24hour-", "X-App-Limit-24hour-"} {
		seconds, err := strconv.ParseInt(header.Get(window+"Reset"), 10, 64)
		if err != nil {
			continue
		}
		if reset := time.Unix(seconds, 0).UTC(); at.IsZero() || header.Get(window+"Remaining") == "0" && reset.After(at) {
			at = reset
		}
	}
	return at
}

// capped keeps an error readable: its text comes from outside.
func capped(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
