package telemetry

import (
	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics counts what this process does, for a scraper. A nil one counts
// nothing. Every label has few values: none is a slug, an id, or a word that a
// model or a visitor made up.
type Metrics struct {
	registry *prometheus.Registry
	wall     clockwork.Clock

	modelCalls *prometheus.CounterVec
	tokens     *prometheus.CounterVec
	cost       *prometheus.CounterVec
	charges    *prometheus.CounterVec
	latency    *prometheus.HistogramVec
	toolCalls  *prometheus.CounterVec
	runs       *prometheus.CounterVec
	turns      *prometheus.HistogramVec
	refusals   *prometheus.CounterVec
	exported   *prometheus.CounterVec
	requests   *prometheus.CounterVec
	answering  *prometheus.HistogramVec
	viewers    prometheus.Gauge

	models limited
}

// seconds of work that takes from a moment to minutes.
var seconds = []float64{.25, .5, 1, 2, 4, 8, 15, 30, 60, 120, 240, 480}

func newMetrics(wall clockwork.Clock) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), wall: wall}
	m.modelCalls = m.counter("model_calls_total", "Paid calls by what became of them; unknown: billed at the most it can have cost.", "agent", "model", "state")
	m.tokens = m.counter("model_tokens_total", "Tokens that the API reported. input holds cached, output holds reasoning.", "agent", "model", "kind")
	m.cost = m.counter("call_cost_dollars_total", "What models, pictures, publications and reads of X have cost.", "agent", "model")
	m.charges = m.counter("platform_charges_total", "Publications and reads that a platform charged for.", "kind")
	m.latency = m.histogram("model_call_seconds", "How long model calls took.", seconds, "agent", "model")
	m.toolCalls = m.counter("tool_calls_total", "Tool calls by outcome: ok, refused, failed.", "tool", "outcome")
	m.runs = m.counter("runs_total", "Runs by how they ended here: succeeded, failed, budget_exceeded, handed_over.", "agent", "end")
	m.turns = m.histogram("turn_seconds", "How long turns took, their tools included.", seconds, "agent")
	m.refusals = m.counter("reservations_refused_total", "Calls that a budget refused, by the wall they met.", "wall")
	m.exported = m.counter("trace_spans_total", "Spans handed to the collector.", "result")
	m.requests = m.counter("http_requests_total", "Requests by route.", "method", "route", "status")
	m.answering = m.histogram("http_request_seconds", "How long requests took, live pages apart.", prometheus.DefBuckets, "route")
	m.viewers = prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "live_viewers", Help: "Pages that are kept up to date right now."})
	for _, wall := range []string{"run", "agent", "operation"} {
		m.refusals.WithLabelValues(wall) // told from the start, as 0
	}
	for _, kind := range []string{chargedPublication, chargedRead} {
		m.charges.WithLabelValues(kind)
	}
	m.registry.MustRegister(m.viewers, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

const namespace = "vivra"

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}
