package orchestrator_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/jobs"
)

const posterArg = "be-a-poster"

// poster is a whole application process as far as effects go: ticks, workers
// and the ear for what other processes change.
type poster struct {
	Place   place
	Product time.Time
	Workers int
}

// Live works until its input ends; each line there is an instant to turn the
// product's clock to.
func (p poster) Live(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	clock := clockwork.NewFakeClockAt(p.Product)
	b, err := p.Place.open(ctx, clock, clockwork.NewRealClock(), healthy(), nil)
	if err != nil {
		return err
	}
	defer b.close()
	b.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	workers, err := jobs.New(b.Store.RiverDriver(), p.Workers, b.Do, b.Log)
	if err != nil {
		return err
	}
	b.Enqueue, b.Store.Enqueue = workers.Enqueue, workers.EnqueueTx
	wake := make(chan struct{}, 1)
	look := func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- workers.Run(ctx) }()
	go func() { _ = b.Store.Listen(ctx, func(string) { look() }) }()
	go func() {
		defer stop()
		for told := bufio.NewScanner(in); told.Scan(); {
			if at, err := time.Parse(time.RFC3339Nano, told.Text()); err == nil {
				clock.Advance(at.Sub(clock.Now()))
				look()
			}
		}
	}()
	pulse := time.NewTicker(time.Second) // what nobody announces, as a job that was lost
	defer pulse.Stop()
	for {
		select {
		case <-ctx.Done():
			return <-ended
		case <-pulse.C:
			look()
		case <-wake:
			if err := b.Tick(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintln(os.Stderr, "tick:", err)
			}
		}
	}
}
