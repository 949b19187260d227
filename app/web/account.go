package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/account is the reader's own password, passkeys and sessions.
func (s *Server) showAccount(c echo.Context) error {
	return s.accountPage(c, http.StatusOK, "")
}

func (s *Server) accountPage(c echo.Context, status int, problem string) error {
	ctx, user := c.Request().Context(), currentUser(c)
	frame, err := s.frameWithCount(c, "Your account, Vivra", paths.Account())
	if err != nil {
		return err
	}
	m := admin.Account{Team: frame, Problem: problem, PasskeysOff: s.passkeys.off, Notice: s.sessions.PopString(ctx, noticeKey)}
	if m.Sessions, err = s.Sessions.SessionsOf(ctx, user.ID); err != nil {
		return err
	}
	for i := range m.Sessions {
		m.Sessions[i].Current = m.Sessions[i].ID == currentSession(c).ID
	}
	keys, err := s.Store.PasskeysOf(ctx, user.ID)
	if err != nil {
		return err
	}
	for _, p := range keys {
		m.Passkeys = append(m.Passkeys, admin.Passkey{Passkey: p, Suspect: suspect(p)})
	}
	return render(c, status, admin.AccountShow(m))
}

// accountChanged answers a form: back to the page, which says notice once, or
// the page with what is wrong.
func (s *Server) accountChanged(c echo.Context, err error, notice string) error {
	if message, ok := correctable(err); ok {
		return s.accountPage(c, statuses[app.KindOf(err)], message)
	}
	if err != nil {
		return err
	}
	s.Hub.ChangedAll()
	s.sessions.Put(c.Request().Context(), noticeKey, notice)
	return done(c, paths.Account())
}

// POST /admin/account/password sets another password and ends every session but
// this one, which goes on under a new name.
func (s *Server) updatePassword(c echo.Context) error {
	return s.accountChanged(c, s.changePassword(c), "The password is changed. Your other sessions have ended.")
}

// isThemselves refuses a form without the account's own password: whoever finds
// a browser signed in must not stay in for good.
func (s *Server) isThemselves(c echo.Context, user app.User, what string) error {
	if !s.byName.allow(s.triesOf(c, user.Name), s.Now()) {
		return app.Errorf(app.Invalid, "Too many tries. Wait a minute, then try again.")
	}
	if !PasswordMatches(user.PasswordHash, c.FormValue("password")) {
		return app.Errorf(app.Invalid, "The %s is not right. Nothing was changed.", what)
	}
	return nil
}

func (s *Server) changePassword(c echo.Context) error {
	user := currentUser(c)
	if err := s.isThemselves(c, user, "old password"); err != nil {
		return err
	}
	hash, err := HashPassword(c.FormValue("new_password"))
	if err != nil {
		return err
	}
	if err := s.Store.ChangePassword(c.Request().Context(), user, hash, s.Now()); err != nil {
		return err
	}
	user.PasswordHash = hash
	return s.enter(c, user, "a new password")
}

// POST /admin/account/sessions/end ends all of the reader's sessions but this one.
func (s *Server) createOtherSessionsEnd(c echo.Context) error {
	err := s.Store.EndOtherSessions(c.Request().Context(), currentUser(c), currentSession(c).ID, s.Now())
	return s.accountChanged(c, err, "Your other sessions have ended.")
}

// POST /admin/account/sessions/:id/end ends one of the reader's sessions.
func (s *Server) createSessionEnd(c echo.Context) error {
	if c.Param("id") == currentSession(c).ID {
		return s.deleteSession(c)
	}
	err := s.Store.EndSession(c.Request().Context(), currentUser(c), c.Param("id"), s.Now())
	return s.accountChanged(c, err, "The session has ended.")
}
