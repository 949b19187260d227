// Package postgres keeps the application's data. It is the only package that
// knows SQL, and it returns the types of package app.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"vivra/app"
	"vivra/app/postgres/dbsqlc"
	"vivra/migrations"
)

// Store is the database.
type Store struct {
	pool *pgxpool.Pool
	q    *dbsqlc.Queries

	// Enqueue hands a job to the workers in the transaction that made it
	// necessary. Nil until workers exist: the tick carries rows out without it.
	Enqueue func(ctx context.Context, tx pgx.Tx, job app.Job) error
	// AlertChannels are where each alert is brought, beside the pages.
	AlertChannels []string
	// Logged is told each line of a public log that this process has committed,
	// approvals and what follows from them apart.
	Logged func(app.EventLine)
	// Reached is told each labelled point; tests kill the process there.
	Reached func(point string)
}

func (s *Store) reached(point string) {
	if s.Reached != nil {
		s.Reached(point)
	}
}

// Open connects to the database at dsn. It does not retry: boot does.
func Open(ctx context.Context, dsn string) (*Store, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, app.Errorf(app.Invalid, "DATABASE_URL is not a valid connection string.")
	}
	cfg.MaxConns = max(cfg.MaxConns, 16)
	cfg.ConnConfig.RuntimeParams["timezone"] = "UTC"
	cfg.ConnConfig.RuntimeParams["application_name"] = "vivra"
	// A process that hangs in a transaction must not stop the others.
	cfg.ConnConfig.RuntimeParams["lock_timeout"] = "10s"
	cfg.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "60s"
	cfg.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		conn.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("reach database: %w", err)
	}
	return &Store{pool: pool, q: dbsqlc.New()}, nil
}

// Close gives every connection back.
func (s *Store) Close() { s.pool.Close() }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

// RiverDriver lets the job library share our connections and transactions.
func (s *Store) RiverDriver() *riverpgxv5.Driver { return riverpgxv5.New(s.pool) }

// Migrate brings the schema up to date, one process at a time. A schema newer
// than this binary is refused: it would be written to by rules it has outgrown.
func (s *Store) Migrate(ctx context.Context) error {
	db := stdlib.OpenDBFromPool(s.pool)
	defer db.Close()
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, migrations.FS, goose.WithSessionLocker(locker), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	have, err := p.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	sources := p.ListSources()
	if newest := sources[len(sources)-1].Version; have > newest {
		return app.Errorf(app.Conflict, "The database is at schema %d and this program knows schemas up to %d. Run the newer program.", have, newest)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.migrateRiver(ctx)
}

func (s *Store) migrateRiver(ctx context.Context) error {
	m, err := rivermigrate.New(s.RiverDriver(), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("prepare job tables: %w", err)
	}
	// River's migrator takes no lock of its own, and its versions need a
	// transaction each: a new enum value can't be used in the one that adds it.
	return s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		const lock = 7_305_002
		if _, err := conn.Exec(ctx, "set lock_timeout = 0"); err != nil { // another process may take its time
			return fmt.Errorf("prepare job tables: %w", err)
		}
		defer conn.Exec(context.WithoutCancel(ctx), "reset lock_timeout")
		if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", lock); err != nil {
			return fmt.Errorf("lock job tables: %w", err)
		}
		defer conn.Exec(context.WithoutCancel(ctx), "select pg_advisory_unlock($1)", lock)
		if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
			return fmt.Errorf("migrate job tables: %w", err)
		}
		return nil
	})
}

// tx runs fn in one transaction, committed when fn returns nil.
func (s *Store) tx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, fn)
}

// deadlocks is how often a transaction that was chosen to end a deadlock is run again.
const deadlocks = 5

// again is tx for what does nothing but write rows: the database may have had
// to end it so that others could go on.
func (s *Store) again(ctx context.Context, fn func(pgx.Tx) error) (err error) {
	for range deadlocks {
		if err = s.tx(ctx, fn); sqlState(err) != "40P01" {
			return err
		}
	}
	return err
}

// sqlState is what PostgreSQL calls an error, empty for any other.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}

// notFound turns the absence of a row, or a name that can't be one, into an
// error fit for people.
func notFound(err error, what string) error {
	if code := sqlState(err); noRows(err) || code == "22P02" || code == "22021" {
		return app.Errorf(app.NotFound, "There is no such %s.", what)
	}
	return err
}

// noRows tells whether err only says that nothing matched.
func noRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// plain is text that a column can hold: what others said may be anything.
func plain(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// instant turns the epoch, which queries give for "never", into nil.
func instant(t time.Time) *time.Time {
	if t.Unix() == 0 {
		return nil
	}
	t = t.UTC()
	return &t
}
