package web

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/runs/:id is the whole trace of one run.
func (s *Server) showRun(c echo.Context) error {
	m, err := s.trace(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	if m.Team, err = s.frameWithCount(c, "Run, Vivra", ""); err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.Run(m))
}

// trace reads a run with the state and the money of its operation.
func (s *Server) trace(ctx context.Context, id string) (m admin.Trace, err error) {
	if m.Run, err = s.Store.Run(ctx, id); err != nil {
		return m, err
	}
	op, err := s.Store.OperationBySlug(ctx, m.Run.OperationSlug)
	if err != nil {
		return m, err
	}
	m.Operation = op.State
	m.Spending, err = s.Store.Spending(ctx, m.Run.OperationID)
	return m, err
}

// GET /admin/steps/:id/run leads to the newest run of a step.
func (s *Server) showStepRun(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	runs, err := s.Store.RunsOfStep(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return c.Redirect(http.StatusSeeOther, paths.StepRuns(id))
	}
	return c.Redirect(http.StatusSeeOther, paths.Run(runs[len(runs)-1].ID))
}

// GET /admin/steps/:id/runs lists the attempts of one step.
func (s *Server) indexStepRuns(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	runs, err := s.Store.RunsOfStep(c.Request().Context(), id)
	if err != nil {
		return err
	}
	frame, err := s.frameWithCount(c, "Runs, Vivra", "")
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.RunsOfStep(admin.StepRuns{Team: frame, Runs: runs}))
}

// pathOf is the part of an address after its host, empty when it can't be read.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return paths.Admin()
	}
	return u.RequestURI()
}
