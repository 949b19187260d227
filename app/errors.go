package app

import (
	"errors"
	"fmt"
)

// Kind says what a caller can do about an error. The web layer turns it into a
// status code, the runner into a message for the model.
type Kind string

// The kinds of errors.
const (
	Conflict    Kind = "conflict"
	Denied      Kind = "denied"
	Internal    Kind = "internal"
	Invalid     Kind = "invalid"
	NotFound    Kind = "not_found"
	TooMuch     Kind = "too_much"
	Unavailable Kind = "unavailable"
)

// Error is an error with a sentence fit for the person who caused it.
type Error struct {
	Kind    Kind
	Message string
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an *Error of the given kind.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// KindOf returns the kind of err, Internal when it has none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}
