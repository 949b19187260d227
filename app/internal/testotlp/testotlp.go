// Package testotlp is a collector for tests: it takes spans by OTLP over HTTP
// and tells what came.
package testotlp

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Collector is a running collector.
type Collector struct {
	// URL is its whole address, Endpoint what OTEL_EXPORTER_OTLP_ENDPOINT takes.
	URL, Endpoint string

	mu       sync.Mutex
	spans    []Span
	raw      strings.Builder
	headers  []http.Header
	resource map[string]any
}

// Span is one that came.
type Span struct {
	Trace, ID, Parent string // hex
	Name              string
	Kind              trace.Span_SpanKind
	Began, Ended      time.Time
	Failed            bool
	Message           string // of the status
	Attributes        map[string]any
}

// New starts a collector, which ends with the test.
func New(t testing.TB) *Collector {
	t.Helper()
	c := new(Collector)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.Endpoint, c.URL = server.URL, server.URL+"/v1/traces"
	return c
}

// ServeHTTP takes one batch of spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var batch collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(body, &batch)
	}
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" {
		http.Error(w, fmt.Sprintf("%s %s: %v", r.Method, r.URL.Path, err), http.StatusBadRequest)
		return
	}
	c.take(&batch, r.Header)
	answer, _ := proto.Marshal(&collector.ExportTraceServiceResponse{})
	w.Header().Set("Content-Type", "application/x-protobuf")
	_, _ = w.Write(answer)
}

func (c *Collector) take(batch *collector.ExportTraceServiceRequest, header http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = append(c.headers, header)
	c.raw.WriteString(protojson.Format(batch))
	for _, from := range batch.ResourceSpans {
		c.resource = attributes(from.Resource.Attributes)
		for _, scope := range from.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, read(s))
			}
		}
	}
}

func read(s *trace.Span) Span {
	return Span{Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name, Kind: s.Kind,
		Began: time.Unix(0, int64(s.StartTimeUnixNano)).UTC(), Ended: time.Unix(0, int64(s.EndTimeUnixNano)).UTC(),
		Failed: s.Status.GetCode() == trace.Status_STATUS_CODE_ERROR, Message: s.Status.GetMessage(), Attributes: attributes(s.Attributes)}
}

func attributes(all []*common.KeyValue) map[string]any {
	out := make(map[string]any)
	for _, kv := range all {
		out[kv.Key] = value(kv.Value)
	}
	return out
}

func value(v *common.AnyValue) any {
	switch v := v.Value.(type) {
	case *common.AnyValue_StringValue:
		return v.StringValue
	case *common.AnyValue_IntValue:
		return v.IntValue
	case *common.AnyValue_DoubleValue:
		return v.DoubleValue
	case *common.AnyValue_BoolValue:
		return v.BoolValue
	case *common.AnyValue_ArrayValue:
		var out []any
		for _, each := range v.ArrayValue.Values {
			out = append(out, value(each))
		}
		return out
	default:
		return fmt.Sprint(v)
	}
}

// Spans are those that came, in order. OTLP delivers at least once: what came
// twice under one id is one span, and the later one holds.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Span
	at := make(map[string]int)
	for _, s := range c.spans {
		if i, again := at[s.Trace+s.ID]; again {
			out[i] = s
			continue
		}
		at[s.Trace+s.ID] = len(out)
		out = append(out, s)
	}
	return out
}

// Trace are the spans of one trace.
func (c *Collector) Trace(id string) (out []Span) {
	for _, s := range c.Spans() {
		if s.Trace == strings.ReplaceAll(id, "-", "") {
			out = append(out, s)
		}
	}
	return out
}

// Text is everything that came, as text, for looking for words.
func (c *Collector) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.raw.String()
}

// Headers are those of each request.
func (c *Collector) Headers() []http.Header {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.headers
}

// Resource is what the newest sender says of itself.
func (c *Collector) Resource() map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource
}
