package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/telemetry"
)

func scraped(t testing.TB, p *process) string {
	t.Helper()
	answer := httptest.NewRecorder()
	p.Metrics.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%d: %v", answer.Code, err)
	}
	return string(text)
}

func TestRunIsCounted(t *testing.T) {
	t.Parallel()
	p := start(t, telemetry.Config{Metrics: true})
	ctx, run := p.Tracer.Run(t.Context(), info())
	p.turn(ctx, 1, 1, 3_000_000)
	_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: 2, Request: request()})
	call.Fail(&agent.ModelError{Status: 429, Reason: "rate_limited"})
	call.Booked(app.CallOutcome{State: "failed"})
	call.End()
	_, tool := p.Tracer.ToolCall(ctx, "", "c7")
	tool.Returned(nil, agent.Outcome{Refused: true})
	tool.End()
	run.End()
	_, run = p.Tracer.Run(t.Context(), info())
	run.Fail(fmt.Errorf("step: %w", &app.BudgetError{Wall: "agent"}))
	p.Tracer.Refused(fmt.Errorf("step: %w", &app.BudgetError{Wall: "agent"}))
	p.Tracer.Refused(errors.New("not a wall"))
	run.End()
	_, run = p.Tracer.Run(t.Context(), info())
	run.Drop()

	for _, line := range []app.EventLine{{Kind: "publication", Agent: "system", Model: "x", Cost: 15_000_000, Step: "cm.daily_post.d03"}, {Kind: "publication", Agent: "system"},
		{Kind: "read", Agent: "cm", Model: "x", Cost: 5_000_000}, {Kind: "read", Agent: "cm", Model: "x", Cost: 10_000_000}, {Kind: "model_call", Agent: "cm", Model: "gpt-5", Cost: 3_000_000}} {
		p.Metrics.Logged(line)
	}
	(*telemetry.Metrics)(nil).Logged(app.EventLine{Kind: "read", Cost: 1})

	text := scraped(t, p)
	for _, want := range []string{
		`vivra_model_calls_total{agent="cm",model="gpt-5",state="settled"} 1`,
		`vivra_model_calls_total{agent="cm",model="gpt-5",state="failed"} 1`,
		`vivra_model_tokens_total{agent="cm",kind="input",model="gpt-5"} 1000`,
		`vivra_model_tokens_total{agent="cm",kind="cached",model="gpt-5"} 600`,
		`vivra_model_tokens_total{agent="cm",kind="output",model="gpt-5"} 200`,
		`vivra_call_cost_dollars_total{agent="cm",model="gpt-5"} 0.003`,
		`vivra_call_cost_dollars_total{agent="system",model="x"} 0.015`,
		`vivra_call_cost_dollars_total{agent="cm",model="x"} 0.015`,
		`vivra_platform_charges_total{kind="publication"} 1`,
		`vivra_platform_charges_total{kind="read"} 2`,
		`vivra_model_call_seconds_sum{agent="cm",model="gpt-5"} 2`,
		`vivra_turn_seconds_sum{agent="cm"} 3`,
		`vivra_tool_calls_total{outcome="ok",tool="x_post"} 1`,
		`vivra_tool_calls_total{outcome="refused",tool="unknown"} 1`,
		`vivra_runs_total{agent="cm",end="succeeded"} 1`,
		`vivra_runs_total{agent="cm",end="budget_exceeded"} 1`,
		`vivra_runs_total{agent="cm",end="handed_over"} 1`,
		`vivra_reservations_refused_total{wall="agent"} 1`,
		`go_goroutines `, `process_start_time_seconds `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not told", want)
		}
	}
	for _, made := range []string{"dodo", runID, "cm.daily_post.d03"} {
		if strings.Contains(text, made) {
			t.Errorf("%s is a label", made)
		}
	}
}

