package testdb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app/postgres"
	"vivra/app/private"
)

// server is the one that all tests of this binary share: one of its own, or
// the one that TEST_DATABASE_URL (a postgres:// address) names.
type server struct {
	private  *private.Server // nil: named
	admin    *url.URL
	template string // a migrated database to which nobody is connected
	strategy string
}

// bounded is how long any of this may take on a busy machine.
const bounded = time.Minute

var (
	shared = sync.OnceValues(open)
	isOpen *server // set by shared
)

func open() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), bounded)
	defer cancel()
	s := &server{template: fmt.Sprintf("vivra_template_%d_%08x", os.Getpid(), rand.Uint32())}
	address := os.Getenv("TEST_DATABASE_URL")
	if address == "" {
		own, err := private.Start(ctx, private.Config{Fast: true})
		if err != nil {
			return nil, fmt.Errorf("start database for tests: %w", err)
		}
		s.private, address = own, own.DSN("postgres")
	}
	isOpen = s
	admin, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("TEST_DATABASE_URL is not a postgres:// address")
	}
	s.admin = admin
	return s, s.migrate(ctx)
}

func (s *server) migrate(ctx context.Context) error {
	if err := s.exec(ctx, "create database "+s.template); err != nil {
		return err
	}
	store, err := postgres.Open(ctx, s.on(s.template))
	if err != nil {
		return fmt.Errorf("open database for tests: %w", err)
	}
	defer store.Close()
	if err := store.Migrate(ctx); err != nil {
		return fmt.Errorf("migrate database for tests: %w", err)
	}
	return s.chooseStrategy(ctx)
}

// chooseStrategy picks the faster way to clone, which PostgreSQL 15 made a choice.
func (s *server) chooseStrategy(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return fmt.Errorf("connect to database for tests: %w", err)
	}
	defer conn.Close(ctx)
	var choice bool
	if err := conn.QueryRow(ctx, "select current_setting('server_version_num')::int >= 150000").Scan(&choice); err != nil {
		return fmt.Errorf("read version of database for tests: %w", err)
	}
	if choice {
		s.strategy = " strategy file_copy"
	}
	return nil
}

func (s *server) clone(ctx context.Context) (string, error) {
	name := fmt.Sprintf("vivra_test_%d_%08x", os.Getpid(), rand.Uint32())
	return name, s.exec(ctx, "create database "+name+" template "+s.template+s.strategy)
}

// drop ends whatever a test left connected.
func (s *server) drop(name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), bounded)
	defer cancel()
	return s.exec(ctx, "drop database if exists "+name+" with (force)")
}

func (s *server) on(database string) string {
	u := *s.admin
	u.Path = "/" + database
	return u.String()
}

func (s *server) exec(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, s.admin.String())
	if err != nil {
		return fmt.Errorf("connect to database for tests: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		return fmt.Errorf("%s: %w", sql, err)
	}
	return nil
}

func stopShared() error {
	switch {
	case isOpen == nil:
		return nil
	case isOpen.private == nil:
		return isOpen.drop(isOpen.template)
	}
	ctx, cancel := context.WithTimeout(context.Background(), bounded)
	defer cancel()
	return isOpen.private.Stop(ctx)
}
