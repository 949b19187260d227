package telemetry_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vivra/app/internal/testotlp"
	"vivra/app/telemetry"
)

// TestNobodyListens: without telemetry there is no tracer, and watching costs
// no memory.
func TestNobodyListens(t *testing.T) {
	p := start(t, telemetry.Config{})
	if p.Tracer != nil || p.Metrics != nil {
		t.Fatal("something is watched for nobody")
	}
	ctx := t.Context()
	req, u := request(), settled(1)
	allocations := testing.AllocsPerRun(100, func() {
		ctx, run := p.Tracer.Run(ctx, telemetry.RunInfo{ID: runID})
		ctx, turn := p.Tracer.Turn(ctx, 1)
		_, call := p.Tracer.ModelCall(ctx, telemetry.CallInfo{ID: 1, Request: req})
		call.Booked(u)
		call.Fail(context.Canceled)
		call.End()
		_, tool := p.Tracer.ToolCall(ctx, "x_post", "c1")
		tool.End()
		telemetry.PaidCall(ctx, 1, "m").End()
		telemetry.Refused(ctx, context.Canceled)
		p.Tracer.Refused(context.Canceled)
		turn.End()
		run.Drop()
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
	var none *telemetry.Watch
	if stop, err := none.Start(ctx); err != nil || none.Flush(ctx) != nil {
		t.Error(err)
	} else {
		stop()
	}
}

// TestDeadCollector: runs hear nothing of it, the log once, the end in seconds.
func TestDeadCollector(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20hunter2")
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	var all sync.WaitGroup
	for name, address := range map[string]string{
		"gone": gone.URL,
		"hanging": serving(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the request noticed
			<-r.Context().Done()
		}),
		"busy":     serving(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }),
		"refusing": serving(t, refuse(http.StatusUnauthorized)),
		"quoting":  serving(t, refuse(http.StatusTooManyRequests)),
		"no such":  "http://collector.invalid:4318",
	} {
		p := start(t, telemetry.Config{Traces: true, Collector: address + "/v1/traces"})
		all.Go(func() { p.assertUnharmed(name) })
	}
	all.Wait()
}

func (p *process) assertUnharmed(name string) {
	began := time.Now()
	for n := range 300 { // more spans than the queue holds
		ctx, run := p.Tracer.Run(p.t.Context(), telemetry.RunInfo{ID: fmt.Sprint("run ", n), Agent: "cm"})
		for turn := range 4 {
			p.turn(ctx, turn+1, int64(turn), 1)
		}
		run.End()
	}
	if took := time.Since(began); took > 10*time.Second {
		p.t.Errorf("%s: 3900 spans took %s", name, took)
	}
	began = time.Now()
	p.stop()
	if took := time.Since(began); took > 10*time.Second {
		p.t.Errorf("%s: the end took %s", name, took)
	}
	if lines := strings.Count(p.log.String(), "\n"); lines != 1 {
		p.t.Errorf("%s: %d lines were logged, want 1:\n%s", name, lines, p.log)
	}
	if strings.Contains(p.log.String(), "hunter2") {
		p.t.Errorf("%s: a secret was logged: %s", name, p.log)
	}
}

// refuse quotes what it was sent, as an unkind proxy may.
func refuse(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "who is "+r.Header.Get("Authorization")+"?", status)
	}
}

func serving(t *testing.T, h http.HandlerFunc) string {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// TestCollectorComesBack: it takes what comes from then on, and both are logged.
func TestCollectorComesBack(t *testing.T) {
	t.Parallel()
	to := testotlp.New(t)
	down := make(chan struct{}, 1)
	down <- struct{}{}
	address := serving(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-down:
			http.Error(w, "not now", http.StatusBadRequest)
		default:
			to.ServeHTTP(w, r)
		}
	})
	p := start(t, telemetry.Config{Traces: true, Collector: address + "/v1/traces", Metrics: true})
	for n := range 2 {
		_, run := p.Tracer.Run(t.Context(), telemetry.RunInfo{ID: fmt.Sprint("run ", n), Agent: "cm"})
		run.End()
		p.flush()
	}
	if len(to.Spans()) != 1 || strings.Count(p.log.String(), "\n") != 2 || !strings.Contains(p.log.String(), "takes traces again") {
		t.Errorf("%d spans came; logged:\n%s", len(to.Spans()), p.log)
	}
	if text := scraped(t, p); !strings.Contains(text, `vivra_trace_spans_total{result="lost"} 1`) || !strings.Contains(text, `vivra_trace_spans_total{result="sent"} 1`) {
		t.Error("the spans are not counted")
	}
}

// TestStandardVariables: the SDK reads where to send, with which headers, and
// who sends.
func TestStandardVariables(t *testing.T) {
	to := testotlp.New(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to.Endpoint)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "tenant=seven")
	t.Setenv("OTEL_SERVICE_NAME", "vivra-staging")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=staging")
	p := start(t, telemetry.Config{Traces: true})
	_, run := p.Tracer.Run(t.Context(), info())
	run.End()
	p.stop() // sends what is left
	if len(to.Spans()) != 1 || to.Headers()[0].Get("Tenant") != "seven" {
		t.Errorf("%d spans came with %v", len(to.Spans()), to.Headers())
	}
	if r := to.Resource(); r["service.name"] != "vivra-staging" || r["deployment.environment.name"] != "staging" {
		t.Errorf("the sender is %v", r)
	}
}

// TestSampledRuns: a ratio holds although a uuid is not all chance, and it is
// the same for each process that works on a run.
func TestSampledRuns(t *testing.T) {
	const runs = 2000
	for _, sampler := range []string{"traceidratio", "parentbased_traceidratio"} {
		t.Setenv("OTEL_TRACES_SAMPLER", sampler)
		t.Setenv("OTEL_TRACES_SAMPLER_ARG", "0.25")
		to := testotlp.New(t)
		first, second := start(t, tracing(to)), start(t, tracing(to))
		for n := range runs {
			id := uuid(t)
			ctx, run := first.Tracer.Run(t.Context(), telemetry.RunInfo{ID: id, Agent: "cm"})
			_, turn := first.Tracer.Turn(ctx, 1)
			turn.End()
			run.Drop()
			_, run = second.Tracer.Run(t.Context(), telemetry.RunInfo{ID: id, Agent: "cm"})
			run.End()
			if n%200 == 0 {
				first.flush()
				second.flush()
			}
		}
		first.flush()
		second.flush()
		whole := make(map[string]int)
		for _, s := range to.Spans() {
			whole[s.Trace]++
		}
		for id, n := range whole {
			if n != 2 {
				t.Fatalf("%s: %d spans of run %s came, want both or none", sampler, n, id)
			}
		}
		if share := float64(len(whole)) / runs; share < .21 || share > .29 {
			t.Errorf("%s: %.1f %% of the runs came", sampler, 100*share)
		}
	}
}

// uuid is a random one, as the database makes them.
func uuid(t *testing.T) string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
