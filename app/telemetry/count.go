package telemetry

import (
	"strings"
	"sync"
	"time"

	"vivra/app"
)

// ended counts a span's work.
func (m *Metrics) ended(s *Span, took time.Duration) {
	if m == nil {
		return
	}
	switch s.kind {
	case kindRun:
		m.runs.WithLabelValues(s.run.Agent, s.end()).Inc()
	case kindTurn:
		m.turns.WithLabelValues(s.run.Agent).Observe(took.Seconds())
	case kindTool:
		if s.outcome != "" {
			m.toolCalls.WithLabelValues(s.tool, s.outcome).Inc()
		}
	case kindCall:
		if s.booked != nil {
			m.paid(s)
			m.latency.WithLabelValues(s.run.Agent, m.models.of(s.model)).Observe(took.Seconds())
		}
	}
}

// end is how a run ended, as a label.
func (s *Span) end() string {
	switch s.fault.kind {
	case "":
		return "succeeded"
	case "budget_exceeded":
		return s.fault.kind
	default:
		return "failed"
	}
}

// paid counts what the ledger booked for a call.
func (m *Metrics) paid(s *Span) {
	if m == nil {
		return
	}
	agent, model := s.run.Agent, m.models.of(s.model)
	m.modelCalls.WithLabelValues(agent, model, s.booked.State).Inc()
	m.cost.WithLabelValues(agent, model).Add(dollars(max(s.booked.Cost, 0)))
	if u := s.booked.Usage; u != nil && u.Reported {
		m.count(agent, model, *u)
	}
}

// The kinds of log lines that a platform charges for.
const (
	chargedPublication = "publication"
	chargedRead        = "read"
)

// Logged counts what a platform charged for, as a log line tells it. What models
// and pictures cost is counted with their calls.
func (m *Metrics) Logged(line app.EventLine) {
	if m == nil || line.Cost <= 0 || line.Kind != chargedPublication && line.Kind != chargedRead {
		return
	}
	m.charges.WithLabelValues(line.Kind).Inc()
	m.cost.WithLabelValues(line.Agent, m.models.of(line.Model)).Add(dollars(line.Cost))
}

func (m *Metrics) count(agent, model string, u app.Usage) {
	for kind, n := range map[string]int64{"input": u.PromptTokens, "cached": u.CachedTokens, "output": u.BillableOutput(), "reasoning": u.ReasoningTokens} {
		m.tokens.WithLabelValues(agent, model, kind).Add(float64(max(n, 0)))
	}
}

func (m *Metrics) handedOver(agent string) {
	if m != nil {
		m.runs.WithLabelValues(agent, "handed_over").Inc()
	}
}

func (m *Metrics) refused(wall string) {
	if m != nil {
		m.refusals.WithLabelValues(wall).Inc()
	}
}

// export counts spans that were sent, or lost with a collector.
func (m *Metrics) export(spans int, err error) {
	if m == nil {
		return
	}
	result := "sent"
	if err != nil {
		result = "lost"
	}
	m.exported.WithLabelValues(result).Add(float64(spans))
}

// limited keeps a label that settings can fill from growing without end.
type limited struct {
	mu   sync.Mutex
	seen map[string]bool
}

const mostValues = 50

func (l *limited) of(value string) string {
	value = strings.ToValidUTF8(value, "\uFFFD")
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.seen[value] {
		if len(l.seen) >= mostValues {
			return "other"
		}
		if l.seen == nil {
			l.seen = make(map[string]bool)
		}
		l.seen[value] = true
	}
	return value
}
