package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/views/admin"
	"vivra/views/layout"
)

// alertsPerPage is how many alerts a page shows.
const alertsPerPage = 50

// GET /admin/alerts is what went wrong and nobody has looked at.
func (s *Server) indexAlerts(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Alerts, Vivra", paths.Alerts())
	if err != nil {
		return err
	}
	m, err := s.alertPage(c, frame)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.AlertsIndex(m))
}

// alertList is the part of the alerts that an address asks for.
func alertList(c echo.Context) paths.AlertList {
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	return paths.AlertList{Operation: c.QueryParam("operation"), Kind: c.QueryParam("kind"), Acknowledged: c.QueryParam("acknowledged") == "yes", Before: before}
}

func (s *Server) alertPage(c echo.Context, frame layout.Team) (m admin.Alerts, err error) {
	ctx := c.Request().Context()
	m = admin.Alerts{Team: frame, List: alertList(c), Now: s.Now()}
	if m.Groups, err = s.Store.AlertGroups(ctx); err != nil {
		return m, err
	}
	m.Page, err = s.Store.AlertPage(ctx, app.AlertFilter{Operation: m.List.Operation, Kind: m.List.Kind, Acknowledged: m.List.Acknowledged,
		Before: m.List.Before, Limit: alertsPerPage})
	return m, err
}

// GET /admin/alerts/live keeps a page of alerts up to date.
func (s *Server) liveAlerts(c echo.Context) error {
	changes, unsubscribe := s.Hub.Subscribe(live.Alerts)
	defer unsubscribe()
	frame := s.frame(c, "", "", 0)
	out := openStream(c)
	for {
		m, err := s.alertPage(c, frame)
		if err != nil {
			return err
		}
		if err := out.patch("alerts", admin.AlertList(m)); err != nil {
			return err
		}
		if ok, err := out.rest(changes, nil); !ok {
			return err
		}
	}
}

// POST /admin/alerts/:id/acknowledgement says that somebody looked.
func (s *Server) createAlertAcknowledgement(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	if err := s.Store.AcknowledgeAlert(c.Request().Context(), id, currentUser(c), s.Now()); err != nil {
		return err
	}
	return s.acknowledged(c)
}

// POST /admin/alerts/acknowledgement says so of all of one kind in one
// operation, as far as they stood on the page.
func (s *Server) createAlertsAcknowledgement(c echo.Context) error {
	upTo, err := strconv.ParseInt(c.FormValue("up_to"), 10, 64)
	if err != nil || c.FormValue("operation") == "" || c.FormValue("kind") == "" {
		return app.Errorf(app.Invalid, "Open the alerts and acknowledge them from there. Nothing was changed.")
	}
	if _, err := s.Store.AcknowledgeAlerts(c.Request().Context(), c.FormValue("operation"), c.FormValue("kind"), upTo, currentUser(c), s.Now()); err != nil {
		return err
	}
	return s.acknowledged(c)
}

func (s *Server) acknowledged(c echo.Context) error {
	s.Hub.Changed(live.Alerts)
	if c.Request().Referer() == "" {
		return done(c, paths.Alerts())
	}
	return done(c, back(c))
}
