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
	"vivra/app/paths"
)

// Live is a world that runs at a visible speed.
type Live struct {
	Speed   float64
	Addr    string
	Seed    int64
	Script  *Script
	Started time.Time // J0 of the world; its clock starts there
	Log     *slog.Logger
	Say     func(string)
}

func (l Live) start() (*World, error) {
	if l.Speed <= 0 {
		return nil, errors.New("the speed must be more than nothing")
	}
	start := l.Started.UTC().Truncate(time.Minute)
	return Start(Options{Seed: l.Seed, Start: start, Clock: newScaled(start, l.Speed), ModelLatency: time.Duration(float64(700*time.Millisecond) * min(1, 1800/l.Speed))})
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
		if err := w.Advance(ctx); err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// Show runs the application on a local world until ctx ends. A person decides;
// the script may decide some things for them.
func Show(ctx context.Context, l Live) (err error) {
	w, err := l.start()
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
	ready := make(chan func(context.Context) error, 1)
	cfg.Ready = func(a *boot.App, invite string) {
		ready <- func(ctx context.Context) error { return l.play(ctx, w, a, base, invite) }
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

// play starts the takeover and works the queue as the script says.
func (l Live) play(ctx context.Context, w *World, a *boot.App, base, invite string) error {
	t := &team{person: newPerson(base), world: w, app: a, script: l.Script, left: map[string]bool{}}
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
	l.introduce(base, op.Slug, link)
	for ctx.Err() == nil {
		if _, err := t.decide(ctx); err != nil && ctx.Err() == nil {
			l.Log.WarnContext(ctx, "decide", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

func (l Live) introduce(base, slug, invite string) {
	l.Say("Vivra runs on its local world; nothing leaves this machine.")
	l.Say(fmt.Sprintf("  the public page   %s%s", base, paths.Operation(slug)))
	l.Say(fmt.Sprintf("  your admin link   %s%s (once, makes your account)", base, paths.Setup(invite)))
	l.Say(fmt.Sprintf("  the queue         %s%s: nothing is published before you approve it there", base, paths.Validations()))
	l.Say(fmt.Sprintf("  speed             %.0f simulated seconds a second; a day takes %s", l.Speed, time.Duration(86400/l.Speed*float64(time.Second)).Round(time.Second)))
	l.Say("  real services     copy .env.example, fill in what you have, then: go run ./cmd/vivra serve")
}

// ServeWorld runs a world alone, for an application in another process.
func ServeWorld(ctx context.Context, l Live, onlyEnv bool) (err error) {
	w, err := l.start()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	env, err := w.Env()
	if err != nil {
		return err
	}
	if !onlyEnv {
		l.Say("# The local world. Point vivra at it with these, then: go run ./cmd/vivra serve")
		l.Say("# The token: " + w.Chain.Token().Hex() + ", the account on X: " + XHandle + ", the Telegram group: " + ChatID())
	}
	for _, kv := range env {
		l.Say(kv[0] + "='" + kv[1] + "'")
	}
	return w.advance(ctx)
}
