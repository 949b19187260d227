package boot

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"vivra/app"
	"vivra/app/postgres"
	"vivra/app/private"
)

// Serve runs the application until ctx is done, then stops everything it started.
func Serve(ctx context.Context, cfg Config, log *slog.Logger) error {
	cfg = cfg.withDefaults()
	// Faults of the program's own files are found before anything is started.
	if _, err := parseCalendar(); err != nil {
		return err
	}
	front := newFront(log)
	g, within := errgroup.WithContext(ctx)
	g.Go(func() error { return serve(within, cfg.Listener, cfg.Addr, front) })
	g.Go(func() error { return behind(within, cfg, front, log) })
	if err := g.Wait(); ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	return nil // told to stop while it was still starting
}

// behind brings up the database and the application behind the front, and
// takes them down again.
func behind(ctx context.Context, cfg Config, front *front, log *slog.Logger) error {
	db, err := database(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer db.stop()
	ctx, release := db.watched(ctx)
	defer release()
	store, err := open(ctx, db.dsn, log)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return err
	}
	cfg.DatabaseURL = db.dsn
	a, err := Build(ctx, cfg, store, log)
	if err != nil {
		return err
	}
	defer a.Close()
	invite, err := a.FirstInvite(ctx)
	if err != nil {
		return err
	}
	front.open(a.Web.Handler())
	log.InfoContext(ctx, "serving", "url", cfg.PublicURL)
	if cfg.Ready != nil {
		cfg.Ready(a, invite)
	}
	if err = a.Run(ctx); err != nil && ctx.Err() == nil && db.gone != nil {
		select { // what failed first may have been a call to it
		case <-db.gone:
			return errDatabaseGone
		case <-cfg.Wall.After(time.Second):
		}
	}
	if cause := context.Cause(ctx); errors.Is(cause, errDatabaseGone) {
		return cause
	}
	return err
}

// errDatabaseGone ends the program: its own database server has died, and
// whoever supervises the program starts both again.
var errDatabaseGone = app.Errorf(app.Unavailable, "The private database server has stopped by itself; its log is in the data folder. Start Vivra again: nothing that was stored is lost.")

// databaseServer is where the database is, and what ends it when it is ours.
type databaseServer struct {
	dsn  string
	stop func()
	gone <-chan struct{} // closed when a server of ours has ended; nil for one that was named
}

// watched returns a context that ends when our own server dies.
func (d databaseServer) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-d.gone:
			cancel(errDatabaseGone)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// database returns the database that was named, or starts a private server.
func database(ctx context.Context, cfg Config, log *slog.Logger) (databaseServer, error) {
	if cfg.DatabaseURL != "" {
		return databaseServer{dsn: cfg.DatabaseURL, stop: func() {}}, nil
	}
	dir := ""
	if cfg.DataDir != "" {
		dir = filepath.Join(cfg.DataDir, "postgres")
	}
	server, err := private.Start(ctx, private.Config{DataDir: dir, BinDir: cfg.PostgresBinDir, Fast: cfg.DataDir == ""})
	if err != nil {
		return databaseServer{}, err
	}
	return databaseServer{dsn: server.DSN("postgres"), gone: server.Done(), stop: func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			log.ErrorContext(ctx, "stop database", "error", err)
		}
	}}, nil
}

// reach returns the database that was named, the private one that a running
// program has started, which is then served, or one that is started for this.
func reach(ctx context.Context, cfg Config, log *slog.Logger) (db databaseServer, served bool, err error) {
	if cfg.DatabaseURL == "" && cfg.DataDir != "" {
		standing, err := private.Look(ctx, private.Config{DataDir: filepath.Join(cfg.DataDir, "postgres"), BinDir: cfg.PostgresBinDir})
		if err == nil && standing.DSN != "" {
			return databaseServer{dsn: standing.DSN, stop: func() {}}, true, nil
		}
	}
	db, err = database(ctx, cfg, log)
	return db, false, err
}

// reachExisting is reach for those who only read: no database is made for them.
func reachExisting(ctx context.Context, cfg Config, log *slog.Logger) (databaseServer, error) {
	if cfg.DatabaseURL == "" {
		dir := filepath.Join(cfg.DataDir, "postgres")
		if standing, _ := private.Look(ctx, private.Config{DataDir: dir, BinDir: cfg.PostgresBinDir}); standing.Version == "" { // its fault comes up when it is started
			return databaseServer{}, app.Errorf(app.Invalid, "There is no DATABASE_URL, and no database in %s: set DATABASE_URL, or VIVRA_DATA_DIR, as the program that serves has it.", dir)
		}
	}
	db, _, err := reach(ctx, cfg, log)
	return db, err
}

// onDatabase runs do on a database that was reached, through dsn, and leaves it.
func onDatabase(ctx context.Context, db databaseServer, dsn string, do func(store *postgres.Store) error) error {
	defer db.stop()
	store, err := postgres.Open(ctx, dsn)
	if err != nil {
		return err
	}
	defer store.Close()
	err = do(store)
	if err != nil && strings.Contains(err.Error(), "(SQLSTATE 42") { // a table or column that is not there
		return app.Errorf(app.Invalid, "The database is not at this program's schema: run vivra migrate first. (%v)", err)
	}
	return err
}

// open waits for the database, saying so, until it answers or ctx ends.
func open(ctx context.Context, dsn string, log *slog.Logger) (*postgres.Store, error) {
	wait := time.Second
	for {
		store, err := postgres.Open(ctx, dsn)
		if err == nil {
			return store, nil
		}
		if app.KindOf(err) == app.Invalid {
			return nil, err
		}
		log.WarnContext(ctx, "the database does not answer, trying again", "in", wait, "error", err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		wait = min(2*wait, 15*time.Second)
	}
}

// Migrate brings the schema up to date and ends.
func Migrate(ctx context.Context, cfg Config, log *slog.Logger) error {
	cfg = cfg.withDefaults()
	db, err := database(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer db.stop()
	store, err := postgres.Open(ctx, db.dsn)
	if err != nil {
		return err
	}
	defer store.Close()
	return store.Migrate(ctx)
}
