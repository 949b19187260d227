package telemetry

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is where a scraper asks.
const Path = "/metrics"

// Handler answers GET /metrics and nothing else.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+Path, promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, Timeout: 2 * scrape}))
	return mux
}

// Request begins to count a request. Route is the pattern that matched, empty
// when none did; streams is true for a page that is kept up to date.
func (m *Metrics) Request(method, route string, streams bool) (answered func(status int)) {
	if m == nil {
		return func(int) {}
	}
	if route == "" {
		route = "none"
	}
	if method != http.MethodGet && method != http.MethodPost {
		method = "other" // a visitor can write anything there
	}
	began := m.wall.Now()
	if streams {
		m.viewers.Inc()
	}
	return func(status int) {
		if streams {
			m.viewers.Dec()
		} else {
			m.answering.WithLabelValues(route).Observe(m.wall.Since(began).Seconds())
		}
		m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	}
}
