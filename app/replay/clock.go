package replay

import (
	"time"

	"github.com/jonboulle/clockwork"
)

// clock is the product's time of a run that is played: that of what comes next
// in what was stored, and a nanosecond more for each call that is behind, so that
// calls of one instant have their places in time.
type clock struct {
	clockwork.Clock
	*session
}

func newClock(s *session) clock { return clock{clockwork.NewFakeClock(), s} }

// Now implements clockwork.Clock. Pictures are no turn of the loop: it is at the
// model's next call already when they are looked at.
func (c clock) Now() time.Time {
	var at time.Time
	if c.items < len(c.stored.Items) {
		at = c.stored.Items[c.items].At
	}
	next := c.nextAsked()
	if next < len(c.stored.Calls) {
		if asked := c.stored.Calls[next].At; at.IsZero() || asked.Before(at) {
			at = asked
		}
	}
	if at.IsZero() {
		at = c.last()
	}
	return at.Add(time.Duration(next))
}

// last is when the last thing was stored.
func (s *session) last() (at time.Time) {
	if n := len(s.stored.Items); n > 0 {
		at = s.stored.Items[n-1].At
	}
	if n := len(s.stored.Calls); n > 0 && s.stored.Calls[n-1].At.After(at) {
		at = s.stored.Calls[n-1].At
	}
	return at
}

// instant is a wall clock by which every wait is over at once and nothing ticks.
type instant struct{ clockwork.Clock }

// After implements clockwork.Clock.
func (c instant) After(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- c.Now()
	return over
}
