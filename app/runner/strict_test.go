package runner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
)

// strict is a model server that complains when a request is refused, and when a
// run says something else of its past than it has said before.
type strict struct {
	http.Handler
	refusals bool // are expected

	mu       sync.Mutex
	problems []string
	said     map[string][]json.RawMessage // the longest list of messages by the first two
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked was killed while it did
	}
	s.compare(body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.Handler.ServeHTTP(&status{ResponseWriter: w, seen: func(code int) {
		if code == http.StatusBadRequest && !s.refusals {
			s.complain("the model server refused a request of %d bytes", len(body))
		}
	}}, r)
}

func (s *strict) compare(body []byte) {
	var req struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(body, &req) != nil || len(req.Messages) < 2 {
		return
	}
	key := string(req.Messages[0]) + string(req.Messages[1])
	s.mu.Lock()
	before := s.said[key]
	if s.said == nil {
		s.said = map[string][]json.RawMessage{}
	}
	if len(req.Messages) >= len(before) { // a worker that was held up says less
		s.said[key] = req.Messages
	}
	s.mu.Unlock()
	for i, m := range req.Messages[:min(len(req.Messages), len(before))] {
		if !bytes.Equal(m, before[i]) {
			s.complain("message %d was %s and is now %s", i, before[i], m)
			return
		}
	}
}

func (s *strict) complain(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

// complaints returns them, and forgets them.
func (s *strict) complaints() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Clone(s.problems)
	s.problems = nil
	return all
}

// status tells of the status of a response.
type status struct {
	http.ResponseWriter
	seen func(int)
}

func (s *status) WriteHeader(code int) {
	s.seen(code)
	s.ResponseWriter.WriteHeader(code)
}

// Unwrap and Flush let the server stream.
func (s *status) Unwrap() http.ResponseWriter { return s.ResponseWriter }
func (s *status) Flush()                      { _ = http.NewResponseController(s.ResponseWriter).Flush() }
