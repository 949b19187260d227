package rehearsal

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/boot"
)

// meter adds up the time in which something that is not our own code was at
// work: Chromium, the local chain. What goes on at once counts once.
type meter struct {
	wall clockwork.Clock

	mu    sync.Mutex
	depth int
	since time.Time
	total time.Duration
}

// begin counts until the returned func is called.
func (m *meter) begin() (end func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.depth++; m.depth == 1 {
		m.since = m.wall.Now()
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.depth--; m.depth == 0 {
			m.total += m.wall.Since(m.since)
		}
	}
}

func (m *meter) sum() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.total
}

func (m *meter) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer m.begin()()
		h.ServeHTTP(w, r)
	})
}

// metered is a browser whose work is counted.
type metered struct {
	boot.Browser
	meter *meter
}

func (b metered) Render(ctx context.Context, html string, width, height int) ([]byte, error) {
	defer b.meter.begin()()
	return b.Browser.Render(ctx, html, width, height)
}

func (b metered) Run(ctx context.Context, html, script string) (json.RawMessage, error) {
	defer b.meter.begin()()
	return b.Browser.Run(ctx, html, script)
}
