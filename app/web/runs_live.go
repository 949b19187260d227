package web

import (
	"bytes"
	"context"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/starfederation/datastar-go/datastar"

	"vivra/app/live"
	"vivra/views/admin"
)

// GET /admin/runs/:id/live shows the run think: the open answer as it comes,
// each new entry of the transcript once, the money as it is spent.
func (s *Server) liveRun(c echo.Context) error {
	m, err := s.trace(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	answers, unsubscribe := s.Hub.Subscribe(live.Run(m.Run.ID))
	defer unsubscribe()
	changes, leave := s.Hub.Subscribe(live.Operation(m.Run.OperationID))
	defer leave()

	w := &watcher{stream: openStream(c), server: s, id: m.Run.ID, seen: int(lastSeen(c))}
	for {
		if err := w.push(w.Context()); err != nil {
			return err
		}
		if ok, err := w.rest(changes, answers); !ok {
			return err
		}
	}
}

// watcher is one open page of a run.
type watcher struct {
	*stream
	server *Server
	id     string
	seen   int    // the last entry of the transcript that was sent
	state  string // that was told of the run
}

func (w *watcher) push(ctx context.Context) error {
	m, err := w.server.trace(ctx, w.id)
	if err != nil {
		return err
	}
	if err := w.append(ctx, m); err != nil {
		return err
	}
	parts := []struct {
		name string
		part templ.Component
	}{
		{"draft", admin.Draft(m)}, {"outcome", admin.Outcome(m)}, {"walls", admin.Walls(m)}, {"facts", admin.Facts(m)}, {"calls", admin.Calls(m)},
	}
	for _, p := range parts {
		if err := w.patch(p.name, p.part); err != nil {
			return err
		}
	}
	return w.announce(m)
}

// append sends the entries after the last one seen, with its number as the
// event's id, so that a reader who comes back misses none.
func (w *watcher) append(ctx context.Context, m admin.Trace) error {
	var html bytes.Buffer
	for _, e := range m.Entries(w.seen) {
		if err := admin.Entry(e).Render(ctx, &html); err != nil {
			return err
		}
	}
	if html.Len() == 0 {
		return nil
	}
	w.seen = m.LastItem()
	return w.PatchElements(html.String(), datastar.WithSelectorID("items"), datastar.WithModeAppend(), datastar.WithPatchElementsEventID(strconv.Itoa(w.seen)))
}

// announce says once that the run has ended, was halted or goes on.
func (w *watcher) announce(m admin.Trace) error {
	before := w.state
	w.state = m.Standing()
	if before == "" || before == w.state {
		return nil
	}
	text := "The run has ended: " + w.state + "."
	if m.Run.State == "running" {
		text = "The run is now " + w.state + "."
	}
	return w.PatchElements(templ.EscapeString(text), datastar.WithSelectorID("announcement"), datastar.WithModeInner())
}
