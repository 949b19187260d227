package x_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"vivra/app/x"
)

// TestTimelineThatNeverEnds: an account that wrote more than X shows can't be
// read to its end, which is said rather than taken for the end.
func TestTimelineThatNeverEnds(t *testing.T) {
	t.Parallel()
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if got := r.FormValue("start_time"); got != "2027-01-11T08:00:00Z" {
			t.Errorf("asked for posts since %q", got)
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"1","text":"gm","created_at":"2027-01-11T09:00:00.000Z"}],"meta":{"next_token":"more"}}`))
	}))
	t.Cleanup(srv.Close)
	client := x.New(x.Config{APIBaseURL: srv.URL})
	since := time.Date(2027, 1, 11, 9, 0, 0, 0, time.FixedZone("CET", 3600))
	if posts, err := client.TimelineSince(t.Context(), "token", "11", since); !errors.Is(err, x.ErrMore) || asked != 32 {
		t.Errorf("%d posts on %d pages: %v", len(posts), asked, err)
	}
}
