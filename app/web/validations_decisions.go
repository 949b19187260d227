package web

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// POST /admin/validations/:id/approval lets an output go out.
func (s *Server) createValidationApproval(c echo.Context) error {
	form, err := c.FormParams()
	if err != nil {
		return err
	}
	entered := admin.Refusal{Receipts: receipts(form), OnPurpose: form.Get("on_purpose") == "yes"}
	v, err := s.approve(c, entered)
	if err != nil {
		return s.refuse(c, err, entered)
	}
	return s.decided(c, v)
}

func (s *Server) approve(c echo.Context, entered admin.Refusal) (v app.Validation, err error) {
	ctx := c.Request().Context()
	if v, err = s.Store.Validation(ctx, c.Param("id")); err != nil {
		return v, err
	}
	if v.State == app.ValidationPending && v.Risk.Marks() > 0 && !entered.OnPurpose {
		return v, app.Errorf(app.Invalid, "This output has risk marks. Look at them, tick the box below them, then approve. Nothing was decided.")
	}
	return s.Store.ApproveValidation(ctx, choice(c), currentUser(c), entered.Receipts, s.Now())
}

// receipts are what was entered for the forms of a dossier.
func receipts(form url.Values) (all []app.Receipt) {
	venues := map[string]bool{}
	for name := range form {
		for _, prefix := range []string{"receipt.", "reason."} {
			if venue, ok := strings.CutPrefix(name, prefix); ok && !venues[venue] {
				venues[venue] = true
				all = append(all, app.Receipt{Venue: venue, Link: form.Get("receipt." + venue), Reason: form.Get("reason." + venue)})
			}
		}
	}
	return all
}

// POST /admin/validations/:id/rejection sends an output back with a reason.
func (s *Server) createValidationRejection(c echo.Context) error {
	entered := admin.Refusal{Reason: strings.TrimSpace(c.FormValue("reason"))}
	text, err := reason(c)
	if err != nil {
		return s.refuse(c, err, entered)
	}
	v, err := s.Store.RejectValidation(c.Request().Context(), choice(c), currentUser(c), text, s.Now())
	if err != nil {
		return s.refuse(c, err, entered)
	}
	return s.decided(c, v)
}

// POST /admin/validations/:id/withdrawal takes a decision back: the output
// waits again, and is what the reader is on.
func (s *Server) createValidationWithdrawal(c echo.Context) error {
	v, err := s.Store.WithdrawDecision(c.Request().Context(), choice(c), currentUser(c), s.Now())
	if err != nil {
		return s.refuse(c, err, admin.Refusal{})
	}
	s.changed(v.OperationID)
	return done(c, paths.QueueAt(v.ID, paths.Queue{Decided: v.ID}))
}

// refuse shows the output as it stands now, or its receipt, with why nothing
// was done and what was entered.
func (s *Server) refuse(c echo.Context, err error, entered admin.Refusal) error {
	problem, ok := correctable(err)
	if !ok || isDatastar(c) {
		return err
	}
	v, failed := s.Store.Validation(c.Request().Context(), c.Param("id"))
	if failed != nil {
		return err
	}
	entered.Problem = problem
	if v.State != app.ValidationPending { // there is no form to put it back into; receipts have fields of their own
		entered.Wrote, entered.Reason = cmp.Or(entered.Wrote, entered.Reason), ""
	}
	return s.queue(c, statuses[app.KindOf(err)], &v, entered)
}

// decided tells the open pages and goes on to the next output.
func (s *Server) decided(c echo.Context, v app.Validation) error {
	s.changed(v.OperationID)
	next, err := s.next(c.Request().Context(), v)
	if err != nil {
		return err
	}
	return done(c, paths.QueueAt(next, paths.Queue{Decided: v.ID}))
}

// next is the output that comes after v in the queue, the last one before it
// when there is none, or "".
func (s *Server) next(ctx context.Context, v app.Validation) (id string, err error) {
	near, err := s.Store.QueueWindow(ctx, v.ID, 4)
	for _, item := range near.Items {
		if item.ID == v.ID {
			continue
		}
		id = item.ID
		if item.Behind(v) {
			break
		}
	}
	return id, err
}

// choice is what a form decides about.
func choice(c echo.Context) app.Choice {
	return app.Choice{ID: c.Param("id"), FrozenSHA256: c.FormValue("sha256"), Nonce: c.FormValue("nonce")}
}

// reason is a person's, required.
func reason(c echo.Context) (string, error) {
	text := strings.TrimSpace(c.FormValue("reason"))
	if text == "" || len([]rune(text)) > 1000 {
		return "", app.Errorf(app.Invalid, "Give a reason of at most 1,000 characters. Nothing was changed.")
	}
	return text, nil
}
