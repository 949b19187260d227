package x

import (
	"encoding/json"
	"errors"
	"fmt"
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
	// RetryAfter is what the server asked for, 0 when it did not.
	RetryAfter time.Duration
	// ResetAt is when the rate-limit window ends, zero when not told.
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
func (e *APIError) RateLimited() bool { return e.Status == http.StatusTooManyRequests }

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

// unknownError is a call whose outcome nobody told us.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return e.err.Error() }
func (e *unknownError) Unwrap() error { return e.err }

func apiError(res *http.Response, body []byte) *APIError {
	e := &APIError{Status: res.StatusCode}
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	if reset, err := strconv.ParseInt(res.Header.Get("X-Rate-Limit-Reset"), 10, 64); err == nil {
		e.ResetAt = time.Unix(reset, 0).UTC()
	}
	var shape struct {
		Title       string `json:"title"`
		Detail      string `json:"detail"`
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
	e.Title = capped(shape.Title + shape.Code)
	details := []string{shape.Detail, shape.Description}
	for _, one := range shape.Errors {
		details = append(details, one.Message)
	}
	e.Detail = capped(strings.Join(strings.Fields(strings.Join(details, " ")), " "))
	return e
}

// capped keeps an error readable: its text comes from outside.
func capped(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
