package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/app/scoring"
	"vivra/views/candidates"
	"vivra/views/ui"
)

const (
	// candidatesAtOnce is how many a page of the list has.
	candidatesAtOnce = 50
	// newestMeasured is how many measurements a pre-report shows.
	newestMeasured = 14
)

// GET /candidates is the list, best score first.
func (s *Server) indexCandidates(c echo.Context) error {
	state := app.CandidateState(c.QueryParam("state"))
	if state != "" && !slices.Contains(app.CandidateStates(), state) {
		return app.Errorf(app.NotFound, "There are no candidates of that kind.")
	}
	page, err := wholeNumber(c, "page", 1, 1, 1_000_000)
	if err != nil {
		return err
	}
	all, err := s.Store.Candidates(c.Request().Context(), state, int(page-1)*candidatesAtOnce, candidatesAtOnce+1)
	if err != nil {
		return err
	}
	p := candidates.Page{State: state, Number: int(page), More: len(all) > candidatesAtOnce, Candidates: all[:min(len(all), candidatesAtOnce)], PublicURL: s.PublicURL, Now: s.Now()}
	return shared(c, candidates.Index(p))
}

// GET /candidates/:chain/:address is the pre-report of one, at one address.
func (s *Server) showCandidate(c echo.Context) error {
	ctx := c.Request().Context()
	ref, err := tokenRef(c)
	if app.KindOf(err) == app.Invalid {
		return app.Errorf(app.NotFound, "%s", err.Error())
	}
	if err != nil {
		return err
	}
	if right := ui.Checksum(ref.Address); c.Param("address") != right {
		return c.Redirect(http.StatusMovedPermanently, paths.Candidate(ref.ChainID, right))
	}
	r := candidates.Report{Explorer: s.Explorer, PublicURL: s.PublicURL, Now: s.Now()}
	if r.Candidate, err = s.Store.Candidate(ctx, ref); err != nil {
		return err
	}
	if len(r.Candidate.Report) > 0 {
		r.Found = new(scoring.Report)
		if err := json.Unmarshal(r.Candidate.Report, r.Found); err != nil {
			return fmt.Errorf("read a pre-report: %w", err)
		}
	}
	switch h, at, err := tokenReading[app.Holders](c, s.Store, app.ReadingHolders); {
	case err == nil:
		r.Holders, r.HoldersAt = &h, at
	case app.KindOf(err) != app.NotFound:
		return err
	}
	if r.Metrics, err = s.Store.MetricsOfToken(ctx, ref, time.Time{}, newestMeasured); err != nil {
		return err
	}
	return shared(c, candidates.Show(r))
}
