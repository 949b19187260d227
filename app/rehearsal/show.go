package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"vivra/app/boot"
)

// Live is a world that runs at a visible speed.
type Live struct {
	Speed  float64
	Addr   string
	Seed   int64
	Script *Script
	// Patience is how long (wall clock) an output waits for you before the
	// script's team decides.
	Patience time.Duration
	Started  time.Time // J0 of the world; its clock starts there
	// Poison and Obey make the world hostile, and the model its servant.
	Poison, Obey bool
	// DatabaseURL names an empty database; none: a private server that is gone
	// afterwards.
	DatabaseURL string
	// Telemetry is who hears of the runs.
	Telemetry boot.Telemetry
	Log       *slog.Logger
	Say       func(string)
}

// start brings the world up with its clock still standing.
func (l Live) start() (*World, *scaled, error) {
	if l.Speed <= 0 {
		return nil, nil, errors.New("the speed must be more than nothing")
	}
	if l.Patience < 0 {
		return nil, nil, errors.New("the patience can't be less than nothing")
	}
	start := l.Started.UTC().Truncate(time.Minute)
	clock := newScaled(start, l.Speed)
	// Long enough to see a run think, and shorter where the clock runs fast.
	latency := time.Duration(float64(1500*time.Millisecond) * min(1, 600/l.Speed))
	w, err := Start(Options{Seed: l.Seed, Start: start, Clock: clock, Poison: l.Poison, Obey: l.Obey, ModelLatency: latency})
	return w, clock, err
}

// advance lets the world act, a few times a second.
func (w *World) advance(ctx context.Context) error {
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := w.Advance(ctx, w.clock.Now().UTC()); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// Show runs the application on a local world until ctx ends. A person decides;
// the script may decide some things for them.
func Show(ctx context.Context, l Live) (err error) {
	w, clock, err := l.start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	listener, err := net.Listen("tcp", l.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	base := "http://" + called(l.Addr, listener.Addr())
	cfg := w.Config()
	cfg.Listener, cfg.PublicURL, cfg.BlobURL = listener, base, "mem://"
	cfg.Pace = l.Speed
	cfg.Telemetry, cfg.DatabaseURL = l.Telemetry, l.DatabaseURL
	ready := make(chan func(context.Context) error, 1)
	cfg.Ready = func(a *boot.App, invite string) {
		ready <- func(ctx context.Context) error { return l.play(ctx, w, clock, a, base, invite) }
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return boot.Serve(ctx, cfg, l.Log) })
	g.Go(func() error { return w.advance(ctx) })
	g.Go(func() error {
		select {
		case <-ctx.Done():
			return nil
		case play := <-ready:
			return play(ctx)
		}
	})
	return g.Wait()
}

// ServeWorld runs a world alone, for an application in another process.
func ServeWorld(ctx context.Context, l Live, onlyEnv bool) (err error) {
	w, clock, err := l.start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	clock.release()
	env, err := w.Env()
	if err != nil {
		return err
	}
	if !onlyEnv {
		l.Say("# The local world. Point vivra at it with these, then: go run ./cmd/vivra serve")
		l.Say("# An application on its clock, too: go run ./cmd/rehearse join --world " + w.URL())
		l.Say("# The token: " + w.Chain.Token().Hex() + ", the account on X: " + XHandle + ", the Telegram group: " + ChatID())
	}
	for _, kv := range env {
		l.Say(kv[0] + "='" + kv[1] + "'")
	}
	return w.advance(ctx)
}
