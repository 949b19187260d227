// Package fault makes a local server misbehave on demand.
package fault

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is one way to misbehave. Without a Status the connection is closed
// without an answer.
type Fault struct {
	// Path is the start of the requests' path, after an optional method:
	// "/2/users" or "POST /2/tweets".
	Path   string
	Status int
	// AfterAccept carries the request out before its answer is replaced.
	AfterAccept bool
	// Hang answers nothing until the client gives up.
	Hang bool
	// RetryAfter is told along with a Status, in whole seconds.
	RetryAfter time.Duration
	// ResetAt is told along with a Status, as X tells when its window ends.
	ResetAt time.Time
	// HTML replaces the service's own error body.
	HTML string
	// Times is how many requests it hits; 0 means one.
	Times int
}

// Set holds the faults still to come. Its zero value has none.
type Set struct {
	// Path returns what a fault's Path is compared with; nil: the URL's path.
	Path func(*http.Request) string
	// Body returns the service's own error body; nil: none.
	Body func(Fault) (contentType string, body []byte)

	mu     sync.Mutex
	faults []Fault
}

// Add makes f hit the next matching requests.
func (s *Set) Add(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Times = max(f.Times, 1)
	s.faults = append(s.faults, f)
}

// Serve lets next answer unless a fault hits the request.
func (s *Set) Serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	f, hit := s.take(r)
	if !hit {
		next.ServeHTTP(w, r)
		return
	}
	if f.AfterAccept {
		next.ServeHTTP(&nowhere{http.Header{}}, r)
	}
	if f.Hang {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
		<-r.Context().Done()
	}
	if f.Hang || f.Status == 0 {
		panic(http.ErrAbortHandler) // net/http closes the connection
	}
	s.answer(w, f)
}

func (s *Set) answer(w http.ResponseWriter, f Fault) {
	contentType, body := "text/html", []byte(f.HTML)
	if f.HTML == "" && s.Body != nil {
		contentType, body = s.Body(f)
	}
	w.Header().Set("Content-Type", contentType)
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
	}
	if !f.ResetAt.IsZero() {
		w.Header().Set("X-Rate-Limit-Reset", strconv.FormatInt(f.ResetAt.Unix(), 10))
	}
	w.WriteHeader(f.Status)
	_, _ = w.Write(body) // a client that left has its error already
}

func (s *Set) take(r *http.Request) (Fault, bool) {
	path := r.URL.Path
	if s.Path != nil {
		path = s.Path(r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, f := range s.faults {
		if !f.matches(r.Method, path) {
			continue
		}
		if s.faults[i].Times--; s.faults[i].Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return f, true
	}
	return Fault{}, false
}

func (f Fault) matches(method, path string) bool {
	want, prefix, ok := strings.Cut(f.Path, " ")
	if !ok {
		return strings.HasPrefix(path, f.Path)
	}
	return want == method && strings.HasPrefix(path, prefix)
}

// nowhere takes an answer that nobody gets to see.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header         { return n.header }
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}
