// Package modelsim is a local OpenAI-compatible server whose models play the
// six agents from a script: seeded, instant, and strict about what it is asked.
package modelsim

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Options say how the server behaves.
type Options struct {
	APIKey string // every call must bear it
	Seed   int64
	// Latency is how long an answer takes, by the wall clock. A streamed one
	// begins after half of it.
	Latency time.Duration
	// Piece is how many bytes of text a streamed piece has; 0: few pieces.
	Piece int
	// Models are those that the server has; none: it has any.
	Models []string
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
	// Obey makes every agent do what any text tells it that it reads (obey.go).
	Obey bool
	// NoTools are models that refuse tools, NoUsage those that never report what
	// they used, NoStream those that answer in one piece whatever they are asked.
	NoTools, NoUsage, NoStream []string
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
	fault, ok := s.fault()
	if ok && !fault.midway() {
		fault.serve(w, r)
		return
	}
	if problem := s.admit(r); problem != nil {
		refuse(w, *problem)
		return
	}
	req, problem := parse(raw)
	if problem == nil {
		problem = s.serves(req)
	}
	if problem != nil {
		refuse(w, *problem)
		return
	}
	s.reply(fault.within(w, r), r, req)
}

// reply answers a valid request.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, req Request) {
	streams := req.Stream && !slices.Contains(s.modes().NoStream, req.Model)
	before, during := s.o.Latency, time.Duration(0)
	if streams {
		before, during = before/2, before/2
	}
	if !sleep(r, before) {
		return
	}
	a := s.answer(req)
	if a.Fault != nil {
		if !a.Fault.midway() {
			a.Fault.serve(w, r)
			return
		}
		w = a.Fault.within(w, r)
	}
	if !streams {
		a.write(w, req, s.created())
		return
	}
	a.stream(w, r, a.chunks(req, s.created(), s.o.Piece), during)
}

func (s *Server) modes() Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// serves tells whether the model is here and can do what it is asked.
func (s *Server) serves(req Request) *apiError {
	switch {
	case len(s.o.Models) > 0 && !slices.Contains(s.o.Models, req.Model):
		return &apiError{status: 404, Message: fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", req.Model), Type: "invalid_request_error", Code: "model_not_found"}
	case len(req.Tools) > 0 && slices.Contains(s.modes().NoTools, req.Model):
		return fail("tools", "%s does not support tools", req.Model)
	}
	return nil
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
	a, ok := Answer{}, false
	if script != nil {
		a, ok = script(req)
	}
	switch {
	case ok:
	case req.forced != nil:
		a = obliged(*req.forced)
	default:
		a = perform(req, s.o.Seed, mode)
		if mode.InvalidOutput != 0 && spoil(&a) {
			s.spoiled()
		}
	}
	if slices.Contains(mode.NoUsage, req.Model) {
		a.Usage = json.RawMessage("null")
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
