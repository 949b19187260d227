package web

import (
	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/views/admin"
	"vivra/views/layout"
)

// GET /admin/validations/live keeps the list, the counts, what can be undone
// and the decision up to date. The output that is being read never moves.
func (s *Server) liveValidations(c echo.Context) error {
	changes, unsubscribe := s.Hub.Subscribe(live.Validations)
	defer unsubscribe()
	m := admin.Queue{Team: s.frame(c, "", paths.Validations(), 0), At: queueAt(c)}
	out, current := openStream(c), c.QueryParam("current")
	for {
		if err := s.pushQueue(out, m, current); err != nil {
			return err
		}
		if ok, err := out.rest(changes, nil); !ok {
			return err
		}
	}
}

func (s *Server) pushQueue(out *stream, m admin.Queue, current string) error {
	ctx := out.Context()
	m.Now = s.Now()
	if current != "" {
		v, err := s.Store.Validation(ctx, current)
		if err != nil {
			return err
		}
		o, err := s.outcome(ctx, v)
		if err != nil {
			return err
		}
		m.Current = &o
	}
	if err := s.fill(ctx, &m); err != nil {
		return err
	}
	for _, p := range queueParts(m) {
		if err := out.patch(p.name, p.part); err != nil {
			return err
		}
	}
	return nil
}

type queuePart struct {
	name string
	part templ.Component
}

// queueParts are what a page of the queue shows that may change.
func queueParts(m admin.Queue) []queuePart {
	parts := []queuePart{{"queue", admin.QueueList(m)}, {"waiting", layout.Waiting(m.Items.Total())}, {"undo", admin.Undo(m)}}
	if m.Current == nil {
		return append(parts, queuePart{"arrival", admin.Arrival(m)})
	}
	parts = append(parts, queuePart{"decide", admin.Decision(m)})
	if m.Current.State != app.ValidationPending {
		parts = append(parts, queuePart{"receipt", admin.Receipt(*m.Current)})
	}
	return parts
}
