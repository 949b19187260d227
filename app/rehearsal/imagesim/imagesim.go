// Package imagesim is the images endpoint of the local world: it speaks the
// OpenAI wire format and draws seeded geometric marks.
package imagesim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vivra/app/rehearsal/fault"
)

// Options set up the server. Now is simulated time.
type Options struct {
	Now    func() time.Time
	Seed   int64
	Key    string   // the only accepted key; empty accepts any that is not empty
	Models []string // accepted models; empty accepts any that is not empty
}

// Fault is one way to fail.
type Fault = fault.Fault

// Request is one accepted call.
type Request struct {
	At     time.Time
	Model  string
	Prompt string
	Size   string
	N      int
}

// Server answers POST /v1/images/generations and GET /v1/models.
type Server struct {
	options Options
	faults  fault.Set

	mu       sync.Mutex
	requests []Request
}

// New returns a server.
func New(o Options) *Server {
	s := &Server{options: o}
	s.faults.Body = func(f Fault) (string, []byte) {
		if f.Status == http.StatusTooManyRequests {
			return "application/json", errorBody("", "rate_limit_exceeded", "Rate limit reached for images per minute.")
		}
		return "application/json", errorBody("", "server_error", "The server had an error while processing your request.")
	}
	return s
}

// Fail makes the next requests fail.
func (s *Server) Fail(f Fault) { s.faults.Add(f) }

// Requests returns the calls that were accepted, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.faults.Serve(w, r, http.HandlerFunc(s.route))
}

func (s *Server) route(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.URL.Path == "/v1/models" {
		s.list(w, r)
		return
	}
	s.generate(w, r)
}

func (s *Server) generate(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/images/generations" {
		refuse(w, http.StatusNotFound, "", "", fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path))
		return
	}
	if r.Method != http.MethodPost {
		refuse(w, http.StatusMethodNotAllowed, "", "method_not_supported", "Not allowed to "+r.Method+" on /v1/images/generations.")
		return
	}
	if !s.authorised(r) {
		refuse(w, http.StatusUnauthorized, "", "invalid_api_key", "Incorrect API key provided.")
		return
	}
	in, problem := s.read(r)
	if problem != nil {
		refuse(w, http.StatusBadRequest, problem.param, problem.code, problem.message)
		return
	}
	s.answer(w, in)
}

// list names the accepted models; one that accepts any names the usual one.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	if !s.authorised(r) {
		refuse(w, http.StatusUnauthorized, "", "invalid_api_key", "Incorrect API key provided.")
		return
	}
	names := s.options.Models
	if len(names) == 0 {
		names = []string{"gpt-image-1"}
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	out := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list"}
	for _, name := range names {
		out.Data = append(out.Data, model{name, "model"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // a client that left needs no answer
}

func (s *Server) authorised(r *http.Request) bool {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && key != "" && (s.options.Key == "" || key == s.options.Key)
}

func (s *Server) answer(w http.ResponseWriter, in request) {
	s.mu.Lock()
	s.requests = append(s.requests, Request{At: s.options.Now(), Model: in.Model, Prompt: in.Prompt, Size: in.Size, N: *in.N})
	s.mu.Unlock()
	type datum struct {
		B64JSON []byte `json:"b64_json"`
	}
	out := struct {
		Created int64   `json:"created"`
		Data    []datum `json:"data"`
	}{Created: s.options.Now().Unix()}
	for i := range *in.N {
		img := Draw(fmt.Sprintf("%d/%d/%s", s.options.Seed, i, in.Prompt), Colours(in.Prompt))
		out.Data = append(out.Data, datum{encodePNG(frame(img, in.Size))})
	}
	body := new(bytes.Buffer)
	if err := json.NewEncoder(body).Encode(out); err != nil {
		panic(err) // bytes always encode
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body.Bytes())
}

func refuse(w http.ResponseWriter, status int, param, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(errorBody(param, code, message))
}

// errorBody has the real service's shape; what is empty is null.
func errorBody(param, code, message string) []byte {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	body, err := json.Marshal(map[string]any{"error": map[string]any{
		"message": message, "type": "invalid_request_error", "param": null(param), "code": null(code)}})
	if err != nil {
		panic(err) // strings always encode
	}
	return body
}
