package rehearsal

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
)

// scaled is a clock that runs faster than the wall: now = start + (wall −
// began) × speed. It stands at start until it is released. What waits on it
// waits on the wall, scaled.
type scaled struct {
	clockwork.Clock // the wall
	start           time.Time
	speed           float64
	began           atomic.Pointer[time.Time]
}

// newScaled returns a clock that stands at start and will run speed times as fast.
func newScaled(start time.Time, speed float64) *scaled {
	return &scaled{Clock: clockwork.NewRealClock(), start: start, speed: speed}
}

// release lets the clock run.
func (c *scaled) release() {
	now := c.Clock.Now()
	c.began.Store(&now)
}

// shortest keeps a fast clock from waking its waiters in a busy loop.
const shortest = 50 * time.Millisecond

func (c *scaled) wall(d time.Duration) time.Duration {
	return max(time.Duration(float64(d)/c.speed), shortest)
}

func (c *scaled) Now() time.Time {
	began := c.began.Load()
	if began == nil {
		return c.start
	}
	return c.start.Add(time.Duration(float64(c.Clock.Since(*began)) * c.speed))
}
func (c *scaled) Since(t time.Time) time.Duration        { return c.Now().Sub(t) }
func (c *scaled) Until(t time.Time) time.Duration        { return t.Sub(c.Now()) }
func (c *scaled) After(d time.Duration) <-chan time.Time { return c.Clock.After(c.wall(d)) }
func (c *scaled) Sleep(d time.Duration)                  { c.Clock.Sleep(c.wall(d)) }
func (c *scaled) NewTimer(d time.Duration) clockwork.Timer {
	return &scaledTimer{c.Clock.NewTimer(c.wall(d)), c}
}
func (c *scaled) NewTicker(d time.Duration) clockwork.Ticker { return c.Clock.NewTicker(c.wall(d)) }
func (c *scaled) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	return &scaledTimer{c.Clock.AfterFunc(c.wall(d), f), c}
}

type scaledTimer struct {
	clockwork.Timer
	clock *scaled
}

func (t *scaledTimer) Reset(d time.Duration) bool { return t.Timer.Reset(t.clock.wall(d)) }

// follow keeps clock at the time that another process's world tells, and calls turned after each change.
func follow(ctx context.Context, url string, clock *clockwork.FakeClock, turned func()) error {
	client := &http.Client{Timeout: 5 * time.Second}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := askClock(ctx, client, url)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if ahead := now.Sub(clock.Now()); ahead > 0 {
			clock.Advance(ahead)
			turned()
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func askClock(ctx context.Context, client *http.Client, url string) (time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/clock", nil)
	if err != nil {
		return time.Time{}, err
	}
	res, err := client.Do(req)
	if err != nil {
		return time.Time{}, fmt.Errorf("ask the local world for its time: %w", err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(io.LimitReader(res.Body, 100))
	if err != nil {
		return time.Time{}, fmt.Errorf("ask the local world for its time: %w", err)
	}
	return time.Parse(time.RFC3339Nano, string(b))
}
