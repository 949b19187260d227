package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/setup/:token is the form behind a one-time link.
func (s *Server) newAccount(c echo.Context) error {
	unnamed(c)
	invite, err := s.Store.InviteByToken(c.Request().Context(), c.Param("token"), s.Now())
	if app.KindOf(err) == app.NotFound {
		return render(c, http.StatusNotFound, admin.SetupUsed())
	}
	if err != nil {
		return err
	}
	return s.setupForm(c, http.StatusOK, invite, "")
}

// unnamed keeps the page's address, which is a secret until it was used, out of
// what the page asks for.
func unnamed(c echo.Context) { c.Response().Header().Set(echo.HeaderReferrerPolicy, "no-referrer") }

func (s *Server) setupForm(c echo.Context, status int, invite app.Invite, problem string) error {
	m := admin.Credentials{CSRF: s.csrf(c), Action: paths.Setup(c.Param("token")), Name: c.FormValue("name"), Problem: problem}
	if invite.ForUser != "" {
		m.Name = invite.ForUser
		return render(c, status, admin.Reset(m))
	}
	return render(c, status, admin.Setup(m, invite.Role))
}

// POST /admin/setup/:token makes the account, or gives the one it is for a new
// password, and signs it in.
func (s *Server) createAccount(c echo.Context) error {
	unnamed(c)
	ctx := c.Request().Context()
	invite, err := s.Store.InviteByToken(ctx, c.Param("token"), s.Now())
	if app.KindOf(err) == app.NotFound {
		return render(c, http.StatusNotFound, admin.SetupUsed())
	}
	if err != nil {
		return err
	}
	if !s.mayTry(c) {
		return s.setupForm(c, http.StatusTooManyRequests, invite, tooManyTries)
	}
	user, err := s.useInvite(c, invite)
	if message, ok := correctable(err); ok {
		return s.setupForm(c, http.StatusUnprocessableEntity, invite, message)
	}
	if app.KindOf(err) == app.NotFound { // used meanwhile
		return render(c, http.StatusNotFound, admin.SetupUsed())
	}
	if err != nil {
		return err
	}
	s.Hub.ChangedAll()
	s.remember(c, user.Name)
	return s.enterFor(c, user, "link", paths.Admin())
}

func (s *Server) useInvite(c echo.Context, invite app.Invite) (app.User, error) {
	name := strings.TrimSpace(c.FormValue("name"))
	if invite.ForUser == "" {
		if err := app.CheckUserName(name); err != nil {
			return app.User{}, err
		}
	}
	hash, err := HashPassword(c.FormValue("password"))
	if err != nil {
		return app.User{}, err
	}
	return s.Store.UseInvite(c.Request().Context(), c.Param("token"), name, hash, s.Now())
}
