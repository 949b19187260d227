package web_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/postgres"
	"vivra/app/web"
)

// house is the whole application on a database of its own, with a row behind
// each address. All its outside services are one server that notes each call.
type house struct {
	t     testing.TB
	app   *boot.App
	db    *pgxpool.Pool
	url   string
	op    app.Operation
	now   time.Time
	rows  map[string]string // what stands for a parameter of a route
	users map[string]app.User
	sums  string // the query that sums up every table

	mu    sync.Mutex
	calls []string // that the outside has received
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, now: j0.Add(40 * time.Minute), rows: map[string]string{}, users: map[string]app.User{}}
	h.build(boot.Config{PublicURL: "http://localhost", Clock: clockwork.NewFakeClockAt(h.now), Services: h.outside()}, slog.NewTextHandler(t.Output(), nil))
	server := httptest.NewServer(h.app.Web.Handler())
	t.Cleanup(server.Close)
	h.url = server.URL
	h.furnish()
	h.prepareSums()
	return h
}

// build makes the application on a database of its own.
func (h *house) build(cfg boot.Config, log slog.Handler) {
	h.t.Helper()
	ctx := h.t.Context()
	cfg.DatabaseURL, cfg.BlobURL, cfg.SecretKey = testdb.URL(h.t), "mem://", bytes.Repeat([]byte{7}, 32)
	store, err := postgres.Open(ctx, cfg.DatabaseURL)
	h.must(err)
	h.t.Cleanup(store.Close)
	h.db, err = pgxpool.New(ctx, cfg.DatabaseURL)
	h.must(err)
	h.t.Cleanup(h.db.Close)
	h.app, err = boot.Build(ctx, cfg, store, slog.New(log))
	h.must(err)
	h.t.Cleanup(h.app.Close)
}

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// outside is a world that refuses everything, and keeps what it was asked.
func (h *house) outside() boot.Services {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls = append(h.calls, r.Method+" "+r.URL.Path)
		w.WriteHeader(http.StatusBadRequest)
	}))
	h.t.Cleanup(server.Close)
	at := server.URL
	return boot.Services{SiteDomain: "vivra.example", SurplusBaseURL: at, SurplusAPIKey: "k", ImageBaseURL: at, ImageAPIKey: "k", RPCURL: at,
		DexscreenerBaseURL: at, GeckoterminalBaseURL: at, XAPIBaseURL: at, XAuthBaseURL: at, XClientID: "c", XClientSecret: "s",
		TelegramAPIBaseURL: at, TelegramBotToken: "1:token", TelegramWebhookSecret: "webhook-secret",
		CloudflareAPIBaseURL: at, CloudflareAPIToken: "t", CloudflareAccountID: "a", CloudflareZoneID: "z"}
}

// prepareSums makes one query of every table there is. Of sessions only whose
// they are counts: that a page was opened may be noted there, and a form's
// token is, but nothing is decided by that.
func (h *house) prepareSums() {
	h.t.Helper()
	rows, err := h.db.Query(h.t.Context(), `SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'public' AND relkind = 'r' ORDER BY 1`)
	h.must(err)
	defer rows.Close()
	var parts []string
	for rows.Next() {
		var table string
		h.must(rows.Scan(&table))
		from := fmt.Sprintf("%q", table)
		if table == "sessions" {
			from = "(SELECT id, user_id FROM sessions)"
		}
		parts = append(parts, fmt.Sprintf(`SELECT '%s', count(*) || ' rows ' || md5(coalesce(string_agg(t::text, '|' ORDER BY t::text), '')) FROM %s t`, table, from))
	}
	h.must(rows.Err())
	if len(parts) < 20 {
		h.t.Fatalf("only %d tables were found", len(parts))
	}
	h.sums = strings.Join(parts, " UNION ALL ")
}

// state is everything that a request could have changed: a sum of each table,
// and what the outside was asked.
type state map[string]string

func (h *house) state() state {
	h.t.Helper()
	h.mu.Lock()
	s := state{"the outside": strings.Join(h.calls, ", ")}
	h.mu.Unlock()
	rows, err := h.db.Query(h.t.Context(), h.sums)
	h.must(err)
	defer rows.Close()
	for rows.Next() {
		var table, sum string
		h.must(rows.Scan(&table, &sum))
		s[table] = sum
	}
	h.must(rows.Err())
	return s
}

// since names what has changed since before.
func (s state) since(before state) (changed []string) {
	for name := range s {
		if s[name] != before[name] {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// unchanged runs do, which may change nothing.
func (h *house) unchanged(what string, do func()) {
	h.t.Helper()
	before := h.state()
	do()
	if changed := h.state().since(before); len(changed) > 0 {
		h.t.Errorf("%s changed %s", what, strings.Join(changed, ", "))
	}
}

// visit opens an address as some program, and reads as much of the answer as
// there is at once.
func (v *visitor) visit(method, path, program string) *http.Response {
	v.t.Helper()
	ctx, cancel := context.WithCancel(v.t.Context())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, v.base+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("User-Agent", program)
	res, err := v.http.Do(req)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	_, _ = res.Body.Read(make([]byte, 1024)) // a stream has no end
	return res
}

func (h *house) visitor(name string) *visitor {
	h.t.Helper()
	v := newVisitor(h.t, h.url)
	if name != "" {
		v.signIn(name)
	}
	return v
}

// token is the session's for its forms, also before anybody has signed in.
func (v *visitor) token() string {
	v.t.Helper()
	token := v.csrf()
	if token == "" {
		token = v.get("/admin/sign-in").doc(v.t).Find("input[name=csrf]").AttrOr("value", "")
	}
	if token == "" {
		v.t.Fatal("the session has no token")
	}
	return token
}

// address fills a route's parameters with rows that exist, and fails for a
// parameter that it does not know: a new route is to be tried, not passed over.
func (h *house) address(path string) string {
	h.t.Helper()
	route := strings.Split(path, "/")
	parts := slices.Clone(route)
	for i, part := range route {
		if part == "*" && route[i-2] != "builds" {
			parts[i] = "x" // stands for every page below, and leads up
			continue
		}
		if !strings.HasPrefix(part, ":") && part != "*" {
			continue
		}
		above := strings.TrimPrefix(route[i-1], ":")
		row, known := h.rows[strings.Join(append([]string{above}, route[i:]...), "/")]
		if !known {
			row, known = h.rows[above+"/"+part]
		}
		if !known {
			h.t.Errorf("%s: say in furnish which row stands for %s", path, part)
		}
		parts[i] = row
	}
	return strings.Join(parts, "/")
}

// routes are those of the map that keep chooses.
func routes(keep func(web.Route) bool) (found []web.Route) {
	for _, r := range new(web.Server).Routes() {
		if keep(r) {
			found = append(found, r)
		}
	}
	return found
}
