package testbrowser_test

import (
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vivra/app/internal/testbrowser"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := testbrowser.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func site(t *testing.T, body string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "seen", Value: "yes"})
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", r.URL.Query().Get("csp"))
		_, seen := r.Cookie("seen")
		fmt.Fprintf(w, "<!doctype html><p id=seen>%v</p>%s", seen == nil, body)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestEachPageIsAnotherVisitor(t *testing.T) {
	url := site(t, "")
	for range 2 {
		page := testbrowser.Page(t)
		page.MustNavigate(url)
		if got := page.MustElement("#seen").MustText(); got != "false" {
			t.Errorf("a new page brought cookies: %s", got)
		}
	}
}

func TestShotIsAsWideAsThePage(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("VIVRA_SHOTS", folder)
	page := testbrowser.Page(t)
	page.MustNavigate(site(t, `<meta name=viewport content="width=device-width"><div style="height:3000px">`)).MustWaitLoad()
	testbrowser.Width(t, page, 360)
	testbrowser.Shot(t, page, "tall")

	f, err := os.Open(filepath.Join(folder, "tall.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pic, err := png.DecodeConfig(f)
	if err != nil {
		t.Fatal(err)
	}
	if pic.Width != 360 || pic.Height < 3000 {
		t.Errorf("got %d × %d", pic.Width, pic.Height)
	}
}

// witness stands in for a test, to see what would be reported on it.
type witness struct {
	testing.TB
	errors  []string
	cleanup []func()
}

func (w *witness) Cleanup(f func()) { w.cleanup = append(w.cleanup, f) }
func (w *witness) Errorf(format string, a ...any) {
	w.errors = append(w.errors, fmt.Sprintf(format, a...))
}
func (w *witness) end() {
	for i := range w.cleanup {
		w.cleanup[len(w.cleanup)-1-i]()
	}
}

func TestFaultsOfThePageAreReported(t *testing.T) {
	for path, want := range map[string]string{
		"/":                       "planted",
		"/?csp=script-src+'self'": "Content Security Policy",
	} {
		w := &witness{TB: t}
		page := testbrowser.Page(w)
		page.MustNavigate(site(t, "<script>throw new Error('planted')</script>") + path).MustWaitLoad()
		w.end()
		if got := strings.Join(w.errors, "\n"); !strings.Contains(got, want) {
			t.Errorf("%s reported %q, want …%s…", path, got, want)
		}
	}
}
