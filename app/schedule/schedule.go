// Package schedule wakes the application: a table of ticks on gocron, and a
// coalesced wake-up when something has changed.
package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-co-op/gocron/v2"
	"github.com/jonboulle/clockwork"
)

// Tick is one recurring duty. It may be missed, and may run in every process.
type Tick struct {
	Name    string
	Every   time.Duration
	Timeout time.Duration
	Do      func(ctx context.Context) error
	// Wake, when set, runs the tick at once: several wake-ups count as one.
	Wake <-chan struct{}
}

// Run ticks until ctx ends, then waits for what is under way.
func Run(ctx context.Context, clock clockwork.Clock, log *slog.Logger, ticks []Tick) error {
	s, err := gocron.NewScheduler(gocron.WithClock(clock), gocron.WithLocation(time.UTC), gocron.WithStopTimeout(30*time.Second))
	if err != nil {
		return fmt.Errorf("make scheduler: %w", err)
	}
	var woken sync.WaitGroup
	for _, t := range ticks {
		one := new(sync.Mutex) // a tick never runs beside itself
		task := func(ctx context.Context) {
			one.Lock() // what a run under way has looked at may have been too early
			defer one.Unlock()
			once(ctx, log, t)
		}
		_, err := s.NewJob(gocron.DurationJob(t.Every), gocron.NewTask(task), gocron.WithName(t.Name),
			gocron.WithSingletonMode(gocron.LimitModeReschedule), gocron.WithContext(ctx), gocron.WithStartAt(gocron.WithStartImmediately()))
		if err != nil {
			return fmt.Errorf("schedule %s: %w", t.Name, err)
		}
		if t.Wake != nil {
			woken.Go(func() {
				wake(ctx, t.Wake, func() {
					one.Lock()
					defer one.Unlock()
					once(ctx, log, t)
				})
			})
		}
	}
	s.Start()
	<-ctx.Done()
	err = s.Shutdown()
	woken.Wait()
	if err != nil {
		return fmt.Errorf("stop scheduler: %w", err)
	}
	return nil
}

// wake runs do after each change: one that comes while do runs makes it run
// again, so none is missed.
func wake(ctx context.Context, changes <-chan struct{}, do func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changes:
			do()
		}
	}
}

// once runs a tick: bounded, its panic caught, its error logged, since nobody
// else would hear of either.
func once(ctx context.Context, log *slog.Logger, t Tick) {
	ctx, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			log.ErrorContext(ctx, "tick panicked", "tick", t.Name, "panic", p)
		}
	}()
	if err := t.Do(ctx); err != nil && ctx.Err() == nil {
		log.ErrorContext(ctx, "tick failed", "tick", t.Name, "error", err)
	}
}
