package rehearsal_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"vivra/app/boot"
	"vivra/app/internal/testdb"
	"vivra/app/rehearsal"
)

// TestWhatIsChangedOnItsWayIsFound is the control of what every rehearsal
// proves, that what was approved is what arrived: somebody on the way to X
// changes one sign of each text and one bit of each picture.
func TestWhatIsChangedOnItsWayIsFound(t *testing.T) {
	t.Parallel()
	sum, err := rehearsal.Rehearse(t.Context(), rehearsal.Plan{Seed: 7, Days: 2, DatabaseURL: testdb.URL(t), Prepare: func(c *boot.Config) { c.XAPIBaseURL = meddler(t, c.XAPIBaseURL) }})
	if err != nil {
		t.Fatal(err)
	}
	texts, pictures := 0, 0
	for _, f := range sum.Faults {
		_, arrived, _ := strings.Cut(f, "arrived as ")
		arrived, approved, _ := strings.Cut(arrived, ", but what was approved is ")
		if strings.Contains(arrived, "!") && !strings.Contains(approved, "!") {
			texts++
		}
		if strings.Contains(arrived, `"media":[{`) {
			pictures++
		}
	}
	if same := sum.Matched["x.post"]; texts+same != sum.Published["x.post"] || same != 1 || pictures == 0 { // the poll's question has no full stop
		t.Errorf("%d texts and %d pictures of %d posts were found changed, %d were not:\n%s", texts, pictures, sum.Published["x.post"], same, strings.Join(sum.Faults, "\n"))
	}
	if sum.Matched["tg.message"] == 0 || sum.Matched["site.deploy"] == 0 {
		t.Errorf("what nobody touched is not found as it was: %v", sum.Matched)
	}
}

// meddler hands calls on to a server, changed.
func meddler(t *testing.T, to string) string {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		if r.In.Method != http.MethodPost {
			return
		}
		body, err := io.ReadAll(r.In.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.In.URL.Path, "/2/tweets") {
			body = bytes.Replace(body, []byte("."), []byte("!"), 1)
		}
		body = bytes.Replace(body, []byte("IEND"), []byte("IENd"), 1)
		r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}})
	t.Cleanup(proxy.Close)
	return proxy.URL
}
