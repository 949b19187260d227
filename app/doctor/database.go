package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/postgres"
	"vivra/app/private"
)

// ErrNotRunning says that the private database is not running now.
var ErrNotRunning = errors.New("the private database is not running")

// Database is the one database, opened once for every check that reads it.
type Database struct {
	wall    clockwork.Clock
	dsn     string // empty: the private one
	private private.Config

	opened chan struct{}
	store  *postgres.Store // set before opened is closed
	err    error
}

// NewDatabase returns the database at dsn, or the private one of a data folder.
// Nothing is opened yet.
func NewDatabase(wall clockwork.Clock, dsn string, own private.Config) *Database {
	return &Database{wall: wall, dsn: dsn, private: own, opened: make(chan struct{})}
}

// Store waits for the database and returns it.
func (d *Database) Store(ctx context.Context) (*postgres.Store, error) {
	select {
	case <-d.opened:
		return d.store, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Close gives its connections back.
func (d *Database) Close() {
	select {
	case <-d.opened:
		if d.store != nil {
			d.store.Close()
		}
	default: // it hangs, and ends with the program
	}
}

const database = "database"

// Check opens the database, for all, and looks at it.
func (d *Database) Check() Check {
	return one(database, func(ctx context.Context) Finding {
		within, cancel := half(ctx, d.wall)
		defer cancel()
		standing, err := d.open(within)
		close(d.opened)
		switch {
		case errors.Is(err, ErrNotRunning):
			return ok(database, "not running: vivra serve starts PostgreSQL from %s", standing.Bin)
		case err != nil && d.dsn == "" && standing.DSN == "":
			return broken(database, "", "%s.", sentence(err))
		case err != nil:
			what, remedy := postgres.Unreachable(d.dsn, err)
			return broken(database, "", "%s: %s.", capital(what), remedy)
		}
		return d.look(ctx)
	})
}

func (d *Database) open(ctx context.Context) (private.Standing, error) {
	dsn := d.dsn
	var standing private.Standing
	if dsn == "" {
		if standing, d.err = private.Look(ctx, d.private); d.err != nil {
			return standing, d.err
		}
		if dsn = standing.DSN; dsn == "" {
			d.err = ErrNotRunning
			return standing, d.err
		}
	}
	d.store, d.err = postgres.Open(ctx, dsn)
	return standing, d.err
}

func (d *Database) look(ctx context.Context) Finding {
	began := d.wall.Now()
	found, err := d.store.CheckUp(ctx)
	latency := d.wall.Since(began)
	if err != nil {
		return broken(database, "", "%s: see the database's own log.", capital(sentence(err)))
	}
	f := judge(found, found.Now.Sub(began.Add(latency/2)))
	f.Latency = latency.Milliseconds()
	return f
}

const (
	maxSkew  = 2 * time.Second
	fewSlots = 8 // connections
)

// judge says what is wrong with a database that answers.
func judge(c postgres.Checkup, skew time.Duration) Finding {
	free := c.Most - c.InUse
	seen := fmt.Sprintf("PostgreSQL %s, schema %s, %d of %d connections, %d MB", c.Server, short(c.Schema), c.InUse, c.Most, c.Bytes>>20)
	switch {
	case c.ReadOnly:
		return broken(database, seen, "It takes no writes: point DATABASE_URL at the primary server.")
	case c.Schema > c.Knows:
		return broken(database, seen, "It is at schema %s and this program knows those up to %s: run the newer program.", short(c.Schema), short(c.Knows))
	case skew.Abs() > maxSkew:
		return warning(database, seen, "Its clock is %s %s ours: let both machines keep their time.", span(skew.Abs().Truncate(time.Second)), direction(skew))
	case free < fewSlots:
		return warning(database, seen, "It has %d of its %d connections left: close others, or raise max_connections.", free, c.Most)
	case c.Schema == 0:
		return ok(database, "PostgreSQL %s, empty: vivra serve makes its tables", c.Server)
	case c.Schema < c.Knows:
		return warning(database, seen, "It is at schema %s and this program brings it to %s: start vivra serve, or run vivra migrate.", short(c.Schema), short(c.Knows))
	}
	return ok(database, "%s", seen)
}

func direction(skew time.Duration) string {
	if skew > 0 {
		return "ahead of"
	}
	return "behind"
}

// short is a migration's number within its day: 20261130000006 is 1130-6.
func short(version int64) string {
	text := fmt.Sprint(version)
	if len(text) != 14 {
		return text
	}
	return text[4:8] + "-" + strings.TrimLeft(text[8:], "0")
}
