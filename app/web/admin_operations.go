package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/chain"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/operations lists all operations.
func (s *Server) indexAdminOperations(c echo.Context) error {
	frame, err := s.frameWithCount(c, "Operations, Vivra", paths.AdminOperations())
	if err != nil {
		return err
	}
	all, err := s.Store.Operations(c.Request().Context())
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.OperationsIndex(admin.Operations{Team: frame, All: all, Now: s.Now()}))
}

// GET /admin/operations/new is the form that starts a takeover.
func (s *Server) newOperation(c echo.Context) error {
	return s.startForm(c, http.StatusOK, map[string]string{"chain_id": strconv.FormatInt(s.ChainID, 10), "cap": "25.00", "envelope": "0.00"}, "")
}

func (s *Server) startForm(c echo.Context, status int, values map[string]string, problem string) error {
	frame, err := s.frameWithCount(c, "Start a takeover, Vivra", paths.AdminOperations())
	if err != nil {
		return err
	}
	return render(c, status, admin.New(admin.Start{Team: frame, Values: values, Problem: problem}))
}

// POST /admin/operations starts a takeover.
func (s *Server) createOperation(c echo.Context) error {
	in, err := s.newOperationFrom(c)
	var op app.Operation
	if err == nil {
		op, err = s.Starter.StartOperation(c.Request().Context(), in, currentUser(c))
	}
	var known *app.Error
	if errors.As(err, &known) && known.Kind != app.Internal {
		return s.startForm(c, statuses[known.Kind], entered(c), known.Message)
	}
	if err != nil {
		return err
	}
	s.changed(op.ID)
	return done(c, paths.AdminOperation(op.Slug))
}

// entered is what the form held, to be corrected.
func entered(c echo.Context) map[string]string {
	values := map[string]string{}
	for _, name := range []string{"chain_id", "address", "j0", "cap", "envelope", "x_handle", "telegram_chat", "slug"} {
		values[name] = c.FormValue(name)
	}
	return values
}

func (s *Server) newOperationFrom(c echo.Context) (in app.NewOperation, err error) {
	field := func(name string) string { return strings.TrimSpace(c.FormValue(name)) }
	if in.Token.Ref.ChainID, err = strconv.ParseInt(field("chain_id"), 10, 64); err != nil {
		return in, app.Errorf(app.Invalid, "The chain id is a number.")
	}
	if in.Token.Ref.Address, err = chain.ParseAddress(field("address")); err != nil {
		return in, err
	}
	if in.J0, err = start(field("j0"), s.Now()); err != nil {
		return in, err
	}
	if in.Cap, err = app.ParseUSD(field("cap")); err != nil {
		return in, err
	}
	if in.Envelope, err = app.ParseUSD(field("envelope")); err != nil {
		return in, err
	}
	if in.Cap <= 0 || in.Envelope < 0 {
		return in, app.Errorf(app.Invalid, "The cap must be more than nothing, and the envelope must not be less than nothing.")
	}
	if chat := field("telegram_chat"); chat != "" {
		if in.TelegramChat, err = strconv.ParseInt(chat, 10, 64); err != nil {
			return in, app.Errorf(app.Invalid, "A Telegram chat id is a number, such as -1001234567890.")
		}
	}
	in.XHandle, in.Slug = strings.TrimPrefix(field("x_handle"), "@"), field("slug")
	return in, nil
}

// start reads J0, now when it is empty. Browsers leave out the seconds.
func start(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now.UTC(), nil
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, app.Errorf(app.Invalid, "%q is not an instant. Write it like 2026-12-01T09:00, in UTC.", text)
}

// newestBeside is how many steps beside the calendar an operation's pages list.
const newestBeside = 50

// GET /admin/operations/:slug is one operation with its controls.
func (s *Server) showAdminOperation(c echo.Context) error {
	return s.controlRoom(c, http.StatusOK, c.Param("slug"), admin.Unsettled{})
}

// controlRoom is an operation's page, with what was not taken from it.
func (s *Server) controlRoom(c echo.Context, status int, slug string, unsettled admin.Unsettled) error {
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, slug)
	if err != nil {
		return err
	}
	frame, err := s.frameWithCount(c, op.Token.Symbol+", Vivra", "")
	if err != nil {
		return err
	}
	settings, err := s.Store.Settings(ctx)
	if err != nil {
		return err
	}
	m := admin.OperationPage{Team: frame, Now: s.Now(), Expires: settings.ApprovalExpires, Unsettled: unsettled}
	m.Operation.Operation = op
	if m.Validations, err = s.Store.WaitingOf(ctx, op.ID); err != nil {
		return err
	}
	if m.Steps, err = s.Store.Steps(ctx, op.ID); err != nil {
		return err
	}
	if m.Beside, err = s.Store.StepsBeside(ctx, op.ID, newestBeside); err != nil {
		return err
	}
	if m.Effects, err = s.Store.Effects(ctx, op.ID); err != nil {
		return err
	}
	if m.Spending, m.Sources, err = s.costs(ctx, op); err != nil {
		return err
	}
	alerts, err := s.Store.AlertPage(ctx, app.AlertFilter{Operation: op.Slug, Limit: newestAlerts})
	if err != nil {
		return err
	}
	m.Alerts, m.MoreAlerts = alerts.Items, alerts.More
	return render(c, status, admin.Show(m))
}

// POST /admin/operations/:slug/pause starts nothing new.
func (s *Server) createOperationPause(c echo.Context) error {
	err := s.Store.PauseOperation(c.Request().Context(), c.Param("slug"), currentUser(c), s.Now())
	return s.steered(c, err)
}

// POST /admin/operations/:slug/resumption lets due steps start again.
func (s *Server) createOperationResumption(c echo.Context) error {
	err := s.Store.ResumeOperation(c.Request().Context(), c.Param("slug"), currentUser(c), s.Now())
	return s.steered(c, err)
}

// POST /admin/operations/:slug/stop is final, so its name is typed.
func (s *Server) createOperationStop(c echo.Context) error {
	slug := c.Param("slug")
	if strings.TrimSpace(c.FormValue("confirm")) != slug {
		return app.Errorf(app.Invalid, "To stop the operation, type %s in the last field. Nothing was changed.", slug)
	}
	reason, err := reason(c)
	if err != nil {
		return err
	}
	return s.steered(c, s.Store.StopOperation(c.Request().Context(), slug, reason, currentUser(c), s.Now()))
}

func (s *Server) steered(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	op, err := s.Store.OperationBySlug(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	s.changed(op.ID)
	return done(c, paths.AdminOperation(op.Slug))
}
