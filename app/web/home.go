package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app/public"
	"vivra/views/home"
)

// topCandidates is how many the front page shows.
const topCandidates = 10

// GET / is the front page.
func (s *Server) showHome(c echo.Context) error {
	ctx := c.Request().Context()
	operations, err := s.Store.Operations(ctx)
	if err != nil {
		return err
	}
	candidates, err := s.Store.Candidates(ctx, "", 0, topCandidates)
	if err != nil {
		return err
	}
	return shared(c, home.Index(home.Page{Operations: public.SummariesOf(operations), Candidates: candidates, PublicURL: s.PublicURL, Now: s.Now(), Pace: s.pace()}))
}

// GET /healthz tells whether the process can serve: its database answers.
func (s *Server) showHealth(c echo.Context) error {
	if !s.databaseAnswers(c.Request().Context()) {
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	return c.String(http.StatusOK, "ok\n")
}
