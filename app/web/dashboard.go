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

// frame is what every page of the team shows around its content.
func (s *Server) frame(c echo.Context, title, here string, waiting int) layout.Team {
	return layout.Team{Page: layout.Page{Title: title, Here: here, Now: s.Now()}, User: currentUser(c), CSRF: s.csrf(c), Waiting: waiting}
}

// frameWithCount reads the count of the queue as well.
func (s *Server) frameWithCount(c echo.Context, title, here string) (layout.Team, error) {
	items, err := s.Store.PendingValidations(c.Request().Context())
	return s.frame(c, title, here, len(items)), err
}

// changed wakes the pages that this process serves; others hear of it from the
// database.
func (s *Server) changed(operationID int64) {
	s.Hub.OperationChanged(strconv.FormatInt(operationID, 10))
}

// GET /admin is what needs the reader.
func (s *Server) showDashboard(c echo.Context) error {
	ctx := c.Request().Context()
	items, err := s.Store.PendingValidations(ctx)
	if err != nil {
		return err
	}
	m := admin.Dashboard{Team: s.frame(c, "What needs you, Vivra", paths.Admin(), len(items)), Validations: items, Now: s.Now()}
	if m.Alerts, err = s.Store.Alerts(ctx); err != nil {
		return err
	}
	if s.Notices != nil {
		if m.Notices, err = s.Notices.Notices(ctx); err != nil {
			return err
		}
	}
	all, err := s.Store.Operations(ctx)
	if err != nil {
		return err
	}
	for _, o := range all {
		if o.State.Final() {
			continue
		}
		steps, err := s.Store.Steps(ctx, o.ID)
		if err != nil {
			return err
		}
		m.Operations = append(m.Operations, admin.Operation{OperationSummary: o, Steps: steps})
	}
	return render(c, http.StatusOK, admin.Index(m))
}

// GET /admin/alerts is what went wrong and nobody has looked at.
func (s *Server) indexAlerts(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Alerts, Vivra", paths.Alerts())
	if err != nil {
		return err
	}
	open, err := s.Store.Alerts(c.Request().Context())
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.AlertsIndex(admin.Alerts{Team: frame, Open: open, Now: s.Now()}))
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
	s.Hub.Changed(live.Alerts)
	return done(c, paths.Alerts())
}

// GET /admin/audit is what people changed, the newest first.
func (s *Server) indexAudit(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Audit, Vivra", paths.Audit())
	if err != nil {
		return err
	}
	rows, err := s.Store.Audit(c.Request().Context(), 200)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.AuditIndex(admin.Audit{Team: frame, Rows: rows}))
}

func idParam(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, app.Errorf(app.NotFound, "There is no such page.")
	}
	return id, nil
}
