package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
	"vivra/views/ui"
)

// queueSize is how many outputs the list shows at a time.
const queueSize = 50

// GET /admin/validations is the queue with its oldest output.
func (s *Server) indexValidations(c echo.Context) error {
	ctx := c.Request().Context()
	oldest, err := s.Store.QueueWindow(ctx, "", 1)
	if err != nil {
		return err
	}
	if len(oldest.Items) == 0 {
		return s.queue(c, http.StatusOK, nil, admin.Refusal{})
	}
	v, err := s.Store.Validation(ctx, oldest.Items[0].ID)
	if err != nil {
		return err
	}
	return s.queue(c, http.StatusOK, &v, admin.Refusal{})
}

// GET /admin/validations/:id is the queue with that output; of a decided one it
// is the receipt.
func (s *Server) showValidation(c echo.Context) error {
	v, err := s.Store.Validation(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	return s.queue(c, http.StatusOK, &v, admin.Refusal{})
}

// GET /admin/validations/:id/approval, /rejection and /withdrawal are where a
// refusal leaves the reader whose page is reloaded.
func (s *Server) redirectToValidation(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, paths.Validation(c.Param("id")))
}

// queue answers with the list and one output beside it, nil for none.
func (s *Server) queue(c echo.Context, status int, v *app.Validation, refused admin.Refusal) error {
	ctx := c.Request().Context()
	m := admin.Queue{Team: s.frame(c, "Queue, Vivra", paths.Validations(), 0), At: queueAt(c), Refused: refused, Now: s.Now()}
	m.Wide = true
	if v != nil {
		o, err := s.output(ctx, *v)
		if err != nil {
			return err
		}
		m.Current = &o
		m.Title = ui.StepTitle(v.StepKey) + ", " + m.Title
	}
	if err := s.fill(ctx, &m); err != nil {
		return err
	}
	m.Waiting = m.Items.Total()
	allowFrames(c)
	return render(c, status, admin.Validations(m))
}

// queueAt is what the address says of the list.
func queueAt(c echo.Context) paths.Queue {
	return paths.Queue{Around: c.QueryParam("around"), Decided: c.QueryParam("decided")}
}

// fill reads what stands beside the output: the list, and what can be undone.
func (s *Server) fill(ctx context.Context, m *admin.Queue) (err error) {
	around := m.At.Around
	if m.Current != nil {
		around = cmp.Or(around, m.Current.ID)
	}
	if m.Items, err = s.Store.QueueWindow(ctx, around, queueSize); err != nil {
		return err
	}
	if m.Batches, err = s.batches(ctx); err != nil {
		return err
	}
	return s.undoable(ctx, m)
}

// undoable reads the decisions that can be taken back, and the one that led to
// this page when it is not among them.
func (s *Server) undoable(ctx context.Context, m *admin.Queue) (err error) {
	if m.Undo, err = s.Store.Undoable(ctx, m.Now); err != nil {
		return err
	}
	listed := func(v app.Validation) bool { return v.ID == m.At.Decided }
	if m.At.Decided == "" || slices.ContainsFunc(m.Undo, listed) {
		return nil
	}
	v, err := s.Store.Validation(ctx, m.At.Decided)
	if app.KindOf(err) == app.NotFound {
		return nil
	}
	m.Came = &v
	return err
}
