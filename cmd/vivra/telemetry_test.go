package main

import "testing"

func TestTelemetryIsOffUnlessAsked(t *testing.T) {
	const to = "http://collector.example:4318"
	for name, tc := range map[string]struct {
		env             map[string]string
		traces, content bool
	}{
		"nothing":          {env: map[string]string{"OTEL_SERVICE_NAME": "vivra"}},
		"endpoint":         {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to}, traces: true},
		"traces endpoint":  {env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": to + "/v1/traces"}, traces: true},
		"disabled":         {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to, "OTEL_SDK_DISABLED": "TRUE"}},
		"no exporter":      {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to, "OTEL_TRACES_EXPORTER": "none"}},
		"with its content": {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true"}, traces: true, content: true},
		"content refused":  {env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "false"}, traces: true},
		"all that is read elsewhere": {traces: true, env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": to, "OTEL_TRACES_SAMPLER": "ParentBased_TraceIDRatio", "OTEL_TRACES_SAMPLER_ARG": "0.5",
			"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip", "OTEL_EXPORTER_OTLP_TIMEOUT": "5000", "OTEL_BSP_MAX_QUEUE_SIZE": "64"}},
	} {
		e, faults := parse(with(tc.env))
		if got := e.config(nil); len(faults) > 0 || got.Traces != tc.traces || got.TraceContent != tc.content || got.MetricsAddr != "" {
			t.Errorf("%s: traces %v, content %v, metrics at %q, faults %v", name, got.Traces, got.TraceContent, got.MetricsAddr, faults)
		}
	}
}
