package telemetry

import (
	"context"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"

	"vivra/app"
)

// Database tells what there is, when it is asked.
type Database interface {
	Gauges(ctx context.Context, now time.Time) (app.Gauges, error)
}

// scrape bounds how long a scrape waits for the database.
const scrape = 2 * time.Second

// gauges reads the database once per scrape. When it does not answer, the
// numbers of this process are still told.
type gauges struct {
	database Database
	clock    clockwork.Clock
	log      *slog.Logger
}

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(namespace+"_"+name, help, labels, nil)
}

// The descriptions never change.
var (
	descUp         = gauge("database_up", "Whether the database answered this scrape.")
	descOperations = gauge("operations", "Takeovers.", "state")
	descSteps      = gauge("steps", "Steps of takeovers that are not over.", "state")
	descEffects    = gauge("effects", "Publications of takeovers that are not over.", "state")
	descWaiting    = gauge("validations_waiting", "Outputs that no one has decided on.")
	descOverdue    = gauge("overdue_seconds", "How long the oldest of them has been due: a step that has not begun, a publication that is not out, an output that waits. 0: none is.", "kind")
	descAlerts     = gauge("alerts_total", "Alerts ever raised; agent: by an agent.", "kind")
	descOpen       = gauge("alerts_open", "Alerts that no one has seen to.", "kind")
	descMoney      = gauge("budget_dollars", "Caps of takeovers that are not over, and what of them is spent and reserved, publications included.", "part")
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descUp, descOperations, descSteps, descEffects, descWaiting, descOverdue, descAlerts, descOpen, descMoney} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrape)
	defer cancel()
	now := g.clock.Now()
	read, err := g.database.Gauges(ctx, now)
	if err != nil {
		g.log.Warn("the database does not answer a scrape", "error", err)
		to <- prometheus.MustNewConstMetric(descUp, prometheus.GaugeValue, 0)
		return
	}
	to <- prometheus.MustNewConstMetric(descUp, prometheus.GaugeValue, 1)
	tell(to, descOperations, prometheus.GaugeValue, read.Operations)
	tell(to, descSteps, prometheus.GaugeValue, read.Steps)
	tell(to, descEffects, prometheus.GaugeValue, read.Effects)
	tell(to, descAlerts, prometheus.CounterValue, read.Alerts)
	tell(to, descOpen, prometheus.GaugeValue, read.OpenAlerts)
	to <- prometheus.MustNewConstMetric(descWaiting, prometheus.GaugeValue, float64(read.Waiting))
	for kind, since := range map[string]*time.Time{"step": read.OldestStep, "effect": read.OldestEffect, "validation": read.OldestWaiting} {
		to <- prometheus.MustNewConstMetric(descOverdue, prometheus.GaugeValue, secondsSince(since, now), kind)
	}
	for part, n := range map[string]app.Nano{"cap": read.Cap, "spent": read.Spent, "reserved": read.Reserved} {
		to <- prometheus.MustNewConstMetric(descMoney, prometheus.GaugeValue, dollars(n), part)
	}
}

func tell(to chan<- prometheus.Metric, desc *prometheus.Desc, as prometheus.ValueType, counts map[string]int) {
	for label, n := range counts {
		to <- prometheus.MustNewConstMetric(desc, as, float64(n), label)
	}
}

func secondsSince(since *time.Time, now time.Time) float64 {
	if since == nil {
		return 0
	}
	return max(now.Sub(*since).Seconds(), 0)
}
