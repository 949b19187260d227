package web

import (
	"bytes"
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/starfederation/datastar-go/datastar"
)

// frame is an event of a stream as bytes, so that many viewers can be sent the
// same ones.
func frame(html string, opts ...datastar.PatchElementOption) ([]byte, error) {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
	if err != nil {
		return nil, err
	}
	var out paper
	err = datastar.NewSSE(&out, request).PatchElements(returns.Replace(html), opts...)
	return out.Bytes(), err
}

// frameOf is the frame of a part of a page.
func frameOf(ctx context.Context, part templ.Component, opts ...datastar.PatchElementOption) ([]byte, error) {
	html, err := rendered(ctx, part)
	if err != nil {
		return nil, err
	}
	return frame(html, opts...)
}

// paper takes what is written to a response.
type paper struct {
	bytes.Buffer
	head http.Header
}

// Header implements http.ResponseWriter.
func (p *paper) Header() http.Header {
	if p.head == nil {
		p.head = http.Header{}
	}
	return p.head
}

// WriteHeader implements http.ResponseWriter.
func (*paper) WriteHeader(int) {}

// Flush implements http.Flusher.
func (*paper) Flush() {}
