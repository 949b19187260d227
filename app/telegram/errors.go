package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// ErrPollClosed is what StopPoll returns for a poll that has already ended. The
// Bot API has no way to read it again: the final count came as a poll update.
var ErrPollClosed = errors.New("the poll has already been closed")

// APIError is a refusal by the Bot API.
type APIError struct {
	Code        int
	Description string
	// RetryAfter is how long to wait after a 429, 0 otherwise.
	RetryAfter time.Duration
	// MigrateTo is the new id of a group that became a supergroup, 0 otherwise.
	MigrateTo int64
}

func (e *APIError) Error() string {
	return fmt.Sprintf("Telegram answered %d: %s", e.Code, e.Description)
}

// RateLimited tells whether the call may be tried again after RetryAfter.
func (e *APIError) RateLimited() bool { return e.Code == http.StatusTooManyRequests }

// notModified tells whether nothing had to change.
func (e *APIError) notModified() bool { return strings.Contains(e.Description, "not modified") }

func (e *APIError) pollClosed() bool {
	return strings.Contains(strings.ToLower(e.Description), "poll has already been closed")
}

// Unknown tells whether err leaves open if Telegram did what was asked: a
// timeout, a broken connection, an unreadable answer or a 5xx.
func Unknown(err error) bool {
	var api *APIError
	if errors.As(err, &api) {
		return api.Code >= 500
	}
	var unknown *unknownError
	return errors.As(err, &unknown)
}

// unknownError is a call whose outcome nobody told us.
type unknownError struct{ err error }

func (e *unknownError) Error() string { return e.err.Error() }
func (e *unknownError) Unwrap() error { return e.err }

// capped keeps an error readable: its text comes from outside.
func capped(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
