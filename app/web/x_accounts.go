package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/accounts is every account on X that we speak with, and how it
// stands. tried is a connection that X has led back from.
func (s *Server) indexXAccounts(c echo.Context) error {
	m := admin.XAccounts{Notice: s.sessions.PopString(c.Request().Context(), noticeKey)}
	if id := c.QueryParam("tried"); id != "" {
		tried, err := s.Store.XConnection(c.Request().Context(), id)
		if err != nil {
			return err
		}
		m.Tried = &tried
	}
	return s.xAccountsPage(c, http.StatusOK, m)
}

// xAccountsPage is the page with what m says beyond the list.
func (s *Server) xAccountsPage(c echo.Context, status int, m admin.XAccounts) error {
	var err error
	if m.Team, err = s.frameWithCount(c, "Accounts on X, Vivra", paths.XAccounts()); err != nil {
		return err
	}
	if m.All, err = s.Store.AccountsOnX(c.Request().Context()); err != nil {
		return err
	}
	m.Now, m.Callback, m.Off = s.Now(), s.PublicURL+paths.XCallback(), s.Connector == nil
	return render(c, status, admin.XAccountsIndex(m))
}

// POST /admin/accounts/connections sets out to connect an account. It answers
// with a page of ours that has a link, and does not lead on by itself: forms of
// this site may lead nowhere else.
func (s *Server) createXConnection(c echo.Context) error {
	if s.Connector == nil {
		return app.Errorf(app.Unavailable, "No account on X can be connected: X_CLIENT_ID and X_CLIENT_SECRET are not set.")
	}
	asked, address, err := s.Connector.StartConnection(c.Request().Context(), c.FormValue("handle"), currentUser(c), currentSession(c).ID)
	if message, ok := correctable(err); ok {
		return s.xAccountsPage(c, statuses[app.KindOf(err)], admin.XAccounts{Problem: message, Handle: c.FormValue("handle")})
	}
	if err != nil {
		return err
	}
	frame, err := s.frameWithCount(c, "Connect @"+asked.Handle+", Vivra", paths.XAccounts())
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, admin.XConnect(admin.XConnecting{Team: frame, Connection: asked, Address: address}))
}

// GET /admin/accounts/callback is where X leads back to. OAuth has it change
// something although it is opened by a link: it does so only with a state that
// this very session was given for this account, once, for ten minutes. Anybody
// else's opening it, a program's that looks at links too, changes nothing.
func (s *Server) finishXConnection(c echo.Context) error {
	unnamed(c)
	answer := app.XAnswer{State: c.QueryParam("state"), Code: c.QueryParam("code"), Error: c.QueryParam("error")}
	if answer.State == "" || s.Connector == nil {
		return c.Redirect(http.StatusSeeOther, paths.XAccounts())
	}
	id, err := s.Connector.FinishConnection(c.Request().Context(), answer, currentUser(c), currentSession(c).ID)
	switch kind := app.KindOf(err); {
	case id != "" && (err == nil || kind == app.Conflict): // what became of it stands there
		s.Hub.ChangedAll()
		return c.Redirect(http.StatusSeeOther, paths.XTried(id))
	case kind == app.NotFound || kind == app.Conflict:
		return s.xAccountsPage(c, http.StatusConflict, admin.XAccounts{Problem: err.Error() + " Nothing was changed. Press Connect at the account to be asked again."})
	}
	return err
}

// POST /admin/accounts/:handle/disconnection forgets an account's tokens.
func (s *Server) createXDisconnection(c echo.Context) error {
	if s.Connector == nil {
		return app.Errorf(app.Unavailable, "X_CLIENT_ID and X_CLIENT_SECRET are not set. Nothing was changed.")
	}
	said, err := s.Connector.Disconnect(c.Request().Context(), c.Param("handle"), currentUser(c))
	if message, ok := correctable(err); ok {
		return s.xAccountsPage(c, statuses[app.KindOf(err)], admin.XAccounts{Problem: message})
	}
	if err != nil {
		return err
	}
	s.Hub.ChangedAll()
	s.sessions.Put(c.Request().Context(), noticeKey, said)
	return done(c, paths.XAccounts())
}
