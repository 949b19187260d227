package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/errgroup"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/paths"
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
	base := "http://" + listener.Addr().String()
	cfg := w.Config()
	cfg.Listener, cfg.PublicURL, cfg.BlobURL = listener, base, "mem://"
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

// play starts the takeover, lets the clock run and works the queue.
func (l Live) play(ctx context.Context, w *World, clock *scaled, a *boot.App, base, invite string) error {
	if invite == "" {
		return app.Errorf(app.Invalid, "The database has accounts already: show a takeover on an empty one.")
	}
	t := &team{person: newPerson(base), world: w, app: a, script: l.Script, left: map[string]bool{}, ripe: patient(clock.Clock, l.Patience)}
	if err := t.join(ctx, invite); err != nil {
		return err
	}
	if err := t.connect(ctx); err != nil {
		return err
	}
	op, err := t.begin(ctx, Plan{Cap: "60", Envelope: "500"})
	if err != nil {
		return err
	}
	link, err := a.Invite(ctx)
	if err != nil {
		return err
	}
	clock.release()
	l.introduce(base, op.Slug, link, a.Config.DatabaseURL)
	for ctx.Err() == nil {
		if err := errors.Join(t.applyApproved(ctx, op.ID), t.round(ctx)); err != nil && ctx.Err() == nil {
			l.Log.WarnContext(ctx, "the rehearsed team", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// patient tells whether an output has been waiting long enough.
func patient(wall clockwork.Clock, patience time.Duration) func(app.Validation) bool {
	seen := make(map[string]time.Time)
	return func(v app.Validation) bool {
		first, known := seen[v.ID]
		if !known {
			first = wall.Now()
			seen[v.ID] = first
		}
		return wall.Since(first) >= patience
	}
}

func (l Live) introduce(base, slug, invite, database string) {
	l.Say("Vivra runs on its local world; nothing leaves this machine.")
	l.Say(fmt.Sprintf("  the public page   %s%s", base, paths.Operation(slug)))
	l.Say(fmt.Sprintf("  your admin link   %s%s (once, makes your account)", base, paths.Setup(invite)))
	l.Say(fmt.Sprintf("  the queue         %s%s: nothing is published before it is approved there", base, paths.Validations()))
	l.Say("                    " + l.whoDecides())
	l.Say(fmt.Sprintf("  speed             %.0f simulated seconds a second; a day takes %s", l.Speed, time.Duration(86400/l.Speed*float64(time.Second)).Round(time.Second)))
	how := "DATABASE_URL='" + database + "'"
	if l.DatabaseURL != "" {
		how = "DATABASE_URL=…" // it may have a password in it
	}
	l.Say("  play runs again   " + how + " VIVRA_PUBLIC_URL=" + base + " go run ./cmd/vivra replay --all")
	l.Say("  real services     copy .env.example, fill in what you have, then: go run ./cmd/vivra serve")
}

func (l Live) whoDecides() string {
	if l.Script.leavesAll() {
		return "you decide each output; the takeover waits for you"
	}
	return fmt.Sprintf("each output waits %s for you, then a rehearsed colleague decides; --approve none leaves all to you", l.Patience)
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
