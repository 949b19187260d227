package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/app/preflight"
	"vivra/views/admin"
	"vivra/views/layout"
	"vivra/views/ui"
)

// GET /admin/validations is the queue with its oldest output.
func (s *Server) indexValidations(c echo.Context) error {
	items, err := s.Store.PendingValidations(c.Request().Context())
	if err != nil {
		return err
	}
	if len(items) == 0 {
		return s.queue(c, nil, nil)
	}
	return s.queue(c, items, &items[0])
}

// GET /admin/validations/:id is the queue with that output.
func (s *Server) showValidation(c echo.Context) error {
	ctx := c.Request().Context()
	v, err := s.Store.Validation(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	items, err := s.Store.PendingValidations(ctx)
	if err != nil {
		return err
	}
	return s.queue(c, items, &v)
}

func (s *Server) queue(c echo.Context, items []app.Validation, v *app.Validation) error {
	ctx := c.Request().Context()
	m := admin.Queue{Team: s.frame(c, "Queue, Vivra", paths.Validations(), len(items)), Items: items, Current: v, Now: s.Now()}
	m.Wide = true
	if v != nil {
		var err error
		if m.Preview, err = s.preview(ctx, *v); err != nil {
			return err
		}
		if m.Previous, err = s.Store.PreviousDraft(ctx, v.ID); err != nil {
			return err
		}
	}
	allowFrames(c)
	return render(c, http.StatusOK, admin.Validations(m))
}

func (s *Server) preview(ctx context.Context, v app.Validation) (ui.Preview, error) {
	p := ui.Preview{Kind: v.Kind, Payload: v.Payload, Media: paths.Asset, Weigh: preflight.Length, Build: paths.Build}
	if v.Kind != app.KindGoNoGo {
		return p, nil
	}
	steps, err := s.Store.Steps(ctx, v.OperationID)
	for _, step := range steps {
		if step.Task == "scanner.full_report" && len(step.Output) > 0 {
			var report struct{ Checks []ui.Check }
			_ = json.Unmarshal(step.Output, &report) // a report without checks shows none
			p.Checks = report.Checks
		}
	}
	return p, err
}

// GET /admin/validations/live keeps the list, the count and the decision up to
// date. The output that is being read never moves.
func (s *Server) liveValidations(c echo.Context) error {
	changes, unsubscribe := s.Hub.Subscribe(live.Validations)
	defer unsubscribe()
	out, current := openStream(c), c.QueryParam("current")
	for {
		if err := s.pushQueue(out, current); err != nil {
			return err
		}
		if ok, err := out.rest(changes, nil); !ok {
			return err
		}
	}
}

func (s *Server) pushQueue(out *stream, current string) error {
	ctx := out.Context()
	items, err := s.Store.PendingValidations(ctx)
	if err != nil {
		return err
	}
	if err := out.patch("queue", admin.QueueList(items, current, s.Now())); err != nil {
		return err
	}
	if err := out.patch("waiting", layout.Waiting(len(items))); err != nil {
		return err
	}
	if current == "" {
		return nil
	}
	v, err := s.Store.Validation(ctx, current)
	if err != nil || v.State == app.ValidationPending {
		return err // as long as it is open its forms stay as they are being filled in
	}
	return out.patch("decide", admin.Decision(admin.Queue{Current: &v}))
}

// POST /admin/validations/:id/approval lets an output go out.
func (s *Server) createValidationApproval(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	v, err := s.Store.Validation(ctx, id)
	if err != nil {
		return err
	}
	if admin.Risky(v.Risk) && c.FormValue("on_purpose") != "yes" && v.State == app.ValidationPending {
		return app.Errorf(app.Invalid, "This output has risk marks. Look at them, tick the box below them, then approve. Nothing was decided.")
	}
	receipt, err := receiptURL(v.Kind, c.FormValue("receipt_url"))
	if err != nil {
		return err
	}
	if _, err := s.Store.ApproveValidation(ctx, id, c.FormValue("sha256"), currentUser(c), receipt, s.Now()); err != nil {
		return err
	}
	return s.decided(c, v.OperationID)
}

// receiptURL is where a form that a person sent by hand can be seen.
func receiptURL(kind app.ValidationKind, text string) (string, error) {
	if kind != app.KindDossier {
		return "", nil
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return "", app.Errorf(app.Invalid, "Give the address of the receipt, beginning with https://. Nothing was decided.")
	}
	return u.String(), nil
}

// POST /admin/validations/:id/rejection sends an output back with a reason.
func (s *Server) createValidationRejection(c echo.Context) error {
	ctx, id := c.Request().Context(), c.Param("id")
	reason, err := reason(c)
	if err != nil {
		return err
	}
	v, err := s.Store.RejectValidation(ctx, id, c.FormValue("sha256"), currentUser(c), reason, s.Now())
	if err != nil {
		return err
	}
	return s.decided(c, v.OperationID)
}

// decided tells the open pages and goes on to the next output.
func (s *Server) decided(c echo.Context, operationID int64) error {
	s.changed(operationID)
	return done(c, paths.Validations())
}

// reason is a person's, required.
func reason(c echo.Context) (string, error) {
	text := strings.TrimSpace(c.FormValue("reason"))
	if text == "" || len([]rune(text)) > 1000 {
		return "", app.Errorf(app.Invalid, "Give a reason of at most 1,000 characters. Nothing was changed.")
	}
	return text, nil
}
