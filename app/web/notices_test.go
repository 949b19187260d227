package web_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app/live"
	"vivra/app/web"
)

// told is what the team must know of the services.
type told []string

func (t told) Notices(context.Context) ([]string, error) { return t, nil }

// TestDashboardTellsOfServices that agents need, and of nothing when all is well.
func TestDashboardTellsOfServices(t *testing.T) {
	t.Parallel()
	for _, notices := range []told{nil, {"The model <gpt-9> can't call tools, so scanner can't work."}} {
		x := newExhibit(t)
		s := &web.Server{Store: x, Sessions: newMemory(x), Files: x, Starter: x, Hub: new(live.Hub), Now: func() time.Time { return today }, Agents: cast,
			Notices: notices, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
		server := httptest.NewServer(s.Handler())
		t.Cleanup(server.Close)
		v := newVisitor(t, server.URL)
		v.signIn("viewer")
		page := v.get("/admin")
		shown := page.doc(t).Find(`section[aria-labelledby="services-title"]`)
		if shown.Length() != len(notices) {
			t.Errorf("%d notices, shown: %s", len(notices), shown.Text())
		}
		for _, notice := range notices {
			if !strings.Contains(shown.Text(), notice) {
				t.Errorf("got %s", shown.Text())
			}
		}
	}
}
