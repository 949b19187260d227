// Package alarm brings alerts to where the team is told beside the pages: a
// Telegram chat, a webhook. Nothing waits for it: alerts stand in rows, and each
// is brought again until the other side has taken it.
package alarm

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/errgroup"

	"vivra/app"
	"vivra/app/postgres"
)

// Store keeps what is on its way.
type Store interface {
	ClaimDeliveries(ctx context.Context, c postgres.Claim, now time.Time) ([]app.Delivery, error)
	DeliveriesSent(ctx context.Context, channel string, all []app.Delivery, now time.Time) error
	DeliveriesFailed(ctx context.Context, channel string, all []app.Delivery, why string, again, giveUp time.Time) error
}

// Channel is a place where alerts are brought.
type Channel interface {
	Name() string
	// Gather returns how many alerts one sending holds, and the least time
	// between two of them.
	Gather() (most int, pace time.Duration)
	// Send brings them. Its error is shown to the team: it holds no secret.
	Send(ctx context.Context, all []app.Delivery) error
}

// Alarm brings alerts from any number of processes at once.
type Alarm struct {
	Store    Store
	Channels []Channel
	// Clock is the product's time, Wall the time of leases and of pauses.
	Clock, Wall clockwork.Clock
	// Pulse is how often due alerts are looked for when nothing wakes; 0 is 5 s.
	Pulse time.Duration
	Log   *slog.Logger
	// Reached is told that something was sent and is not marked so yet; tests
	// end the process there.
	Reached func(point string)
}

const (
	// sending bounds one sending, lease is for how long others then keep off.
	sending = 30 * time.Second
	lease   = 2 * time.Minute
	// firstAgain doubles with every failure, to at most lastAgain.
	firstAgain = 30 * time.Second
	lastAgain  = 15 * time.Minute
	// patience is how long an alert is brought again before it is given up.
	patience = 24 * time.Hour
	// restAfterFault keeps a channel that has just failed from being asked at
	// once for the next alert.
	restAfterFault = 5 * time.Second
)

// Run brings what is due until ctx ends. changes wakes it, others' changes too.
func (a *Alarm) Run(ctx context.Context, changes func() (<-chan struct{}, func())) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range a.Channels {
		g.Go(func() error { a.keep(ctx, c, changes); return nil })
	}
	return g.Wait()
}

// keep serves one channel: one that hangs holds up no other.
func (a *Alarm) keep(ctx context.Context, c Channel, changes func() (<-chan struct{}, func())) {
	woken, leave := changes()
	defer leave()
	pulse := a.Pulse
	if pulse == 0 {
		pulse = 5 * time.Second
	}
	tick := a.Wall.NewTicker(pulse)
	defer tick.Stop()
	for {
		rest := a.drain(ctx, c)
		select {
		case <-ctx.Done():
			return
		case <-a.Wall.After(rest):
		}
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-tick.Chan():
		}
	}
}

// drain brings what is due, and returns how long the channel is to be left alone.
func (a *Alarm) drain(ctx context.Context, c Channel) (rest time.Duration) {
	for ctx.Err() == nil {
		n, err := a.Once(ctx, c)
		var fault *Fault
		switch {
		case errors.As(err, &fault):
			return max(restAfterFault, fault.Wait)
		case err != nil:
			a.Log.WarnContext(ctx, "alerts are not brought", "channel", c.Name(), "error", err)
			return restAfterFault
		case n == 0:
			return 0
		}
	}
	return 0
}

// Once takes one sending in hand and brings it. It returns how many alerts were
// taken; a *Fault says that the channel did not take them, which is booked.
func (a *Alarm) Once(ctx context.Context, c Channel) (int, error) {
	most, pace := c.Gather()
	wall := a.Wall.Now()
	taken, err := a.Store.ClaimDeliveries(ctx, postgres.Claim{Channel: c.Name(), Pace: pace, Most: most, Wall: wall, Lease: wall.Add(lease)}, a.Clock.Now().UTC())
	if err != nil || len(taken) == 0 {
		return 0, err
	}
	try, cancel := context.WithTimeout(ctx, sending)
	fault := c.Send(try, taken)
	cancel()
	if a.Reached != nil {
		a.Reached("alert_sent")
	}
	// What became of it must be stored even when the process is stopping.
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), sending)
	defer cancel()
	now := a.Clock.Now().UTC()
	if fault == nil {
		return len(taken), a.Store.DeliveriesSent(ctx, c.Name(), taken, now)
	}
	told := asFault(fault)
	if err := a.Store.DeliveriesFailed(ctx, c.Name(), taken, told.Why, now.Add(max(again(taken), told.Wait)), now.Add(-patience)); err != nil {
		return len(taken), err
	}
	return len(taken), told
}

// again is how long alerts wait that were not taken, by how often that was so.
func again(all []app.Delivery) time.Duration {
	wait := firstAgain
	for n := 1; n < all[0].Attempt && wait < lastAgain; n++ {
		wait *= 2
	}
	return min(wait, lastAgain)
}

// Fault is why a channel did not take alerts, in words for the team.
type Fault struct {
	Why string
	// Wait is how long the other side asks to be left alone.
	Wait time.Duration
}

func (f *Fault) Error() string { return f.Why }

func asFault(err error) *Fault {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return &Fault{Why: err.Error()}
}
