package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"vivra/app"
)

// faults collects all that is wrong with a call, so that one answer names it all.
type faults []string

// need notes a fault unless ok.
func (f *faults) need(ok bool, format string, args ...any) {
	if !ok {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// text needs s to have between least and most characters.
func (f *faults) text(name, s string, least, most int) {
	n := utf8.RuneCountInString(s)
	f.need(n <= most, "%s has %d characters: at most %d.", name, n, most)
	f.need(least == 0 || strings.TrimSpace(s) != "", "%s is empty.", name)
}

// between needs n to be in least..most.
func (f *faults) between(name string, n, least, most int) {
	f.need(n >= least && n <= most, "%s is %d: it must be %d to %d.", name, n, least, most)
}

// err is the refusal, nil when there are no faults.
func (f faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return app.Errorf(app.Invalid, "%s", strings.Join(f, " "))
}

// unreachable hides what an outside service said behind our own sentence: its
// words could be anyone's, and a result without a fence may not carry them. The
// cause stays in the chain for the team.
func unreachable(service string, err error) error {
	return fmt.Errorf("%w: %w", app.Errorf(app.Unavailable, "%s did not answer. Try again, or go on without it and say so.", service), err)
}

// list is items, never nil: the model reads [] and not null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}
