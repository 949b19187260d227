package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// traceID is the run's uuid, so that whoever goes on with a run goes on with
// its trace, and the run is found by its id.
func traceID(run string) (id trace.TraceID) {
	raw, err := hex.DecodeString(strings.ReplaceAll(run, "-", ""))
	if err != nil || len(raw) != len(id) {
		sum := sha256.Sum256([]byte(run))
		raw = sum[:len(id)]
	}
	copy(id[:], raw)
	return id
}

// spanID follows from what the span is of. What two processes send of the same
// work is the same span, and nothing hangs under a parent that another process
// took with it.
func (w *watched) spanID(kind, key string) (id trace.SpanID) {
	sum := sha256.Sum256([]byte(w.trace.String() + " " + kind + " " + key))
	copy(id[:], sum[:])
	return id
}

type idsKey struct{}

type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

// given is an IDGenerator whose ids come in the context.
type given struct{}

// NewIDs implements sdktrace.IDGenerator.
func (given) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	all, _ := ctx.Value(idsKey{}).(ids)
	return all.trace, all.span
}

// NewSpanID implements sdktrace.IDGenerator.
func (given) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	all, _ := ctx.Value(idsKey{}).(ids)
	return all.span
}
