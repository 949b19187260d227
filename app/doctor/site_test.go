package doctor

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

func TestPublicAddress(t *testing.T) {
	t.Parallel()
	const text = "text/plain"
	for name, tc := range map[string]struct {
		url    string
		state  State
		says   string
		serves bool
	}{
		"Vivra":           {answers(t, 200, text, "ok\n"), OK, "Vivra answers at HOST", true},
		"starting":        {answers(t, 503, text, "Vivra is starting, or its database …"), Warning, "Vivra is starting there", false},
		"no database":     {answers(t, 503, text, "the database does not answer\n"), Broken, "its database does not answer", false},
		"another program": {answers(t, 200, "text/html", "<html>Welcome to nginx!"), Broken, "Something that is not Vivra answers at HOST (200)", false},
		"elsewhere":       {answers(t, 301, text, "", "Location", "https://www.example/healthz"), Broken, "sends us on to www.example: set VIVRA_PUBLIC_URL", false},
		"not running":     {nobody(t), Off, "nobody serves HOST now: start vivra serve", false},
		"no such name":    {"https://doctor.invalid", Warning, "There is no host doctor.invalid", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := NewSite(clockwork.NewRealClock(), tc.url, "/healthz")
			f := p.Check().Look(t.Context())[0]
			if want := strings.ReplaceAll(tc.says, "HOST", hostOf(tc.url)); f.State != tc.state || !strings.Contains(f.Seen+f.Advice, want) {
				t.Errorf("got %+v, want %s with %q", f, tc.state, want)
			}
			if got := p.Serves(t.Context()); got != tc.serves {
				t.Errorf("serves: %v", got)
			}
		})
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	const text = "text/plain"
	for name, tc := range map[string]struct {
		url   string
		state State
		says  string
	}{
		"Vivra":           {answers(t, 200, text, "# HELP\nvivra_database_up 1\n"), OK, "scrapers find them at HOST/metrics"},
		"another program": {answers(t, 200, text, "node_load1 3\n"), Broken, "Something that is not Vivra answers at HOST (200)"},
		"nothing there":   {answers(t, 404, text, "vivra_"), Broken, "answers at HOST (404): give VIVRA_METRICS_ADDR another port."},
		"not running":     {nobody(t), Off, "nobody serves HOST/metrics now: start vivra serve"},
	} {
		f := Metrics(clockwork.NewRealClock(), hostOf(tc.url), "/metrics").Look(t.Context())[0]
		if want := strings.ReplaceAll(tc.says, "HOST", hostOf(tc.url)); f.State != tc.state || !strings.Contains(f.Seen+f.Advice, want) {
			t.Errorf("%s: got %+v, want %s with %q", name, f, tc.state, want)
		}
	}
	for addr, want := range map[string]string{":9464": "localhost:9464", "0.0.0.0:1": "localhost:1", "[::]:1": "localhost:1", "10.0.0.7:1": "10.0.0.7:1"} {
		if got := reachable(addr); got != want {
			t.Errorf("%s is asked at %s, want %s", addr, got, want)
		}
	}
}

// TestCertificateOfThePublicAddress by clocks that stand before its end.
func TestCertificateOfThePublicAddress(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }))
	t.Cleanup(s.Close)
	ends := s.Certificate().NotAfter
	for left, want := range map[time.Duration]Finding{
		60 * 24 * time.Hour: {State: OK, Seen: "certificate good for 60 days"},
		7 * 24 * time.Hour:  {State: Warning, Advice: "ends in 7 days: renew it."},
	} {
		p := NewSite(clockwork.NewFakeClockAt(ends.Add(-left)), s.URL, "/healthz")
		p.carrier.TLSClientConfig = &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}
		f := p.look(t.Context())
		if f.State != want.State || !strings.Contains(f.Seen, want.Seen) || !strings.Contains(f.Advice, want.Advice) {
			t.Errorf("%s: got %+v", left, f)
		}
	}
}

// TestServesGivesUp: who asks whether Vivra is up does not wait for ever.
func TestServesGivesUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if NewSite(clockwork.NewRealClock(), "http://x", "/").Serves(ctx) {
		t.Error("a site that nobody looked at serves")
	}
}
