package marketsim

import (
	"net/http"
	"strings"
)

// Fault is how the next answers go wrong.
type Fault struct {
	// Service limits it to "dexscreener" or "geckoterminal"; empty is both.
	Service string
	// Times is how many answers, 0 for one.
	Times int
	// Status is answered: 429 with Retry-After, 200 with a web page, any other
	// with an empty JSON object.
	Status int
	// Close drops the connection without an answer.
	Close bool
}

// Fail makes the next answers go wrong.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.fault = &f
}

// noted keeps the request and returns the fault that meets it, if one does.
func (s *Server) noted(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	if s.fault == nil || s.fault.Times == 0 || !strings.HasPrefix(r.URL.Path, "/"+s.fault.Service) {
		return nil
	}
	s.fault.Times--
	return s.fault
}

func (f *Fault) play(w http.ResponseWriter) {
	switch {
	case f.Close:
		panic(http.ErrAbortHandler)
	case f.Status == http.StatusOK:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Just a moment...</title>"))
		return
	case f.Status == http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "60")
	}
	writeJSON(w, f.Status, map[string]any{})
}
