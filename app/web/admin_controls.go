package web

import (
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/views/admin"
)

// POST /admin/operations/:slug/cap lets it spend more.
func (s *Server) createOperationCap(c echo.Context) error {
	to, err := app.ParseUSD(c.FormValue("cap"))
	if err != nil {
		return err
	}
	seen, err := strconv.ParseInt(c.FormValue("seen"), 10, 64)
	if err != nil {
		return app.Errorf(app.Invalid, "Open the operation's page and raise the cap from there. Nothing was changed.")
	}
	reason, err := reason(c)
	if err != nil {
		return err
	}
	return s.steered(c, s.Store.RaiseCap(c.Request().Context(), c.Param("slug"), app.Nano(seen), to, reason, currentUser(c), s.Now()))
}

// POST /admin/steps/:id/retry runs a step again from its start.
func (s *Server) createStepRetry(c echo.Context) error {
	return s.steerStep(c, func(id int64, reason string) error {
		return s.Store.RetryStep(c.Request().Context(), id, reason, currentUser(c), s.Now())
	})
}

// POST /admin/steps/:id/finish ends a step with the part of its output that is out.
func (s *Server) createStepFinish(c echo.Context) error {
	return s.steerStep(c, func(id int64, reason string) error {
		return s.Store.FinishPartly(c.Request().Context(), id, reason, currentUser(c), s.Now())
	})
}

// POST /admin/steps/:id/rest has the rest of what broke off wait for a decision
// of its own, and leads there.
func (s *Server) createStepRest(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	if err := s.unmoved(c, id); err != nil {
		return err
	}
	reason, err := reason(c)
	if err != nil {
		return err
	}
	draft, err := s.Store.DraftRest(c.Request().Context(), id, reason, currentUser(c), s.Now())
	if err != nil {
		return err
	}
	s.Hub.Changed(live.Operations)
	return done(c, paths.Validation(draft))
}

// POST /admin/steps/:id/skip gives a step up.
func (s *Server) createStepSkip(c echo.Context) error {
	return s.steerStep(c, func(id int64, reason string) error {
		return s.Store.SkipStep(c.Request().Context(), id, reason, currentUser(c), s.Now())
	})
}

func (s *Server) steerStep(c echo.Context, steer func(id int64, reason string) error) error {
	return s.withReason(c, func(id int64, reason string) error {
		if err := s.unmoved(c, id); err != nil {
			return err
		}
		return steer(id, reason)
	})
}

// unmoved refuses what was meant for another state of the step than it is in:
// what breaks off a run must not break off one that began meanwhile.
func (s *Server) unmoved(c echo.Context, id int64) error {
	seen := app.StepState(c.FormValue("state"))
	if seen == "" {
		return nil
	}
	st, err := s.Store.Step(c.Request().Context(), id)
	if err != nil || st.State == seen {
		return err
	}
	return app.Errorf(app.Conflict, "This step is %s by now: it was %s when you opened the page. Look at it again. Nothing was changed.", words(st.State), words(seen))
}

func words(s app.StepState) string { return strings.ReplaceAll(string(s), "_", " ") }

// POST /admin/effects/:id/retry sends a publication that failed again.
func (s *Server) createEffectRetry(c echo.Context) error {
	return s.withReason(c, func(id int64, reason string) error {
		return s.Store.RetryEffect(c.Request().Context(), id, reason, currentUser(c), s.Now())
	})
}

func (s *Server) withReason(c echo.Context, do func(id int64, reason string) error) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	reason, err := reason(c)
	if err != nil {
		return err
	}
	if err := do(id, reason); err != nil {
		return err
	}
	s.Hub.Changed(live.Operations)
	return done(c, back(c))
}

// POST /admin/effects/:id/settlement says whether a call whose answer was lost
// reached the platform.
func (s *Server) createEffectSettlement(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	sent := c.FormValue("sent")
	fence, err := strconv.ParseInt(c.FormValue("fence"), 10, 64)
	if err != nil || sent != "yes" && sent != "no" {
		return app.Errorf(app.Invalid, "Open the operation's page and say there whether it is there or not. Nothing was changed.")
	}
	said := app.Settlement{EffectID: id, Fence: fence, Sent: sent == "yes", Link: strings.TrimSpace(c.FormValue("link"))}
	err = s.Store.SettleEffect(c.Request().Context(), said, currentUser(c), s.Now())
	if _, ok := correctable(err); ok {
		return s.unsettled(c, said, err)
	}
	if err != nil {
		return err
	}
	s.Hub.Changed(live.Operations)
	return done(c, back(c))
}

// unsettled shows the operation as it is now, with why a person's word was not
// taken, and with what they had entered.
func (s *Server) unsettled(c echo.Context, said app.Settlement, refusal error) error {
	e, err := s.Store.Effect(c.Request().Context(), said.EffectID)
	if err != nil {
		return err
	}
	return s.controlRoom(c, statuses[app.KindOf(refusal)], e.OperationSlug, admin.Unsettled{Settlement: said, Why: refusal.Error()})
}

// back returns to the page of ours that the form was on.
func back(c echo.Context) string { return safeNext(pathOf(c.Request().Referer())) }
