package rehearsal

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/sync/errgroup"

	"vivra/app/boot"
)

// Member is one more application process on a rehearsal's database and world.
type Member struct {
	Place   // an empty PublicURL is this process's own
	Addr    string
	Lease   time.Duration
	Reached func(string)
	// Telemetry is who hears of its runs.
	Telemetry boot.Telemetry
	Log       *slog.Logger
	Say       func(string)
}

// Join runs the application until ctx ends, on the world's clock.
func Join(ctx context.Context, m Member) error {
	cfg, err := fetchConfig(ctx, m.World)
	if err != nil {
		return err
	}
	now, err := askClock(ctx, http.DefaultClient, m.World)
	if err != nil {
		return err
	}
	clock := clockwork.NewFakeClockAt(now)
	l, err := net.Listen("tcp", m.Addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	own := "http://" + l.Addr().String()
	cfg.Clock, cfg.Listener, cfg.PublicURL = clock, l, cmp.Or(m.PublicURL, own)
	cfg.DatabaseURL, cfg.BlobURL, cfg.Lease, cfg.Reached = m.DatabaseURL, "file://"+m.Blobs, m.Lease, m.Reached
	cfg.Telemetry = m.Telemetry
	var member atomic.Pointer[boot.App]
	cfg.Ready = func(a *boot.App, _ string) { member.Store(a); m.Say("ready " + own) }
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return follow(ctx, m.World, clock, func() {
			if a := member.Load(); a != nil {
				a.Wake()
			}
		})
	})
	g.Go(func() error { return boot.Serve(ctx, cfg, m.Log) })
	return g.Wait()
}

// memberConfig is what a process needs to know of a world.
type memberConfig struct {
	Services boot.Services `json:"services"`
	Chain    string        `json:"chain"`
}

func (w *World) serveConfig(rw http.ResponseWriter, _ *http.Request) {
	cfg := w.Config()
	chain, err := cfg.Chain.Encode()
	if err != nil {
		http.Error(rw, err.Error(), http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(memberConfig{cfg.Services, chain}) // the reader notices
}

func fetchConfig(ctx context.Context, world string) (cfg boot.Config, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, world+"/config", nil)
	if err != nil {
		return cfg, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return cfg, fmt.Errorf("ask the local world: %w", err)
	}
	defer res.Body.Close()
	var told memberConfig
	if err := json.NewDecoder(res.Body).Decode(&told); err != nil {
		return cfg, fmt.Errorf("ask the local world: %w", err)
	}
	cfg = boot.Config{SecretKey: localKey(), Services: told.Services}
	cfg.Chain, err = boot.ParseChain(told.Chain)
	return cfg, err
}

func localKey() []byte { return bytes.Repeat([]byte("local"), 7)[:32] }
