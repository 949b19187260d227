package telemetry

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"sync/atomic"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdk "go.opentelemetry.io/otel/sdk/trace"
)

// exporter keeps faults of the collector away from the rest: each outage is
// logged once, and no run hears of it.
type exporter struct {
	*otlptrace.Exporter
	log   *slog.Logger
	count func(spans int, err error)
	down  atomic.Bool
}

// ExportSpans implements sdktrace.SpanExporter. It never fails: nobody could
// do anything about it.
func (e *exporter) ExportSpans(ctx context.Context, all []sdk.ReadOnlySpan) error {
	err := e.Exporter.ExportSpans(ctx, all)
	if err != nil {
		e.failed(err)
	} else if e.down.Swap(false) {
		e.log.Info("the collector takes traces again")
	}
	e.count(len(all), err)
	return nil
}

func (e *exporter) failed(err error) {
	if !e.down.Swap(true) {
		e.log.Warn("the collector does not take traces; nothing else is affected", "error", discreet(err))
	}
}

// said is where an error begins to quote the collector, which may quote us.
var said = regexp.MustCompile(`(?s)\(?body: .*`)

// discreet is what of an exporter's error may be logged.
func discreet(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	text := said.ReplaceAllString(err.Error(), "…")
	if len(text) > 300 {
		text = text[:300] + "…"
	}
	return text
}
