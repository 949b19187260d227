package web_test

import (
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/rehearsal/xsim"
)

// booth is the whole application beside a local X, on a host of another name:
// what leads from one to the other leads to another site.
type booth struct {
	*house
	x           *xsim.Server
	at          string // where X is
	clock, wall *clockwork.FakeClock
	said        *log

	mu     sync.Mutex
	before func(r *http.Request) (status int) // X's answer; 0: its own
}

const (
	ours   = "900000001" // the number of @dodo_back
	theirs = "900000002" // of @someone_else
)

func newBooth(t *testing.T) *booth {
	t.Helper()
	b := &booth{house: &house{t: t, now: j0.Add(40 * time.Minute), rows: map[string]string{}, users: map[string]app.User{}}, wall: clockwork.NewFakeClockAt(time.Now()), said: new(log)}
	b.clock = clockwork.NewFakeClockAt(b.now)
	server := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	b.must(err)
	b.url = "http://localhost:" + port
	b.openX()
	b.build(boot.Config{PublicURL: b.url, Clock: b.clock, Wall: b.wall, Services: b.services()}, slog.NewTextHandler(b.said, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server.Config.Handler = b.app.Web.Handler()
	listen(t, server)
	b.hire()
	b.op = b.begin("dodo", "a", "b")
	return b
}

func (b *booth) openX() {
	b.x = xsim.New(xsim.Options{Now: b.clock.Now, Wall: b.wall.Now, ClientID: "us", ClientSecret: "s3", Callbacks: []string{b.url + "/admin/accounts/callback"},
		Accounts: []xsim.Account{{ID: ours, Username: "Dodo_Back", Name: "dodo holders"}, {ID: theirs, Username: "someone_else", Name: "Somebody"}}})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		before := b.before
		b.mu.Unlock()
		if before != nil {
			if status := before(r); status != 0 {
				w.WriteHeader(status)
				return
			}
		}
		b.x.ServeHTTP(w, r)
	}))
	b.t.Cleanup(server.Close)
	b.at = server.URL
}

func (b *booth) services() boot.Services {
	s := b.outside()
	s.XAPIBaseURL, s.XAuthBaseURL, s.XAuthorizeBaseURL, s.XClientID, s.XClientSecret = b.at, b.at, b.at, "us", "s3"
	return s
}

// answers has X answer calls of a path with what status returns, 0: as X does.
func (b *booth) answers(path string, status func() int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.before = func(r *http.Request) int {
		if r.URL.Path != path {
			return 0
		}
		return status()
	}
}

func always(status int) func() int { return func() int { return status } }

// sets out to connect an account, and returns where it leads to.
func (b *booth) sets(v *visitor, handle string) (address string) {
	b.t.Helper()
	res := v.post("/admin/accounts/connections", url.Values{"csrf": {v.csrf()}, "handle": {handle}})
	link := res.doc(b.t).Find(`main a.go`).AttrOr("href", "")
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(link, b.at+"/i/oauth2/authorize?") {
		b.t.Fatalf("it leads to %q: %s\n%s", link, res.Status, squeeze(res.doc(b.t).Find("main").Text()))
	}
	return link
}

// consents decides at X as the owner of an account, and returns the path of
// ours that X leads back to.
func (b *booth) consents(address, account, decision string) (back string) {
	b.t.Helper()
	res := newVisitor(b.t, "").post(address, url.Values{"account": {account}, "decision": {decision}})
	to, found := strings.CutPrefix(res.Header.Get("Location"), b.url)
	if !found || res.StatusCode != http.StatusFound {
		b.t.Fatalf("X answers %s and leads to %q\n%s", res.Status, to, res.body)
	}
	return to
}

// connects goes the whole way.
func (b *booth) connects(v *visitor) page {
	b.t.Helper()
	return v.follows(b.consents(b.sets(v, "dodo_back"), "Dodo_Back", "allow"))
}

// follows opens a page and what it leads on to.
func (v *visitor) follows(path string) page {
	v.t.Helper()
	res := v.get(path)
	for range 3 {
		to := res.Header.Get("Location")
		if to == "" {
			break
		}
		res = v.get(to)
	}
	return res
}

// tells is what the accounts' page says at an account, or in all for "".
func (b *booth) tells(v *visitor, handle string) string {
	b.t.Helper()
	where := "main"
	if handle != "" {
		where = "#x-" + handle
	}
	return spoken(v.get("/admin/accounts").doc(b.t), where)
}

// stored is everything that the database holds of accounts and of what people
// did, as text.
func (b *booth) stored() string {
	b.t.Helper()
	var all string
	b.must(b.db.QueryRow(b.t.Context(), `SELECT concat((SELECT string_agg(a::text, ' ') FROM x_accounts a), (SELECT string_agg(c::text, ' ') FROM x_connections c),
		(SELECT string_agg(a::text, ' ') FROM admin_audit a), (SELECT string_agg(s.data::text, ' ') FROM sessions s))`).Scan(&all))
	return all
}

func (b *booth) count(query string) (n int) {
	b.t.Helper()
	b.must(b.db.QueryRow(b.t.Context(), "SELECT count(*) FROM "+query).Scan(&n))
	return n
}
