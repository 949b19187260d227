package web

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
	"vivra/views/layout"
)

// frame is what every page of the team shows around its content.
func (s *Server) frame(c echo.Context, title, here string, waiting int) layout.Team {
	return layout.Team{Page: layout.Page{Title: title, Here: here, Now: s.Now(), Pace: s.pace()}, User: currentUser(c), CSRF: s.csrf(c), Waiting: waiting}
}

// frameWithCount reads the count of the queue as well.
func (s *Server) frameWithCount(c echo.Context, title, here string) (layout.Team, error) {
	n, err := s.Store.QueueCount(c.Request().Context())
	return s.frame(c, title, here, n), err
}

// changed wakes the pages that this process serves; others hear of it from the
// database.
func (s *Server) changed(operationID int64) {
	s.Hub.OperationChanged(strconv.FormatInt(operationID, 10))
}

// GET /admin is what needs the reader.
func (s *Server) showDashboard(c echo.Context) error {
	ctx := c.Request().Context()
	oldest, err := s.Store.QueueWindow(ctx, "", 10)
	if err != nil {
		return err
	}
	m := admin.Dashboard{Team: s.frame(c, "What needs you, Vivra", paths.Admin(), oldest.Total()), Validations: oldest.Items, Now: s.Now()}
	if err := s.attention(ctx, &m); err != nil {
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

// newestAlerts is how many alerts stand on pages about something else.
const newestAlerts = 5

// attention reads what went wrong, over all operations.
func (s *Server) attention(ctx context.Context, m *admin.Dashboard) error {
	page, err := s.Store.AlertPage(ctx, app.AlertFilter{Limit: newestAlerts})
	if err != nil {
		return err
	}
	m.Alerts = page.Items
	groups, err := s.Store.AlertGroups(ctx)
	if err != nil {
		return err
	}
	for _, g := range groups {
		m.AlertCount += g.Count
	}
	if m.Faults, err = s.Store.DeliveryFaults(ctx); err != nil {
		return err
	}
	m.Doubts, err = s.Store.EffectsInDoubt(ctx)
	return err
}

// auditPerPage is how many changes a page shows.
const auditPerPage = 100

// GET /admin/audit is what people changed, the newest first.
func (s *Server) indexAudit(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Audit, Vivra", paths.Audit())
	if err != nil {
		return err
	}
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before <= 0 {
		before = math.MaxInt64
	}
	rows, err := s.Store.AuditBefore(c.Request().Context(), before, auditPerPage+1)
	if err != nil {
		return err
	}
	m := admin.Audit{Team: frame, Rows: rows}
	if len(rows) > auditPerPage {
		m.Rows, m.More = rows[:auditPerPage], true
	}
	return render(c, http.StatusOK, admin.AuditIndex(m))
}

func idParam(c echo.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, app.Errorf(app.NotFound, "There is no such page.")
	}
	return id, nil
}
