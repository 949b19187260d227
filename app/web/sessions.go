package web

import (
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/sign-in is the form.
func (s *Server) newSession(c echo.Context) error {
	user, err := s.signedIn(c)
	if err != nil {
		return err
	}
	if user.ID != 0 {
		return c.Redirect(http.StatusSeeOther, safeNext(c.QueryParam("next")))
	}
	return s.signInForm(c, http.StatusOK, "")
}

func (s *Server) signInForm(c echo.Context, status int, problem string) error {
	return render(c, status, admin.SignIn(admin.Credentials{
		CSRF: s.csrf(c), Action: paths.SignIn(), Name: c.FormValue("name"), Next: safeNext(c.FormValue("next")), Problem: problem,
	}))
}

// POST /admin/sign-in opens a session.
func (s *Server) createSession(c echo.Context) error {
	if !s.signIns.allow(c.RealIP(), s.Now()) {
		return s.signInForm(c, http.StatusTooManyRequests, "Too many tries from your address. Wait a minute, then try again.")
	}
	user, err := s.authenticate(c, c.FormValue("name"), c.FormValue("password"))
	if err != nil {
		return err
	}
	if user.ID == 0 {
		return s.signInForm(c, http.StatusUnprocessableEntity, "That name and password do not belong together.")
	}
	if err := s.enter(c, user); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, safeNext(c.FormValue("next")))
}

// authenticate returns the account that name and password belong to, its ID 0
// when there is none.
func (s *Server) authenticate(c echo.Context, name, password string) (app.User, error) {
	user, err := s.Store.UserByName(c.Request().Context(), name)
	if err != nil && app.KindOf(err) != app.NotFound {
		return app.User{}, err
	}
	hash := user.PasswordHash
	if hash == "" {
		hash = nobody()
	}
	if !PasswordMatches(hash, password) {
		return app.User{}, nil
	}
	return user, nil
}

// enter makes the session the user's, under a new name and with a new token.
func (s *Server) enter(c echo.Context, user app.User) error {
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Remove(ctx, csrfKey)
	s.sessions.Put(ctx, userKey, user.ID)
	return nil
}

// POST /admin/sign-out ends the session.
func (s *Server) deleteSession(c echo.Context) error {
	if err := s.sessions.Destroy(c.Request().Context()); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.SignIn())
}

// GET /admin/setup/:token is the form behind a one-time link.
func (s *Server) newAccount(c echo.Context) error {
	open, err := s.Store.InviteOpen(c.Request().Context(), c.Param("token"), s.Now())
	if err != nil {
		return err
	}
	if !open {
		return render(c, http.StatusNotFound, admin.SetupUsed())
	}
	return s.setupForm(c, http.StatusOK, "")
}

func (s *Server) setupForm(c echo.Context, status int, problem string) error {
	return render(c, status, admin.Setup(admin.Credentials{
		CSRF: s.csrf(c), Action: paths.Setup(c.Param("token")), Name: c.FormValue("name"), Problem: problem,
	}))
}

var userName = regexp.MustCompile(`^[\pL\pN._-]{2,40}$`)

// POST /admin/setup/:token creates the account and signs it in.
func (s *Server) createAccount(c echo.Context) error {
	if !s.signIns.allow(c.RealIP(), s.Now()) {
		return s.setupForm(c, http.StatusTooManyRequests, "Too many tries from your address. Wait a minute, then try again.")
	}
	user, err := s.useInvite(c)
	switch app.KindOf(err) {
	case app.Invalid, app.Conflict:
		_, message := s.describe(c.Request().Context(), err)
		return s.setupForm(c, http.StatusUnprocessableEntity, message)
	case app.NotFound:
		return render(c, http.StatusNotFound, admin.SetupUsed())
	}
	if err != nil {
		return err
	}
	if err := s.enter(c, user); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.Admin())
}

func (s *Server) useInvite(c echo.Context) (app.User, error) {
	name := c.FormValue("name")
	if !userName.MatchString(name) {
		return app.User{}, app.Errorf(app.Invalid, "A name has 2 to 40 letters, digits, dots or dashes.")
	}
	hash, err := HashPassword(c.FormValue("password"))
	if err != nil {
		return app.User{}, err
	}
	return s.Store.UseInvite(c.Request().Context(), c.Param("token"), name, hash, s.Now())
}
