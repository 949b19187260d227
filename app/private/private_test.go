package private_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/private"
)

// folder is a test's own folder that the server's account can enter too;
// t.TempDir's parent is closed to it.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "private-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func start(t *testing.T, dir string) *private.Server {
	t.Helper()
	s, err := private.Start(t.Context(), private.Config{DataDir: dir, Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *private.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// query runs sql on the server and returns the one text it answers.
func query(t *testing.T, s *private.Server, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var text string
	if err := conn.QueryRow(t.Context(), sql).Scan(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDataOutlivesTheServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "with a space", "data")
	first := start(t, dir)
	execute(t, first, "create table notes as select 'kept'::text as line")
	stop(t, first)

	second := start(t, dir)
	if got := query(t, second, "select line from notes"); got != "kept" {
		t.Errorf("got %q", got)
	}
	if got := query(t, second, "show listen_addresses"); got != "" {
		t.Errorf("the server listens on %q", got)
	}
}

func execute(t *testing.T, s *private.Server, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func TestSecondApplicationIsRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	first := start(t, dir)
	_, err := private.Start(t.Context(), private.Config{DataDir: dir})
	if app.KindOf(err) != app.Conflict || !strings.Contains(err.Error(), "in use by another running process") {
		t.Errorf("got %v", err)
	}
	query(t, first, "select 'still here'")
}

func TestLongFolderHasShortSocket(t *testing.T) {
	t.Parallel()
	s := start(t, filepath.Join(folder(t), strings.Repeat("long", 30)))
	if got := query(t, s, "select 'ok'"); got != "ok" {
		t.Errorf("got %q", got)
	}
	socket := query(t, s, "show unix_socket_directories")
	stop(t, s)
	if _, err := os.Stat(strings.Trim(socket, `"`)); !os.IsNotExist(err) {
		t.Errorf("the short folder %s is left over: %v", socket, err)
	}
}

func TestHalfMadeClusterIsMadeAgain(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	half := filepath.Join(dir, "cluster.new")
	if err := os.Mkdir(half, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "PG_VERSION"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := query(t, start(t, dir), "select 'ok'"); got != "ok" {
		t.Errorf("got %q", got)
	}
}

func TestStopIsSaidTwice(t *testing.T) {
	t.Parallel()
	s := start(t, folder(t))
	stop(t, s)
	stop(t, s)
	select {
	case <-s.Done():
	default:
		t.Error("Done is open after Stop")
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	cluster := func(version string) func(string) error {
		return func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, "cluster"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "cluster", "PG_VERSION"), []byte(version), 0o644)
		}
	}
	tests := map[string]struct {
		prepare func(dir string) error
		bin     string
		want    string
	}{
		"no binaries where they were named": {bin: "/usr/share", want: "There is no PostgreSQL in /usr/share"},
		"cluster of another version":        {prepare: cluster("9\n"), want: "was made by PostgreSQL 9, but this machine has "},
		"data folder is a file":             {prepare: func(dir string) error { os.Remove(dir); return os.WriteFile(dir, nil, 0o600) }, want: "make data folder"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			if tc.prepare != nil {
				if err := tc.prepare(dir); err != nil {
					t.Fatal(err)
				}
			}
			_, err := private.Start(t.Context(), private.Config{DataDir: dir, BinDir: tc.bin})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want …%s…", err, tc.want)
			}
		})
	}
}

func TestClosedParentIsNamed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root drops to another account")
	}
	closed := filepath.Join(folder(t), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := private.Start(t.Context(), private.Config{DataDir: filepath.Join(closed, "data")})
	if app.KindOf(err) != app.Denied || !strings.Contains(err.Error(), "can't enter "+closed+" (mode 0700)") {
		t.Errorf("got %v", err)
	}
}
