package boot_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testlog"
	"vivra/app/internal/testop"
	"vivra/app/live"
	"vivra/app/postgres"
)

func TestMain(m *testing.M) { testdb.Main(m) }

// soon bounds what a test waits for; it never passes when all is well.
const soon = 30 * time.Second

// process is the application, running.
type process struct {
	t     *testing.T
	base  string
	log   *testlog.Lines
	stop  context.CancelFunc
	ended chan error
	ready chan *boot.App
}

func serve(t *testing.T, databaseURL string, change ...func(*boot.Config)) *process {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	p := &process{t: t, base: "http://" + l.Addr().String(), log: new(testlog.Lines), stop: stop, ended: make(chan error, 1), ready: make(chan *boot.App, 1)}
	cfg := boot.Config{DatabaseURL: databaseURL, Listener: l, PublicURL: p.base, DataDir: t.TempDir(), SecretKey: bytes.Repeat([]byte{7}, 32), BlobURL: "mem://",
		Services: boot.Services{RPCURL: "http://127.0.0.1:1", XAPIBaseURL: "http://127.0.0.1:1", TelegramAPIBaseURL: "http://127.0.0.1:1"},
		Ready:    func(a *boot.App, _ string) { p.ready <- a }}
	for _, each := range change {
		each(&cfg)
	}
	go func() { p.ended <- boot.Serve(ctx, cfg, slog.New(slog.NewTextHandler(p.log, nil))) }()
	t.Cleanup(stop)
	return p
}

// end stops the application and waits for it.
func (p *process) end() {
	p.t.Helper()
	p.stop()
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Error(err)
		}
	case <-time.After(soon):
		p.t.Fatal("it does not stop")
	}
}

func (p *process) app() *boot.App {
	p.t.Helper()
	select {
	case a := <-p.ready:
		return a
	case err := <-p.ended:
		p.t.Fatalf("it ended: %v\n%s", err, p.log)
	case <-time.After(soon):
		p.t.Fatalf("it is not ready:\n%s", p.log)
	}
	return nil
}

func (p *process) get(path string) (*http.Response, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.base+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, string(body)
}

func (p *process) logged(words string) {
	p.t.Helper()
	for deadline := time.Now().Add(soon); !strings.Contains(p.log.String(), words); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("the log lacks %q:\n%s", words, p.log)
		}
	}
}

// door is a TCP address of a database that can be shut.
type door struct {
	t    *testing.T
	addr string
	at   string // where the database is
	kind string
}

// newDoor returns a shut door to a database and the DSN that leads through it.
func newDoor(t *testing.T, dsn string) (d *door, through string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d = &door{t: t, addr: l.Addr().String(), at: u.Host, kind: "tcp"}
	l.Close()
	q := u.Query()
	if folder := q.Get("host"); folder != "" {
		d.kind, d.at = "unix", folder+"/.s.PGSQL."+q.Get("port")
	}
	if name := q.Get("user"); name != "" {
		u.User = url.User(name)
	}
	u.Host, u.RawQuery = d.addr, "sslmode=disable"
	return d, u.String()
}

func (d *door) open() {
	d.t.Helper()
	l, err := net.Listen("tcp", d.addr)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go d.pass(in)
		}
	}()
}

func (d *door) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial(d.kind, d.at)
	if err != nil {
		return
	}
	defer out.Close()
	go func() { _, _ = io.Copy(out, in) }()
	_, _ = io.Copy(in, out)
}

// TestFrontSpeaksBeforeTheDatabase: while the database is down every page says
// so, the log says that it is tried again, and all is well once it answers.
func TestFrontSpeaksBeforeTheDatabase(t *testing.T) {
	t.Parallel()
	d, dsn := newDoor(t, testdb.URL(t))
	p := serve(t, dsn)
	for _, path := range []string{"/", "/admin", "/o/dodo?after=3", "/health"} {
		res, body := p.get(path)
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || !strings.Contains(body, "database does not answer yet") || !strings.HasSuffix(strings.TrimSpace(body), ".") {
			t.Errorf("%s: %s: %s", path, res.Status, body)
		}
	}
	p.logged("the database does not answer, trying again")
	d.open()
	p.app()
	if res, body := p.get("/"); res.StatusCode != http.StatusOK || !strings.Contains(body, "<html") {
		t.Errorf("%s: %s", res.Status, body)
	}
	p.end()
}

// TestServesWithoutAnyService: everything outside may be set up later.
func TestServesWithoutAnyService(t *testing.T) {
	t.Parallel()
	p := serve(t, testdb.URL(t), func(c *boot.Config) { c.Services = boot.Services{} })
	p.app()
	if res, body := p.get("/"); res.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", res.Status, body)
	}
	p.end()
}

// TestStopsWhileItWaits: an application that waits for its database can be stopped.
func TestStopsWhileItWaits(t *testing.T) {
	t.Parallel()
	_, dsn := newDoor(t, testdb.URL(t))
	p := serve(t, dsn)
	p.logged("trying again")
	p.end()
}

