package telemetry

import (
	"context"
	"fmt"
	"sync"

	otel "go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// spans sends spans to a collector, once it was started; nil sends none. The SDK
// reads the standard OTEL_* variables: where to, with which headers, how many at
// a time.
type spans struct {
	config   Config
	exporter *exporter
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	sampler  trace.Tracer // decides, sends nothing

	hurry   chan struct{} // a run has ended: its trace goes out at once
	quit    chan struct{}
	ending  sync.Once
	courier sync.WaitGroup
}

func newSpans(c Config, count func(spans int, err error)) *spans {
	var options []otlptracehttp.Option
	if c.Collector != "" {
		options = append(options, otlptracehttp.WithEndpointURL(c.Collector))
	}
	to := otlptrace.NewUnstarted(otlptracehttp.NewClient(options...))
	return &spans{config: c, exporter: &exporter{Exporter: to, log: c.Log, count: count}, hurry: make(chan struct{}, 1), quit: make(chan struct{})}
}

// start begins to take spans and to send them; it reaches nothing yet.
func (s *spans) start(ctx context.Context) error {
	if s == nil {
		return nil
	}
	if err := s.exporter.Start(ctx); err != nil {
		return fmt.Errorf("start sending traces: %w", err)
	}
	about, err := describe(s.config.Version)
	if err != nil {
		s.config.Log.Warn("traces tell only in part who sends them", "error", err)
	}
	s.sampler = sdk.NewTracerProvider(sdk.WithIDGenerator(given{})).Tracer(scopeName)
	s.provider = sdk.NewTracerProvider(sdk.WithBatcher(s.exporter), sdk.WithResource(about), sdk.WithIDGenerator(given{}), sdk.WithSampler(sdk.AlwaysSample()))
	s.tracer = s.provider.Tracer(scopeName, trace.WithSchemaURL(schemaURL), trace.WithInstrumentationVersion(s.config.Version))
	s.courier.Go(s.carry)
	return nil
}

// carry sends the batch whenever a run has ended: nobody sends the end of a
// trace again when this process dies.
func (s *spans) carry() {
	for {
		select {
		case <-s.quit:
			return
		case <-s.hurry:
		}
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		_ = s.provider.ForceFlush(ctx) // the exporter has said what went wrong
		cancel()
	}
}

func (s *spans) soon() {
	if s == nil || s.provider == nil { // not started
		return
	}
	select {
	case s.hurry <- struct{}{}:
	default: // it is on its way
	}
}

// stop sends what is left, for as long as ctx allows.
func (s *spans) stop(ctx context.Context) {
	if s == nil || s.provider == nil {
		return
	}
	s.ending.Do(func() {
		close(s.quit)
		if err := s.provider.Shutdown(ctx); err != nil {
			s.exporter.failed(err)
			_ = s.exporter.Shutdown(ctx) // ends a request that hangs
		}
		s.courier.Wait()
	})
}

// describe says who sends. What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
// say comes last and holds.
func describe(version string) (*resource.Resource, error) {
	return resource.New(context.Background(), resource.WithTelemetrySDK(), resource.WithHost(), resource.WithProcessPID(),
		resource.WithAttributes(otel.String("service.name", "vivra"), otel.String("service.version", version)), resource.WithFromEnv())
}

// samples decides for a whole run, by OTEL_TRACES_SAMPLER. It gives the sampler
// a hash for an id: the one of a run has fixed bits where a ratio looks.
func (s *spans) samples(run trace.TraceID) bool {
	if s == nil || s.sampler == nil {
		return false
	}
	mixed := traceID("sampled " + run.String())
	ctx := context.WithValue(context.Background(), idsKey{}, ids{mixed, trace.SpanID(mixed[:8])})
	_, span := s.sampler.Start(ctx, "invoke_agent")
	return span.SpanContext().IsSampled()
}

// send makes a span of what was noted and hands it to the batch. It waits for
// nothing: when the collector is slow, spans are lost.
func (s *spans) send(of *Span) {
	if s == nil || !of.run.sampled {
		return
	}
	ctx := context.WithValue(context.Background(), idsKey{}, ids{of.run.trace, of.id})
	if of.parent != nil {
		ctx = trace.ContextWithSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: of.run.trace, SpanID: of.parent.id, TraceFlags: trace.FlagsSampled}))
	}
	_, span := s.tracer.Start(ctx, of.name, trace.WithTimestamp(of.began), trace.WithSpanKind(of.kind.otel()), trace.WithAttributes(of.given...))
	if of.fault.kind != "" {
		span.SetAttributes(keyError.String(of.fault.kind))
		span.SetStatus(codes.Error, s.description(of.fault))
	}
	span.End(trace.WithTimestamp(of.until))
}

func (s *spans) description(f fault) string {
	if s.config.Content && f.message != "" {
		return clip(f.message)
	}
	return f.kind
}

func (k kind) otel() trace.SpanKind {
	if k == kindCall {
		return trace.SpanKindClient
	}
	return trace.SpanKindInternal
}
