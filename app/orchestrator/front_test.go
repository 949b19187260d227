package orchestrator_test

import (
	"net/http"
	"strings"
	"sync"

	"vivra/app/rehearsal/fault"
)

// front stands before a platform: it makes calls go wrong, and remembers which
// came and which the platform has carried out.
type front struct {
	next   http.Handler
	faults fault.Set

	mu       sync.Mutex
	came     map[string]int // by method and path
	accepted map[string]int // of these, with success
}

func newFront(next http.Handler) *front {
	return &front{next: next, came: map[string]int{}, accepted: map[string]int{}}
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.count(f.came, r)
	f.faults.Serve(w, r, http.HandlerFunc(f.pass))
}

func (f *front) pass(w http.ResponseWriter, r *http.Request) {
	seen := &outcome{ResponseWriter: w, status: http.StatusOK}
	f.next.ServeHTTP(seen, r)
	if seen.status < 300 {
		f.count(f.accepted, r)
	}
}

func (f *front) count(in map[string]int, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	in[r.Method+" "+r.URL.Path]++
}

// calls counts how often a call, as "POST /2/tweets", was carried out.
func (f *front) calls(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.accepted[what]
}

// arrived counts how often a call came, whatever became of it.
func (f *front) arrived(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.came[what]
}

// writes returns what came that is no reading.
func (f *front) writes() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for what := range f.came {
		if !strings.HasPrefix(what, "GET ") && !strings.Contains(what, "/getChat") {
			all = append(all, what)
		}
	}
	return all
}

// outcome is how a platform answers.
type outcome struct {
	http.ResponseWriter
	status int
}

func (o *outcome) WriteHeader(status int) {
	o.status = status
	o.ResponseWriter.WriteHeader(status)
}
