package web

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/starfederation/datastar-go/datastar"
)

const (
	// heartbeat keeps proxies from closing a silent stream and lets the reader
	// know that it is alive.
	heartbeat = 15 * time.Second
	// refresh bounds how stale a page can be if a change was not announced.
	refresh = 30 * time.Second
	// breath is the least time between two pushes: a burst becomes one.
	breath = 100 * time.Millisecond
	// patience is how long a write may take before the viewer is dropped. It
	// comes back on its own, and goes on from the last line it saw.
	patience = 10 * time.Second
)

// stream is one viewer's open page.
type stream struct {
	*datastar.ServerSentEventGenerator
	w      wire
	sent   map[string]string          // the last rendering of each part
	stands func(context.Context) bool // whether the viewer may still see it; nil: anyone may
}

// openStream starts an SSE response of one viewer's own.
func openStream(c echo.Context) *stream {
	w := openWire(c)
	stands, _ := c.Get(standsKey).(func(context.Context) bool)
	return &stream{datastar.NewSSE(w, c.Request()), w, map[string]string{}, stands}
}

// openWire starts an SSE response. Echo must be told first that the response is
// committed, else the header is written twice.
func openWire(c echo.Context) wire {
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "text/event-stream")
	h.Set(echo.HeaderCacheControl, "no-cache")
	h.Set("X-Accel-Buffering", "no")
	w := wire{c.Response().Writer}
	w.extend(heartbeat + patience)
	w.endless()
	c.Response().WriteHeader(http.StatusOK)
	return w
}

// returns are written so that none can end a line of the stream: readers take
// a carriage return for one, and what follows it would be a field of its own.
var returns = strings.NewReplacer("\r\n", "\n", "\r", "&#13;")

// PatchElements sends HTML, which may hold text from anywhere.
func (s *stream) PatchElements(html string, opts ...datastar.PatchElementOption) error {
	return s.ServerSentEventGenerator.PatchElements(returns.Replace(html), opts...)
}

// patch sends a part of the page when it differs from what was sent before.
func (s *stream) patch(name string, part templ.Component) error {
	html, err := rendered(s.Context(), part)
	if err != nil || html == s.sent[name] {
		return err
	}
	s.sent[name] = html
	return s.PatchElements(html)
}

// rest waits out the breath, then for the next change, beating meanwhile. It
// returns false when the viewer left, may not see it any more, or the server
// stops.
func (s *stream) rest(changes <-chan struct{}, also <-chan struct{}) (ok bool, err error) {
	pause := time.NewTimer(breath)
	defer pause.Stop()
	select {
	case <-s.Context().Done():
		return false, nil
	case <-pause.C:
	}
	beats, again := time.NewTicker(heartbeat), time.NewTimer(refresh)
	defer beats.Stop()
	defer again.Stop()
	for {
		select {
		case <-s.Context().Done():
			return false, nil
		case <-changes:
			return s.allowed(), nil
		case <-again.C:
			return s.allowed(), nil
		case <-also:
			return s.allowed(), nil
		case <-beats.C:
			s.w.extend(patience)
			if err := s.w.beat(); err != nil {
				return false, err
			}
		}
	}
}

func (s *stream) allowed() bool { return s.stands == nil || s.stands(s.Context()) }

// wire gives each write a deadline of its own, so that a viewer who
// stopped reading holds nothing for long.
type wire struct{ http.ResponseWriter }

func (w wire) Write(b []byte) (int, error) {
	w.extend(patience)
	return w.ResponseWriter.Write(b)
}

// send writes frames and sees them off, before the deadline that stands.
func (w wire) send(frames [][]byte) error {
	if len(frames) == 0 {
		return nil
	}
	for _, f := range frames {
		if _, err := w.ResponseWriter.Write(f); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// beat sends a comment, which changes nothing.
func (w wire) beat() error { return w.send([][]byte{pulse}) }

var pulse = []byte(": beat\n\n")

// Unwrap lets http.ResponseController find the connection.
func (w wire) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// extend moves the deadline. Sockets live by the wall clock, whatever clock
// the application is given; a context's deadline is told by it.
func (w wire) extend(by time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), by)
	defer cancel()
	deadline, _ := ctx.Deadline()
	w.until(deadline)
}

// until sets the deadline.
func (w wire) until(deadline time.Time) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(deadline) // a recorder has none
}

// endless lifts the server's limit on reading a request: a stream's viewer is
// listened to, for when it leaves, as long as the stream lasts.
func (w wire) endless() {
	_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Time{})
}

func rendered(ctx context.Context, part templ.Component) (string, error) {
	var out bytes.Buffer
	err := part.Render(ctx, &out)
	return out.String(), err
}
