package boot

import (
	"context"
	"time"
)

// alarm wakes the orchestrator when a decision can no longer be undone, by the
// product's clock: what follows from it waits for no minute to pass.
func (a *App) alarm(ctx context.Context) error {
	var looked time.Time // what was due by then was seen to
	for ctx.Err() == nil {
		now := a.Config.Clock.Now()
		at, err := a.Store.NextDecision(ctx, looked)
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "nobody knows when the next decision applies", "error", err)
		}
		if at != nil && !at.After(now) {
			looked = now
			a.Wake()
			continue
		}
		a.sleep(ctx, at)
	}
	return nil
}

// sleep returns when the clock has come to at, when something may have changed,
// or when ctx ends.
func (a *App) sleep(ctx context.Context, at *time.Time) {
	var rings <-chan time.Time // never, when nothing is ahead
	if at != nil {
		timer := a.Config.Clock.NewTimer(at.Sub(a.Config.Clock.Now()))
		defer timer.Stop()
		if !a.Config.Clock.Now().Before(*at) {
			return // it was turned before the timer was set
		}
		rings = timer.Chan()
	}
	select {
	case <-ctx.Done():
	case <-a.woken:
	case <-rings:
	}
}
