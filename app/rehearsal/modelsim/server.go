// Package modelsim is a local OpenAI-compatible server whose models play the
// six agents from a script: seeded, instant, and strict about what it is asked.
package modelsim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Options say how the server behaves.
type Options struct {
	APIKey string // every call must bear it
	Seed   int64
	// Latency is how long an answer takes, by the wall clock.
	Latency time.Duration
	// Now dates the answers; nil: they bear no date.
	Now func() time.Time
}

// Mode makes the agents misbehave.
type Mode struct {
	// InvalidOutput spoils that many finishes; a negative number spoils all.
	InvalidOutput int
	// UnknownTool makes each run begin with a call of a tool it was not given.
	UnknownTool bool
	// Talk makes each run begin with that many turns of text without a tool call.
	Talk int
}

// Fault is one way for a call to fail before any model sees it.
type Fault struct {
	Status      int    // of the answer; 0: 500
	Body        string // empty: an error as the real API words it
	ContentType string // empty: JSON
	RetryAfter  string // the header, empty for none
	Times       int    // how many calls it meets; 0: one
	Hang        bool   // give no answer until the caller leaves
	Close       bool   // break the connection instead of answering
}

// Server is an http.Handler. It is safe for concurrent use.
type Server struct {
	o Options

	mu       sync.Mutex
	script   func(Request) (Answer, bool)
	faults   []Fault
	mode     Mode
	requests []Request
	count    int
}

// kept is how many requests Requests can show.
const kept = 500

// New returns a server.
func New(o Options) *Server { return &Server{o: o} }

// Script lets a test answer first; what it does not answer the agents do.
func (s *Server) Script(answer func(Request) (Answer, bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = answer
}

// Fail makes the next calls fail. Faults wait in line.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.faults = append(s.faults, f)
}

// SetMode changes how the agents behave from the next call on.
func (s *Server) SetMode(m Mode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mode = m
}

// Requests returns the last valid requests, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count returns how many valid requests there were.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// maxBody bounds a request, in bytes.
const maxBody = 16 << 20

// ServeHTTP answers POST /v1/chat/completions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, invalid("", "could not read the request body"))
		return
	}
	if f, ok := s.fault(); ok {
		f.serve(w, r)
		return
	}
	if problem := s.admit(r); problem != nil {
		refuse(w, *problem)
		return
	}
	req, problem := parse(raw)
	if problem != nil {
		refuse(w, *problem)
		return
	}
	if !s.wait(r) {
		return
	}
	s.answer(req).write(w, req, s.created())
}

func (s *Server) created() int64 {
	if s.o.Now == nil {
		return 0
	}
	return s.o.Now().Unix()
}

// admit checks the route and the key.
func (s *Server) admit(r *http.Request) *apiError {
	if r.URL.Path != "/v1/chat/completions" {
		return &apiError{status: 404, Message: fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path), Type: "invalid_request_error"}
	}
	if r.Method != http.MethodPost {
		return &apiError{status: 405, Message: "Not allowed to " + r.Method + " on /v1/chat/completions.", Type: "invalid_request_error"}
	}
	if s.o.APIKey != "" && r.Header.Get("Authorization") != "Bearer "+s.o.APIKey {
		return &apiError{status: 401, Message: "Incorrect API key provided.", Type: "invalid_request_error", Code: "invalid_api_key"}
	}
	return nil
}

// wait takes the configured time; false when the caller left.
func (s *Server) wait(r *http.Request) bool {
	if s.o.Latency <= 0 {
		return true
	}
	select {
	case <-time.After(s.o.Latency):
		return true
	case <-r.Context().Done():
		return false
	}
}

// answer records the request and lets the test's script or the agent answer.
func (s *Server) answer(req Request) Answer {
	s.mu.Lock()
	s.count++
	s.requests = append(s.requests, req)
	if len(s.requests) > kept {
		s.requests = s.requests[1:]
	}
	script, mode := s.script, s.mode
	s.mu.Unlock()
	if script != nil {
		if a, ok := script(req); ok {
			return a.complete(req, s.o.Seed)
		}
	}
	a := perform(req, s.o.Seed, mode)
	if mode.InvalidOutput != 0 && spoil(&a) {
		s.spoiled()
	}
	return a.complete(req, s.o.Seed)
}

// spoiled counts down the finishes that are still to be spoiled.
func (s *Server) spoiled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mode.InvalidOutput > 0 {
		s.mode.InvalidOutput--
	}
}

// fault takes the next fault out of the line.
func (s *Server) fault() (Fault, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return Fault{}, false
	}
	f := s.faults[0]
	if s.faults[0].Times--; s.faults[0].Times == 0 {
		s.faults = s.faults[1:]
	}
	return f, true
}

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

// apiError is an error in the shape of the real API.
type apiError struct {
	status  int
	Message string `json:"message"`
	Type    string `json:"type"`
	Param   string `json:"param"`
	Code    string `json:"code"`
}

func invalid(param, format string, args ...any) apiError {
	return apiError{status: 400, Message: fmt.Sprintf(format, args...), Type: "invalid_request_error", Param: param}
}

// worded is how the real API words a status.
func worded(status int) apiError {
	switch status {
	case http.StatusUnauthorized:
		return apiError{status: status, Message: "Incorrect API key provided.", Type: "invalid_request_error", Code: "invalid_api_key"}
	case http.StatusTooManyRequests:
		return apiError{status: status, Message: "Rate limit reached for requests.", Type: "requests", Code: "rate_limit_exceeded"}
	}
	return apiError{status: status, Message: "The server had an error while processing your request.", Type: "server_error"}
}

func refuse(w http.ResponseWriter, e apiError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(map[string]apiError{"error": e}) // the caller may be gone
}
