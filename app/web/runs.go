package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/runs/:id is the whole trace of one run.
func (s *Server) showRun(c echo.Context) error {
	run, err := s.Store.Run(c.Request().Context(), c.Param("id"))
	if err != nil {
		return err
	}
	frame, err := s.frameWithCount(c, "Run, Vivra", "")
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.Run(admin.Trace{Team: frame, Run: run}))
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
