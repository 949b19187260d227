package chainsim

import "net/http"

// Fault is how the next answers go wrong.
type Fault struct {
	// Times is how many answers, 0 for one.
	Times int
	// Status is answered with an HTML page, as a proxy in front would.
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

func (s *Server) nextFault() *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == nil || s.fault.Times == 0 {
		return nil
	}
	s.fault.Times--
	return s.fault
}

func (f *Fault) play(w http.ResponseWriter) {
	if f.Close {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(f.Status)
	_, _ = w.Write([]byte("<html><body>" + http.StatusText(f.Status) + "</body></html>"))
}
