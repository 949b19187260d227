package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
)

// answers is a server that always says the same.
func answers(t *testing.T, status int, contentType, body string, header ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// nobody is an address where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestWhatIsWrongWithAService(t *testing.T) {
	t.Parallel()
	const html, data = "text/html; charset=utf-8", "application/json"
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	closes := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(closes.Close)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(hangs.Close)
	for name, tc := range map[string]struct{ url, says string }{
		"nobody there":   {nobody(t), "Nobody answers at HOST (connection refused): check AN_URL."},
		"no such host":   {"http://doctor.invalid", "There is no host doctor.invalid: check AN_URL."},
		"a web page":     {answers(t, 200, html, "<html>"), "HOST answers 200 with an HTML page instead of data: check AN_URL."},
		"a firewall":     {answers(t, 403, html, "<html>"), "HOST answers 403 with an HTML page instead of data: check AN_URL."},
		"wrong key":      {answers(t, 401, data, "{}"), "HOST does not accept our key (401): check A_KEY."},
		"no credit":      {answers(t, 402, data, "{}"), "HOST wants to be paid first (402): add credit there."},
		"wrong path":     {answers(t, 404, data, "{}"), "HOST knows no such address (404): check AN_URL."},
		"too many calls": {answers(t, 429, data, "{}"), "HOST limits our rate (429): try again later, and if it stays so check AN_URL."},
		"its own fault":  {answers(t, 500, data, "{}"), "HOST fails (500 Internal Server Error): try again later, and if it stays so check AN_URL."},
		"moved":          {answers(t, 302, data, "", "Location", "https://other.example/?key=1"), "HOST sends us on to other.example: check AN_URL."},
		"self-signed":    {secure.URL, "The certificate of HOST does not hold: nobody we trust has signed it: check AN_URL, and this machine's clock."},
		"plain HTTP":     {strings.Replace(answers(t, 200, data, "{}"), "http:", "https:", 1), "HOST speaks plain HTTP, not HTTPS: check AN_URL, and this machine's clock."},
		"breaks off":     {closes.URL, "HOST broke the connection (EOF): try again later, and if it stays so check AN_URL."},
		"is silent":      {hangs.URL, "HOST gave no answer in time: try again later, and if it stays so check AN_URL."},
		"odd words":      {answers(t, 200, data, "{}"), "It says so: check AN_URL and A_KEY."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newService(clockwork.NewRealClock(), "service", "AN_URL", "A_KEY")
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			if name == "is silent" {
				cancel()
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, tc.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := s.client().Do(req)
			if err == nil {
				res.Body.Close()
				err = errors.New("it says so.")
			}
			want := strings.ReplaceAll(tc.says, "HOST", hostOf(tc.url))
			if f := s.failed(err); f.State != Broken || f.Advice != want {
				t.Errorf("got  %s\nwant %s", f.Advice, want)
			}
		})
	}
}
