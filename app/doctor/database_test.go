package doctor

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/desk"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
	"vivra/app/private"
	"vivra/app/seal"
)

func TestMain(m *testing.M) { testdb.Main(m) }

func TestDatabase(t *testing.T) {
	t.Parallel()
	dsn := testdb.URL(t)
	other, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	other.Path = "/nobody_made_it"
	for name, tc := range map[string]struct {
		dsn   string
		state State
		says  string
	}{
		"well":          {dsn, OK, "PostgreSQL "},
		"not made":      {other.String(), Broken, "has no such database: make it with createdb"},
		"nobody there":  {"postgres://vivra:canary@" + hostOf(nobody(t)) + "/vivra?sslmode=disable", Broken, "No database answers at 127.0.0.1:"},
		"no such host":  {"postgres://vivra:canary@doctor.invalid/vivra", Broken, "There is no host for the database doctor.invalid:5432: check DATABASE_URL."},
		"no address":    {"postgres://%zz:canary", Broken, "DATABASE_URL is not a valid connection string"},
		"is silent":     {"postgres://vivra:canary@" + hostOf(answers(t, 200, "text/html", "<html>")) + "/vivra?sslmode=disable", Broken, "gave no answer in time"},
		"none of ours":  {"", OK, "not running: vivra serve starts PostgreSQL from "},
		"no PostgreSQL": {"", Broken, "There is no PostgreSQL in "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := private.Config{DataDir: filepath.Join(enterable(t), "postgres")}
			if name == "no PostgreSQL" {
				own.BinDir = t.TempDir()
			}
			d := NewDatabase(clockwork.NewRealClock(), tc.dsn, own)
			defer d.Close()
			ctx := t.Context()
			if name == "is silent" {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			f := d.Check().Look(ctx)[0]
			if f.State != tc.state || !strings.Contains(f.Seen+f.Advice, tc.says) || strings.Contains(f.Advice, "canary") {
				t.Errorf("got %+v, want %s with %q", f, tc.state, tc.says)
			}
			if _, err := d.Store(t.Context()); (err == nil) != (name == "well") {
				t.Errorf("others get %v", err)
			}
		})
	}
}

// TestPrivateDatabaseIsSeenWhileItRuns, and is let be.
func TestPrivateDatabaseIsSeenWhileItRuns(t *testing.T) {
	t.Parallel()
	cfg := private.Config{Fast: true, DataDir: filepath.Join(enterable(t), "postgres")}
	server, err := private.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop(t.Context())
	d := NewDatabase(clockwork.NewRealClock(), "", cfg)
	defer d.Close()
	if f := d.Check().Look(t.Context())[0]; f.State != OK || !strings.Contains(f.Seen, "empty: vivra serve makes its tables") {
		t.Errorf("got %+v", f)
	}
	select {
	case <-server.Done():
		t.Error("the server ended")
	default:
	}
}

func TestJudgement(t *testing.T) {
	t.Parallel()
	well := postgres.Checkup{Server: "15.18", Schema: 20261130000006, Knows: 20261130000006, InUse: 3, Most: 197, Bytes: 9 << 20}
	for name, tc := range map[string]struct {
		change func(*postgres.Checkup)
		skew   time.Duration
		state  State
		says   string
	}{
		"well":         {func(*postgres.Checkup) {}, time.Millisecond, OK, "PostgreSQL 15.18, schema 1130-6, 3 of 197 connections, 9 MB"},
		"old schema":   {func(c *postgres.Checkup) { c.Schema = 20261130000004 }, 0, Warning, "It is at schema 1130-4 and this program brings it to 1130-6: start vivra serve, or run vivra migrate."},
		"new schema":   {func(c *postgres.Checkup) { c.Schema = 20270101000012 }, 0, Broken, "It is at schema 0101-12 and this program knows those up to 1130-6: run the newer program."},
		"standby":      {func(c *postgres.Checkup) { c.ReadOnly = true }, 0, Broken, "It takes no writes: point DATABASE_URL at the primary server."},
		"clock ahead":  {func(*postgres.Checkup) {}, 90 * time.Second, Warning, "Its clock is 90 s ahead of ours"},
		"clock behind": {func(*postgres.Checkup) {}, -3 * time.Hour, Warning, "Its clock is 3 h behind ours"},
		"full":         {func(c *postgres.Checkup) { c.InUse = 195 }, 0, Warning, "It has 2 of its 197 connections left"},
	} {
		c := well
		tc.change(&c)
		if f := judge(c, tc.skew); f.State != tc.state || !strings.Contains(f.Seen+f.Advice, tc.says) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	store := testdb.New(t)
	ours, theirs := []byte(strings.Repeat("o", 32)), []byte(strings.Repeat("t", 32))
	look := func(k SecretKey) Finding { return Key(k, store.XAccounts).Look(t.Context())[0] }
	for name, tc := range map[string]struct {
		key   SecretKey
		state State
		says  string
	}{
		"set":        {SecretKey{Bytes: ours}, OK, "nothing is sealed yet"},
		"not made":   {SecretKey{File: "/data/secret.key"}, OK, "vivra serve makes it in /data/secret.key"},
		"too short":  {SecretKey{Bytes: []byte("x")}, Broken, "The secret key must have 32 bytes, not 1: check VIVRA_SECRET_KEY."},
		"unreadable": {SecretKey{Problem: errorText("read secret key: permission denied")}, Broken, "Read secret key: permission denied."},
	} {
		if f := look(tc.key); f.State != tc.state || !strings.Contains(f.Seen+f.Advice, tc.says) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
	for unread, want := range map[error]State{ErrNotRunning: Off, errorText("no such host"): Warning} {
		accounts := func(context.Context) ([]postgres.XAccount, error) { return nil, unread }
		if f := Key(SecretKey{Bytes: ours}, accounts).Look(t.Context())[0]; f.State != want {
			t.Errorf("%v: got %+v", unread, f)
		}
	}
	connect(t, store, ours)
	for name, tc := range map[string]struct {
		key   SecretKey
		state State
		says  string
	}{
		"opens":       {SecretKey{Bytes: ours}, OK, "opens 1 sealed account"},
		"another key": {SecretKey{Bytes: theirs}, Broken, "It does not open the tokens of @dodo"},
		"key is gone": {SecretKey{File: "/data/secret.key"}, Broken, "The key that sealed 1 account is not in /data/secret.key: put it back from your backup."},
	} {
		if f := look(tc.key); f.State != tc.state || !strings.Contains(f.Seen+f.Advice, tc.says) {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

// connect stores an account as the desk does.
func connect(t *testing.T, store *postgres.Store, key []byte) {
	t.Helper()
	sealer, err := seal.New(key)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk.Desk{Store: store, Seal: sealer, Clock: clockwork.NewRealClock()}
	if err := d.ConnectX(t.Context(), "dodo", "1", token()); err != nil {
		t.Fatal(err)
	}
}
