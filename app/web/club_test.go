package web_test

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/live"
	"vivra/app/postgres"
	"vivra/app/web"
)

// club is a team on a real database: an account of each role, named after it.
type club struct {
	t     *testing.T
	store *postgres.Store
	url   string // where browsers find it, at localhost
	said  *log
	users map[string]app.User

	mu   sync.Mutex
	wall time.Time // of sessions and of the limits of tries
}

// log is what the site has written to its log.
type log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

func newClub(t *testing.T) *club {
	t.Helper()
	c := &club{t: t, store: testdb.New(t), said: new(log), users: map[string]app.User{}, wall: time.Now()}
	hash, err := web.HashPassword("correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range app.Roles() {
		if c.users[role], err = c.store.CreateUser(t.Context(), role, role, hash, "test", c.now()); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	c.url = "http://localhost:" + port
	server.Config.Handler = c.site().Handler()
	listen(t, server)
	return c
}

func (c *club) site() *web.Server {
	return &web.Server{Store: c.store, Sessions: c.store.Sessions(c.now), Hub: new(live.Hub), Now: c.now, PublicURL: c.url, Agents: cast,
		Secret: []byte("secret"), Log: slog.New(slog.NewTextHandler(c.said, &slog.HandlerOptions{Level: slog.LevelDebug}))}
}

func (c *club) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// later turns the clock on.
func (c *club) later(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
}

// visitor comes from an address of its own.
func (c *club) visitor(address string) *visitor {
	v := newVisitor(c.t, c.url)
	v.http.Transport = from(address)
	return v
}

// member is signed in.
func (c *club) member(name string) *visitor {
	c.t.Helper()
	v := newVisitor(c.t, c.url)
	v.signIn(name)
	return v
}

// from has a proxy say that requests come from an address.
type from string

func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", string(f))
	return http.DefaultTransport.RoundTrip(r)
}

// tries fills the sign-in form in.
func (v *visitor) tries(name, password string) page {
	v.t.Helper()
	return v.submit(v.get("/admin/sign-in"), "main form", url.Values{"name": {name}, "password": {password}})
}

// in tells whether the visitor is signed in.
func (v *visitor) in() bool {
	v.t.Helper()
	return v.get("/admin/account").StatusCode == http.StatusOK
}

// audit is the newest audit rows, as one text.
func (c *club) audit() string {
	c.t.Helper()
	rows, err := c.store.Audit(c.t.Context(), 100)
	if err != nil {
		c.t.Fatal(err)
	}
	var all strings.Builder
	for _, r := range rows {
		all.WriteString(r.User + " " + r.Action + " " + r.Subject + ": " + string(r.Before) + " → " + string(r.After) + "\n")
	}
	return all.String()
}
