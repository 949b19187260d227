package modelsim

import (
	"io"
	"net/http"
)

// Fault is one way for a call to fail: before any model sees it, or in the
// middle of its answer.
type Fault struct {
	Status      int    // of the answer; 0: 500
	Body        string // empty: an error as the real API words it
	ContentType string // empty: JSON
	RetryAfter  string // the header, empty for none
	Times       int    // how many calls it meets; 0: one
	Hang        bool   // give no answer until the caller leaves
	Close       bool   // break the connection instead of answering

	// The request is answered, but after so many bytes of the answer
	CutAfter   int // the connection breaks
	StallAfter int // nothing more comes until the caller leaves
	EndAfter   int // the answer ends, as if it were whole
}

// midway tells whether the fault lets a model answer first.
func (f Fault) midway() bool { return f.CutAfter > 0 || f.StallAfter > 0 || f.EndAfter > 0 }

// serve answers with the fault.
func (f Fault) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case f.Hang:
		<-r.Context().Done()
		return
	case f.Close:
		panic(http.ErrAbortHandler)
	}
	if f.Status == 0 {
		f.Status = http.StatusInternalServerError
	}
	if f.RetryAfter != "" {
		w.Header().Set("Retry-After", f.RetryAfter)
	}
	if f.Body == "" && f.ContentType == "" {
		refuse(w, worded(f.Status))
		return
	}
	w.Header().Set("Content-Type", f.ContentType)
	if f.ContentType == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(f.Status)
	_, _ = io.WriteString(w, f.Body) // the caller may be gone
}

// within returns a writer that the fault strikes.
func (f Fault) within(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if !f.midway() {
		return w
	}
	return &struck{ResponseWriter: w, r: r, fault: f, left: max(f.CutAfter, f.StallAfter, f.EndAfter)}
}

// struck passes an answer on until its fault strikes.
type struck struct {
	http.ResponseWriter
	r     *http.Request
	fault Fault
	left  int
	over  bool
}

// Unwrap lets the answer be flushed.
func (s *struck) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s *struck) Write(p []byte) (int, error) {
	switch {
	case s.over:
		return len(p), nil
	case len(p) < s.left:
		s.left -= len(p)
		return s.ResponseWriter.Write(p)
	}
	_, _ = s.ResponseWriter.Write(p[:s.left]) // the caller may be gone
	_ = http.NewResponseController(s.ResponseWriter).Flush()
	if s.over = true; s.fault.EndAfter > 0 {
		return len(p), nil
	}
	if s.fault.StallAfter > 0 {
		<-s.r.Context().Done()
	}
	panic(http.ErrAbortHandler)
}
