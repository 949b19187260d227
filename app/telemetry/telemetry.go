// Package telemetry tells collectors and scrapers what runs do and cost: spans
// over OTLP, numbers at /metrics. Every method takes a nil receiver, so that
// whoever is watched need not know whether anyone watches.
//
// A run is one trace, whose id is the run's uuid, whichever processes work on
// it: the ids of spans follow from what they are of. Each process sends the
// turns, tool calls and paid calls that it ended. The one that books the run's
// end sends the root, and the paid calls that the ledger has and it did not
// make, since their process may have died before it sent them. So a span can
// come twice, as OTLP itself allows; it is the same span, and the sum of
// vivra.cost_nusd over the spans of a trace is what the ledger says the run has
// cost. A process that is killed in the moment between booking the end of a run
// and sending it takes that root with it.
package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
)

// Config says what is told, and to whom.
type Config struct {
	// Traces sends spans, to where the OTEL_* variables say.
	Traces bool
	// Collector takes the place of OTEL_EXPORTER_OTLP_ENDPOINT when set: the
	// whole address.
	Collector string
	// Content sends what models and tools say, too.
	Content bool
	// Metrics counts.
	Metrics bool
	Version string

	// Clock is the product's time, Wall the time of spans.
	Clock, Wall clockwork.Clock
	// Ledger and Database are asked at the end of a run, and at a scrape; nil
	// is not.
	Ledger   Ledger
	Database Database
	Log      *slog.Logger
}

// Watch is all of it. A nil one tells nothing.
type Watch struct {
	// Tracer watches runs; nil when nobody is told of them.
	Tracer *Tracer
	// Metrics is nil when nobody counts.
	Metrics *Metrics

	spans *spans
}

// New prepares what c asks for. It reaches nothing: Start does.
func New(c Config) *Watch {
	w := new(Watch)
	if c.Metrics {
		w.Metrics = newMetrics(c.Wall)
		if c.Database != nil {
			w.Metrics.registry.MustRegister(&gauges{database: c.Database, clock: c.Clock, log: c.Log})
		}
	}
	if c.Traces {
		w.spans = newSpans(c, w.Metrics.export)
	}
	if c.Traces || c.Metrics {
		w.Tracer = &Tracer{clock: c.Clock, wall: c.Wall, spans: w.spans, metrics: w.Metrics, ledger: c.Ledger, content: c.Content, log: c.Log}
	}
	return w
}

// goodbye is how long the end waits for a collector to take what is left.
const goodbye = 3 * time.Second

// Start begins to send; stop sends what is left, within seconds.
func (w *Watch) Start(ctx context.Context) (stop func(), err error) {
	if w == nil {
		return func() {}, nil
	}
	if err := w.spans.start(ctx); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), goodbye)
		defer cancel()
		w.spans.stop(ctx)
	}, nil
}

// Flush sends what waits to be sent.
func (w *Watch) Flush(ctx context.Context) error {
	if w == nil || w.spans == nil || w.spans.provider == nil {
		return nil
	}
	return w.spans.provider.ForceFlush(ctx)
}
