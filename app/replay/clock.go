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

// Now implements clockwork.Clock.
func (c clock) Now() time.Time {
	var at time.Time
	if c.items < len(c.stored.Items) {
		at = c.stored.Items[c.items].At
	}
	if c.calls < len(c.stored.Calls) {
		if asked := c.stored.Calls[c.calls].At; at.IsZero() || asked.Before(at) {
			at = asked
		}
	}
	if at.IsZero() && len(c.stored.Items) > 0 {
		at = c.stored.Items[len(c.stored.Items)-1].At
	}
	return at.Add(time.Duration(c.calls))
}

// instant is a wall clock by which every wait is over at once and nothing ticks.
type instant struct{ clockwork.Clock }

// After implements clockwork.Clock.
func (c instant) After(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- c.Now()
	return over
}
