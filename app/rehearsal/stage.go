package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"vivra/app/boot"
	"vivra/app/browser"
	"vivra/app/postgres"
)

// perform brings the application up, plays in it and takes it down.
func (r *rehearsal) perform(ctx context.Context, play func(ctx context.Context, invite string) error) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	r.base = "http://" + l.Addr().String()
	cfg := r.world.Config()
	cfg.Listener, cfg.PublicURL, cfg.DatabaseURL, cfg.Lease, cfg.BlobURL = l, r.base, r.DatabaseURL, r.Lease, "mem://"
	if r.DataDir != "" {
		cfg.BlobURL = "file://" + r.DataDir
	}
	cfg.Browser = metered{browser.New(browser.Config{}), &r.world.meter}
	if r.Prepare != nil {
		r.Prepare(&cfg)
	}
	if r.Elsewhere != nil {
		return r.elsewhere(ctx, cfg, play)
	}
	return r.here(ctx, cfg, play)
}

// here runs the application in this process.
func (r *rehearsal) here(ctx context.Context, cfg boot.Config, play func(context.Context, string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ready, stopped := make(chan string, 1), make(chan error, 1)
	cfg.Ready = func(a *boot.App, invite string) { r.app = a; ready <- invite }
	go func() { stopped <- boot.Serve(ctx, cfg, r.Log) }()
	select {
	case err := <-stopped:
		return errors.Join(err, errors.New("the application stopped before it was ready"))
	case invite := <-ready:
		err := play(ctx, invite)
		cancel()
		return errors.Join(err, <-stopped)
	}
}

// elsewhere has other processes run the application. This one keeps a view of
// its database, and works nothing.
func (r *rehearsal) elsewhere(ctx context.Context, cfg boot.Config, play func(context.Context, string) error) error {
	store, err := postgres.Open(ctx, r.DatabaseURL)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	if r.app, err = boot.Build(ctx, cfg, store, r.Log); err != nil {
		return err
	}
	defer r.app.Close()
	working, cancel := context.WithCancel(ctx)
	site, wait, err := r.Elsewhere(working, Place{World: r.world.URL(), DatabaseURL: r.DatabaseURL, Blobs: r.DataDir, PublicURL: r.base})
	defer func() { cancel(); wait() }()
	if err != nil {
		return err
	}
	if site == nil {
		site = r.app.Web.Handler()
	}
	invite, err := r.app.FirstInvite(ctx)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	g := new(errgroup.Group)
	g.Go(func() error { return server.Serve(cfg.Listener) })
	err = play(ctx, invite)
	if ended := errors.Join(server.Close(), g.Wait()); !errors.Is(ended, http.ErrServerClosed) {
		return errors.Join(err, ended)
	}
	return err
}
