package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"vivra/app"
	"vivra/migrations"
)

// Checkup is what a database says of itself.
type Checkup struct {
	Server        string // version of PostgreSQL
	Schema, Knows int64  // where the schema is, and where this program would bring it
	Now           time.Time
	InUse, Most   int // connections, of which ours is one
	Bytes         int64
	ReadOnly      bool
}

// CheckUp asks the database about itself. It writes nothing.
func (s *Store) CheckUp(ctx context.Context) (Checkup, error) {
	var c Checkup
	var migrated bool
	err := s.pool.QueryRow(ctx, `select current_setting('server_version'), clock_timestamp(), pg_is_in_recovery() or current_setting('transaction_read_only') = 'on',
		(select count(*) from pg_stat_activity where backend_type = 'client backend'),
		current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
		pg_database_size(current_database()), to_regclass('goose_db_version') is not null`).
		Scan(&c.Server, &c.Now, &c.ReadOnly, &c.InUse, &c.Most, &c.Bytes, &migrated)
	if err != nil {
		return c, fmt.Errorf("ask the database about itself: %w", err)
	}
	c.Server, _, _ = strings.Cut(c.Server, " ") // then come the builder's words
	if c.Knows, err = newestMigration(); err != nil || !migrated {
		return c, err
	}
	if err := s.pool.QueryRow(ctx, "select coalesce(max(version_id) filter (where is_applied), 0) from goose_db_version").Scan(&c.Schema); err != nil {
		return c, fmt.Errorf("read schema version: %w", err)
	}
	return c, nil
}

func newestMigration() (newest int64, err error) {
	files, err := fs.Glob(migrations.FS, "*.sql")
	for _, file := range files {
		text, _, _ := strings.Cut(file, "_")
		version, bad := strconv.ParseInt(text, 10, 64)
		if bad != nil {
			return 0, fmt.Errorf("migration %s has no number", file)
		}
		newest = max(newest, version)
	}
	return newest, err
}

// Unreachable says why Open failed at dsn, and what to do, as two halves of a
// sentence.
func Unreachable(dsn string, err error) (what, remedy string) {
	at := serverOf(dsn)
	var refused *pgconn.PgError
	var dns *net.DNSError
	switch {
	case app.KindOf(err) == app.Invalid:
		return "DATABASE_URL is not a valid connection string", "write it like postgres://user:password@host:5432/vivra"
	case errors.As(err, &refused):
		return refusal(refused, at)
	case errors.As(err, &dns):
		return "there is no host for the database " + at, "check DATABASE_URL"
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ENOENT):
		return "no database answers at " + at, "start PostgreSQL, or check DATABASE_URL"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "the database at " + at + " gave no answer in time", "check DATABASE_URL and what is between here and there"
	}
	return "the database at " + at + " can't be reached: " + innermost(err), "check DATABASE_URL"
}

func refusal(e *pgconn.PgError, at string) (what, remedy string) {
	switch e.Code {
	case "28P01", "28000":
		return "the database at " + at + " does not let us in", "check user and password in DATABASE_URL"
	case "3D000":
		return "the server at " + at + " has no such database", "make it with createdb, or check the name in DATABASE_URL"
	case "53300":
		return "the database at " + at + " has no free connection", "close some, or raise its max_connections"
	case "57P03":
		return "the database at " + at + " is starting or stopping", "try again in a moment"
	}
	return "the database at " + at + " refuses us: " + e.Message, "check DATABASE_URL"
}

// serverOf names where a database is without what opens it.
func serverOf(dsn string) string {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return "its address"
	}
	if c := cfg.ConnConfig; !strings.HasPrefix(c.Host, "/") {
		return net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	}
	return cfg.ConnConfig.Host
}

func innermost(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
