package boot_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/paths"
)

// scrape reads /metrics at an address of its own.
func scrape(t *testing.T, from string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+from+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", res.Status, err)
	}
	return string(text)
}

// TestMetricsHaveAnAddressOfTheirOwn: visitors don't find them, scrapers find
// nothing else, and both end together.
func TestMetricsHaveAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	p := serve(t, testdb.URL(t), func(c *boot.Config) { c.MetricsListener = l })
	store := p.app().Store
	op := testop.Of(t, store, app.NewOperation{Token: testop.Token(1), Slug: "dodo", J0: testop.J0, Cap: app.Dollar, Envelope: app.Dollar, XHandle: "dodo_back"},
		testop.Step("scanner", "scanner.daily_metrics", "scanner.daily_metrics", false))

	p.get("/healthz")
	p.get("/nowhere")
	p.get(paths.Operation(op.Slug))
	if res, _ := p.get("/metrics"); res.StatusCode != http.StatusNotFound {
		t.Errorf("the site answers /metrics with %s", res.Status)
	}
	p.logged("url=http://" + at + "/metrics")
	look := p.watch(t, paths.Operation(op.Slug)+"/live")
	text := scrape(t, at)
	for _, want := range []string{
		`vivra_http_requests_total{method="GET",route="/healthz",status="200"} 1`,
		`vivra_http_requests_total{method="GET",route="none",status="404"} 2`,
		`vivra_http_requests_total{method="GET",route="/operations/:slug",status="200"} 1`,
		`vivra_live_viewers 1`, `vivra_database_up 1`, `vivra_operations{state="running"} 1`, `vivra_steps{state="pending"} 1`,
		`vivra_budget_dollars{part="cap"} 1`, `go_goroutines`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not told:\n%s", want, text)
		}
	}
	if strings.Contains(text, "dodo") {
		t.Error("a slug is a label")
	}
	look()
	for end := time.Now().Add(soon); !strings.Contains(scrape(t, at), "vivra_live_viewers 0\n"); {
		if time.Now().After(end) {
			t.Fatal("a viewer who left is still counted")
		}
	}
	p.end()
	if conn, err := net.Dial("tcp", at); err == nil {
		conn.Close()
		t.Error("/metrics is still served after the end")
	}
}

// watch opens a live page and waits for its first words; the function leaves.
func (p *process) watch(t *testing.T, path string) (leave func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return func() { cancel(); res.Body.Close() }
}

func TestMetricsAddressThatIsTaken(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := serve(t, testdb.URL(t), func(c *boot.Config) { c.MetricsAddr = l.Addr().String() })
	select {
	case err := <-p.ended:
		if err == nil || !strings.Contains(err.Error(), "listen") {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(soon):
		t.Fatal("it runs without its metrics")
	}
}
