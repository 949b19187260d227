package boot

import (
	"context"
	"fmt"
	"log/slog"
	"net"

	"vivra/app/postgres"
	"vivra/app/telemetry"
)

// Telemetry says who is told what runs do and cost.
type Telemetry struct {
	// Traces sends spans, to where the standard OTEL_* variables say.
	Traces bool
	// Collector takes the place of OTEL_EXPORTER_OTLP_ENDPOINT when set.
	Collector string
	// TraceContent sends what models and tools say, too.
	TraceContent bool
	// MetricsAddr is where /metrics is served; empty: nowhere.
	MetricsAddr     string
	MetricsListener net.Listener // takes the place of MetricsAddr when set
	// Version of the program.
	Version string
}

func (c Config) telemetry(store *postgres.Store, log *slog.Logger) telemetry.Config {
	return telemetry.Config{Traces: c.Traces, Collector: c.Collector, Content: c.TraceContent, Metrics: c.MetricsAddr != "" || c.MetricsListener != nil,
		Version: c.Version, Clock: c.Clock, Wall: c.Wall, Ledger: store, Database: store, Log: log}
}

// serveMetrics answers scrapers at an address of their own, until ctx ends.
func (a *App) serveMetrics(ctx context.Context) error {
	if a.watch.Metrics == nil {
		return nil
	}
	listener := a.Config.MetricsListener
	if listener == nil {
		var err error
		if listener, err = net.Listen("tcp", a.Config.MetricsAddr); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	a.log.InfoContext(ctx, "serving metrics", "url", "http://"+listener.Addr().String()+telemetry.Path)
	return serve(ctx, listener, "", a.watch.Metrics.Handler())
}
