package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// batchSize is how many outputs are shown whole on one page.
const batchSize = 20

// batches are the kinds of which several outputs can be approved together.
func (s *Server) batches(ctx context.Context) (all []admin.Batch, err error) {
	counts, err := s.Store.Batches(ctx)
	for kind, n := range counts {
		if n > 1 {
			all = append(all, admin.Batch{Kind: kind, Count: n})
		}
	}
	slices.SortFunc(all, func(a, b admin.Batch) int { return strings.Compare(string(a.Kind), string(b.Kind)) })
	return all, err
}

// GET /admin/validations/batches/:kind shows what can be approved together.
func (s *Server) newValidationBatch(c echo.Context) error {
	if err := knownKind(c); err != nil {
		return err
	}
	return s.batchPage(c, http.StatusOK, admin.BatchPage{})
}

// POST /admin/validations/batches/:kind approves what was ticked, each output
// by itself, and says what became of each.
func (s *Server) createValidationBatch(c echo.Context) error {
	if err := knownKind(c); err != nil {
		return err
	}
	choices, err := choices(c)
	if err != nil {
		return err
	}
	if len(choices) > batchSize {
		return app.Errorf(app.Invalid, "At most %d outputs are approved together. Nothing was decided.", batchSize)
	}
	if len(choices) == 0 {
		return s.batchPage(c, http.StatusUnprocessableEntity, admin.BatchPage{Problem: "Nothing was ticked, so nothing was decided. Tick the outputs that you have read."})
	}
	ctx := c.Request().Context()
	decisions, err := s.Store.ApproveBatch(ctx, app.ValidationKind(c.Param("kind")), choices, currentUser(c), s.Now())
	if err != nil {
		return err
	}
	m := admin.BatchPage{}
	for _, d := range decisions {
		r := admin.BatchResult{Validation: d.Validation}
		r.ID = d.Choice.ID
		if d.Err != nil {
			_, r.Problem = s.describe(ctx, d.Err)
		} else {
			s.changed(d.Validation.OperationID)
		}
		m.Results = append(m.Results, r)
	}
	return s.batchPage(c, http.StatusOK, m)
}

func knownKind(c echo.Context) error {
	if !slices.Contains(app.ValidationKinds(), app.ValidationKind(c.Param("kind"))) {
		return app.Errorf(app.NotFound, "There is no such kind of output.")
	}
	return nil
}

// choices are the outputs that were ticked.
func choices(c echo.Context) (all []app.Choice, err error) {
	form, err := c.FormParams()
	for _, text := range form["choice"] {
		parts := strings.Fields(text)
		if len(parts) != 3 {
			return nil, app.Errorf(app.Invalid, "This form is not one of ours. Nothing was decided.")
		}
		all = append(all, app.Choice{ID: parts[0], FrozenSHA256: parts[1], Nonce: parts[2]})
	}
	return all, err
}

func (s *Server) batchPage(c echo.Context, status int, m admin.BatchPage) (err error) {
	ctx := c.Request().Context()
	m.Kind = app.ValidationKind(c.Param("kind"))
	if m.Team, err = s.frameWithCount(c, "Approve several, Vivra", paths.Validations()); err != nil {
		return err
	}
	if err := s.together(ctx, &m); err != nil {
		return err
	}
	m.Queue = admin.Queue{Team: m.Team, Now: s.Now()}
	if err := s.undoable(ctx, &m.Queue); err != nil {
		return err
	}
	allowFrames(c)
	return render(c, status, admin.ValidationBatch(m))
}

// together reads the oldest outputs that can be approved together, whole.
func (s *Server) together(ctx context.Context, m *admin.BatchPage) error {
	all, err := s.Store.Batch(ctx, m.Kind, batchSize)
	if err != nil {
		return err
	}
	for _, v := range all {
		o := admin.Output{Validation: v}
		if o.Preview, err = s.preview(ctx, v); err != nil {
			return err
		}
		if o.Mention, err = s.mention(ctx, v); err != nil {
			return err
		}
		m.Outputs = append(m.Outputs, o)
	}
	counts, err := s.Store.Batches(ctx)
	m.More = max(0, counts[m.Kind]-len(all))
	return err
}