// TestLabelsAreBounded: models are named in settings and methods by visitors.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	p := start(t, telemetry.Config{Metrics: true})
	for n := range 1000 {
		ctx, _ := p.Tracer.Run(t.Context(), info())
		_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: int64(n), Request: agent.Request{Model: fmt.Sprint("model\xff", n)}})
		call.Booked(app.CallOutcome{State: "failed"})
		call.End()
		p.Metrics.Request(fmt.Sprint("METHOD", n), "", false)(404)
	}
	text := scraped(t, p)
	if n := strings.Count(text, "vivra_model_calls_total{"); n > 51 {
		t.Errorf("there are %d series of calls", n)
	}
	if !strings.Contains(text, `vivra_http_requests_total{method="other",route="none",status="404"} 1000`) {
		t.Error("methods that are made up are not one")
	}
}

func TestRequestsAreCounted(t *testing.T) {
	t.Parallel()
	p := start(t, telemetry.Config{Metrics: true})
	left := p.Metrics.Request("GET", "/operations/:slug/live", true)
	answered := p.Metrics.Request("POST", "/admin/sign-in", false)
	p.wall.Advance(3 * time.Second)
	answered(303)
	if text := scraped(t, p); !strings.Contains(text, "vivra_live_viewers 1\n") ||
		!strings.Contains(text, `vivra_http_requests_total{method="POST",route="/admin/sign-in",status="303"} 1`) ||
		!strings.Contains(text, `vivra_http_request_seconds_sum{route="/admin/sign-in"} 3`) {
		t.Error(text)
	}
	left(200)
	if text := scraped(t, p); !strings.Contains(text, "vivra_live_viewers 0\n") || strings.Contains(text, `seconds_sum{route="/operations/:slug/live"}`) {
		t.Error(text)
	}
	for _, path := range []string{"/", "/debug/pprof/"} {
		answer := httptest.NewRecorder()
		p.Metrics.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
		if answer.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", path, answer.Code)
		}
	}
}

type database func(ctx context.Context) (app.Gauges, error)

func (d database) Gauges(ctx context.Context, _ time.Time) (app.Gauges, error) { return d(ctx) }

// TestDatabaseIsDown: a scrape tells so, and the rest.
func TestDatabaseIsDown(t *testing.T) {
	t.Parallel()
	p := start(t, telemetry.Config{Metrics: true, Database: database(func(ctx context.Context) (app.Gauges, error) {
		<-ctx.Done()
		return app.Gauges{}, ctx.Err()
	})})
	began := time.Now()
	if text := scraped(t, p); !strings.Contains(text, "vivra_database_up 0\n") || !strings.Contains(text, "go_goroutines") || strings.Contains(text, "vivra_steps") {
		t.Error(text)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("a scrape took %s", took)
	}
}

func TestGauges(t *testing.T) {
	t.Parallel()
	late := noon.Add(-90 * time.Second)
	p := start(t, telemetry.Config{Metrics: true, Database: database(func(context.Context) (app.Gauges, error) {
		return app.Gauges{Operations: map[string]int{"running": 2}, Steps: map[string]int{"pending": 80, "failed": 1}, Effects: map[string]int{"unknown": 3},
			Alerts: map[string]int{"budget_warning": 4}, OpenAlerts: map[string]int{"budget_warning": 1}, Waiting: 5, OldestWaiting: &late, Spent: 1_500_000_000}, nil
	})})
	text := scraped(t, p)
	for _, want := range []string{
		`vivra_database_up 1`, `vivra_operations{state="running"} 2`, `vivra_steps{state="pending"} 80`, `vivra_effects{state="unknown"} 3`,
		`vivra_alerts_total{kind="budget_warning"} 4`, `vivra_alerts_open{kind="budget_warning"} 1`, `vivra_validations_waiting 5`,
		`vivra_overdue_seconds{kind="validation"} 90`, `vivra_overdue_seconds{kind="step"} 0`, `vivra_budget_dollars{part="spent"} 1.5`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("%s is not told", want)
		}
	}
}

// BenchmarkTurn is what watching a turn costs.
func BenchmarkTurn(b *testing.B) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, c := range map[string]telemetry.Config{"nobody": {}, "metrics": {Metrics: true}, "traces": {Traces: true, Metrics: true, Collector: gone.URL + "/v1/traces"}} {
		b.Run(name, func(b *testing.B) {
			p := start(b, c)
			ctx, _ := p.Tracer.Run(b.Context(), info())
			b.ReportAllocs()
			for b.Loop() {
				p.turn(ctx, 1, 1, 1)
			}
		})
	}
}
