package pagessim_test

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/pages"
	"vivra/app/rehearsal/pagessim"
)

const (
	token = "cf-secret"
	host  = "dodo.vivra.site"
)

var j0 = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

var site = map[string][]byte{
	"/index.html":     []byte("<h1>It dances</h1>"),
	"/about.html":     []byte("<h1>About</h1>"),
	"/app/index.html": []byte("<h1>Game</h1>"),
	"/404.html":       []byte("<h1>Nothing here</h1>"),
	"/style.css":      []byte("h1{color:red}"),
	"/logo.svg":       []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"),
	"/copy of a.txt":  []byte("a"),
	"/_headers":       []byte("/*\n  X-Frame-Options: DENY\n/style.css\n  Cache-Control: no-store\n"),
}

type world struct {
	sim    *pagessim.Server
	url    string
	host   *pages.Host
	waited *atomic.Int64
	now    *atomic.Int64 // seconds since j0
}

func newWorld(t *testing.T, opts pagessim.Options) world {
	t.Helper()
	w := world{waited: new(atomic.Int64), now: new(atomic.Int64)}
	opts.Token, opts.AccountID, opts.ZoneID = token, "acc", "zone"
	opts.Now = func() time.Time { return j0.Add(time.Duration(w.now.Load()) * time.Second) }
	w.sim = pagessim.New(opts)
	srv := httptest.NewServer(w.sim)
	t.Cleanup(srv.Close)
	w.url = srv.URL
	w.host = pages.New(pages.Config{
		APIBaseURL: srv.URL + pagessim.Prefix, Token: token, AccountID: "acc", ZoneID: "zone",
		Wait: func(_ context.Context, d time.Duration) error { w.waited.Add(int64(d)); return nil },
	})
	return w
}

func deployment(key string, files map[string][]byte) pages.Deployment {
	return pages.Deployment{Project: "dodo", Host: host, Files: files, Key: key}
}

// read fetches a page, as a browser that asks for that host name would.
func (w world) read(t *testing.T, host, path string) (int, string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body), res.Header
}

func TestDeploy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{Stages: 2})
	receipt, err := w.host.Deploy(t.Context(), deployment("effect-1", site))
	if err != nil {
		t.Fatal(err)
	}
	bundle := app.NewBundle(site)
	if receipt.Files != len(site) || receipt.Bytes != bundle.Bytes || receipt.ManifestSHA256 != bundle.ManifestSHA256 {
		t.Errorf("got %+v", receipt)
	}
	for path, want := range map[string]string{"/": "<h1>It dances</h1>", "/about": "<h1>About</h1>", "/app/": "<h1>Game</h1>", "/style.css": "h1{color:red}"} {
		for _, host := range []string{host, "dodo.pages.dev", host + ":8080"} {
			status, body, header := w.read(t, host, path)
			if status != 200 || body != want || header.Get("X-Frame-Options") != "DENY" {
				t.Errorf("%s%s answers %d %q %v", host, path, status, body, header)
			}
		}
		if _, body, _ := w.read(t, "", "/_site/dodo"+path); body != want {
			t.Errorf("/_site/dodo%s answers %q", path, body)
		}
	}
	if status, body, _ := w.read(t, host, "/nowhere"); status != 404 || body != "<h1>Nothing here</h1>" {
		t.Errorf("a missing page answers %d %q", status, body)
	}
	if status, _, header := w.read(t, host, "/about.html"); status != 308 || header.Get("Location") != "/about" {
		t.Errorf("/about.html answers %d to %s", status, header.Get("Location"))
	}
	if _, _, header := w.read(t, host, "/style.css"); header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(header.Get("Content-Type"), "text/css") {
		t.Errorf("style.css has %v", header)
	}
	if !w.sim.Live(host) {
		t.Error("the host name does not lead to the site")
	}
}

func TestSameKeyDeploysOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{})
	first, err := w.host.Deploy(t.Context(), deployment("effect-1", site))
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.host.Deploy(t.Context(), deployment("effect-1", site))
	if err != nil || again != first {
		t.Errorf("got %+v, %v", again, err)
	}
	if found, ok, err := w.host.Find(t.Context(), "dodo", "effect-1"); err != nil || !ok || found != first {
		t.Errorf("found %+v, %v, %v", found, ok, err)
	}
	if _, ok, err := w.host.Find(t.Context(), "dodo", "effect"); ok || err != nil {
		t.Errorf("a part of a key is found: %v, %v", ok, err)
	}
	if _, ok, err := w.host.Find(t.Context(), "nobody", "effect-1"); ok || err != nil {
		t.Errorf("a project that is not there: %v, %v", ok, err)
	}
	other := maps.Clone(site)
	other["/index.html"] = []byte("<h1>Other</h1>")
	if _, err := w.host.Deploy(t.Context(), deployment("effect-1", other)); app.KindOf(err) != app.Conflict {
		t.Errorf("other files under the same key: %v", err)
	}
	if n := len(w.sim.Deployments()); n != 1 {
		t.Errorf("%d deployments", n)
	}
	if _, err := w.host.Deploy(t.Context(), deployment("effect-2", other)); err != nil {
		t.Fatal(err)
	}
	if _, body, _ := w.read(t, host, "/"); body != "<h1>Other</h1>" {
		t.Errorf("the second version shows %q", body)
	}
}

func TestKeyIsFoundBehindManyOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{})
	for n := range 30 {
		if _, err := w.host.Deploy(t.Context(), pages.Deployment{Project: "dodo", Key: "effect-" + string(rune('A'+n)), Files: map[string][]byte{"/index.html": {byte(n)}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := w.host.Find(t.Context(), "dodo", "effect-A"); !ok || err != nil {
		t.Errorf("the oldest is not found: %v", err)
	}
}

func TestLostAnswersEndInOneDeployment(t *testing.T) {
	t.Parallel()
	api := "/accounts/acc/pages/projects"
	for name, fault := range map[string]pagessim.Fault{
		"project created, answer lost":    {Path: "POST " + api, AfterAccept: true},
		"token refused to come":           {Path: "GET " + api + "/dodo/upload-token", Status: 503, Times: 2},
		"check-missing down":              {Path: "POST /pages/assets/check-missing", Status: 502, HTML: "<html>", Times: 2},
		"upload accepted, answer lost":    {Path: "POST /pages/assets/upload", AfterAccept: true},
		"deployment created, answer lost": {Path: "POST " + api + "/dodo/deployments", AfterAccept: true},
		"deployment refused":              {Path: "POST " + api + "/dodo/deployments", Status: 500},
		"domain attached, answer lost":    {Path: "POST " + api + "/dodo/domains", AfterAccept: true},
		"record made, answer lost":        {Path: "POST /zones/zone/dns_records", AfterAccept: true},
		"record down":                     {Path: "GET /zones/zone/dns_records", Status: 500},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, pagessim.Options{})
			w.sim.Fail(fault)
			if _, err := w.host.Deploy(t.Context(), deployment("effect-1", site)); err != nil {
				if !pages.Unknown(err) || strings.Contains(err.Error(), token) {
					t.Fatalf("unknown is %v for %v", pages.Unknown(err), err)
				}
				if _, err := w.host.Deploy(t.Context(), deployment("effect-1", site)); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(w.sim.Deployments()); n != 1 || !w.sim.Live(host) {
				t.Errorf("%d deployments, live %v", n, w.sim.Live(host))
			}
		})
	}
}

func TestUploadTokenExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{})
	slow := pages.New(pages.Config{
		APIBaseURL: w.url + pagessim.Prefix, Token: token, AccountID: "acc", ZoneID: "zone",
		HTTP: &http.Client{Transport: slowUploads{w}},
	})
	if _, err := slow.Deploy(t.Context(), deployment("effect-1", site)); err != nil {
		t.Fatal(err)
	}
	if w.now.Load() == 0 {
		t.Error("no time passed")
	}
}

// slowUploads lets six minutes pass after each call for assets.
type slowUploads struct{ world }

func (s slowUploads) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if strings.Contains(r.URL.Path, "/pages/assets/") && res != nil && res.StatusCode == http.StatusOK {
		s.now.Add(6 * 60)
	}
	return res, err
}

func TestWhatStandsAlready(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{})
	w.sim.AddRecord("CNAME", host, "old.example.com", false)
	if _, err := w.host.Deploy(t.Context(), deployment("effect-1", site)); err != nil || !w.sim.Live(host) {
		t.Errorf("a record that points elsewhere: %v, live %v", err, w.sim.Live(host))
	}
	w = newWorld(t, pagessim.Options{})
	w.sim.AddRecord("A", host, "192.0.2.1", true)
	if _, err := w.host.Deploy(t.Context(), deployment("effect-1", site)); err == nil || w.sim.Live(host) {
		t.Errorf("somebody's A record was replaced: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{MaxProjects: 1})
	page := map[string][]byte{"/index.html": []byte("a")}
	if _, err := w.host.Deploy(t.Context(), pages.Deployment{Project: "first", Key: "k", Files: page}); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]pages.Deployment{
		"no files":          {Project: "first", Key: "x"},
		"no key":            {Project: "first", Files: page},
		"path up":           {Project: "first", Key: "x", Files: map[string][]byte{"/../a": nil}},
		"path without /":    {Project: "first", Key: "x", Files: map[string][]byte{"a": nil}},
		"file too large":    {Project: "first", Key: "x", Files: map[string][]byte{"/a": make([]byte, 25<<20+1)}},
		"malformed project": {Project: "Not A Name", Key: "x", Files: page},
		"project limit":     {Project: "second", Key: "x", Files: page},
	} {
		if _, err := w.host.Deploy(t.Context(), d); err == nil || pages.Unknown(err) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	stranger := pages.New(pages.Config{APIBaseURL: w.url + pagessim.Prefix, Token: "guess", AccountID: "acc", ZoneID: "zone"})
	if _, err := stranger.Deploy(t.Context(), deployment("x", site)); err == nil || pages.Unknown(err) {
		t.Errorf("a wrong token: %v", err)
	}
	if n := len(w.sim.Deployments()); n != 1 {
		t.Errorf("%d deployments", n)
	}
}

func TestWrongHashBreaksTheSite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, pagessim.Options{})
	// A proxy that gives every file the hash of another algorithm.
	wrong := pages.New(pages.Config{
		APIBaseURL: w.url + pagessim.Prefix, Token: token, AccountID: "acc", ZoneID: "zone",
		HTTP: &http.Client{Transport: wrongHashes{}}, Wait: func(context.Context, time.Duration) error { return nil },
	})
	_, err := wrong.Deploy(t.Context(), deployment("effect-1", map[string][]byte{"/index.html": []byte("foobar")}))
	if err == nil || !strings.Contains(err.Error(), "check /index.html") {
		t.Errorf("got %v", err)
	}
	if w.sim.Live(host) {
		t.Error("a broken site got its host name")
	}
}

type wrongHashes struct{}

func (wrongHashes) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		changed := strings.ReplaceAll(string(body), pages.Hash("/index.html", []byte("foobar")), strings.Repeat("ab", 16))
		r.Body = io.NopCloser(strings.NewReader(changed))
		r.ContentLength = int64(len(changed))
	}
	return http.DefaultTransport.RoundTrip(r)
}