// TestWhatWaitingCannotMend ends the program with a sentence.
func TestWhatWaitingCannotMend(t *testing.T) {
	t.Parallel()
	newer := testdb.URL(t)
	conn, err := pgx.Connect(t.Context(), newer)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "insert into goose_db_version (version_id, is_applied) values (99990101000000, true)"); err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ dsn, says string }{
		"no connection string":        {"postgres://%zz:secret", "DATABASE_URL is not a valid connection string"},
		"a schema of a later program": {newer, "Run the newer program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := serve(t, c.dsn)
			select {
			case err := <-p.ended:
				if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "secret") {
					t.Errorf("it ended with %v", err)
				}
			case <-time.After(soon):
				t.Fatalf("it goes on:\n%s", p.log)
			}
		})
	}
}

// TestChangesOfOtherProcessesAreHeard: what another process writes reaches the
// open pages of this one.
func TestChangesOfOtherProcessesAreHeard(t *testing.T) {
	t.Parallel()
	dsn := testdb.URL(t)
	p := serve(t, dsn)
	a := p.app()
	other, err := postgres.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	op := testop.New(t, other, 1, app.Dollar)
	changes, stop := a.Hub.Subscribe(live.Operation(op.ID))
	defer stop()
	deadline := time.After(soon)
	for n := 0; ; n++ { // the ear may only be opening
		if err := other.RaiseAlert(t.Context(), op.ID, "test", string(rune('a'+n)), "x", testop.J0); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changes:
			p.end()
			return
		case <-deadline:
			t.Fatal("nothing was heard")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// TestFirstInvite is made while there is nobody, and only then.
func TestFirstInvite(t *testing.T) {
	t.Parallel()
	p := serve(t, testdb.URL(t))
	a := p.app()
	invite, err := a.FirstInvite(t.Context())
	if err != nil || len(invite) < 30 {
		t.Fatalf("%q: %v", invite, err)
	}
	now := time.Now()
	if _, err := a.Store.UseInvite(t.Context(), invite, "ada", "hash", now); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Store.UseInvite(t.Context(), invite, "eve", "hash", now); app.KindOf(err) != app.NotFound {
		t.Errorf("a link was used twice: %v", err)
	}
	if again, err := a.FirstInvite(t.Context()); err != nil || again != "" {
		t.Errorf("%q: %v", again, err)
	}
	p.end()
}

func TestChainConfig(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]boot.ChainConfig{
		"known":  boot.RobinhoodChain(),
		"spare":  {ChainID: 8453, Factories: boot.Addresses{}, Launchers: boot.Addresses{}},
		"priced": {ChainID: 1, Name: "a \"chain\"", Network: "eth", Factories: boot.Addresses{{1}, {19: 2}}, Launchers: boot.Addresses{}, Quote: app.Address{3}, QuoteUSD: 2999.5},
	} {
		text, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := boot.ParseChain(text)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %s\nread back as %+v, was %+v: %v", name, text, got, c, err)
		}
	}
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "chain 1", "a list": "[]", "unknown field": `{"chain_id":1,"mood":"good"}`, "text for a number": `{"chain_id":"1"}`,
		"bad factory": `{"factories":["0x12"]}`, "bad launcher": `{"launchers":["nobody"]}`, "bad quote": `{"quote":"0xzz"}`,
		"mistyped checksum": `{"quote":"0x0bD7D308f8E1639FAb988df18A8011f41EAcAD73"}`, "more behind it": `{"chain_id":1} {"chain_id":2}`,
	} {
		if c, err := boot.ParseChain(text); err == nil {
			t.Errorf("%s: read as %+v", name, c)
		}
	}
}

// TestEndsWhenItsOwnDatabaseDies: a program that can't serve any more says why
// and ends, so that whoever supervises it starts it again.
func TestEndsWhenItsOwnDatabaseDies(t *testing.T) {
	testdb.URL(t) // the tests' own server stands before, and is left alone
	before := children(t)
	p := serve(t, "", func(c *boot.Config) { c.DataDir = "" })
	p.app()
	for pid := range children(t) {
		if !before[pid] {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	select {
	case err := <-p.ended:
		if err == nil || !strings.Contains(err.Error(), "database server has stopped") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(soon):
		t.Error("it goes on without its database")
	}
}

// children are the PostgreSQL servers that this process has started.
func children(t *testing.T) map[int]bool {
	t.Helper()
	found := map[int]bool{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stats {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended since
		}
		var pid, parent int
		var name, state string
		if _, err := fmt.Sscan(strings.NewReplacer("(", "", ")", "").Replace(string(raw)), &pid, &name, &state, &parent); err == nil && parent == os.Getpid() && name == "postgres" {
			found[pid] = true
		}
	}
	return found
}
