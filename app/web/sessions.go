package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/sign-in is the form.
func (s *Server) newSession(c echo.Context) error {
	ctx := c.Request().Context()
	user, _, err := s.signedIn(ctx, s.sessions.Token(ctx))
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
		CSRF: s.csrf(c), Action: paths.SignIn(), Name: strings.TrimSpace(c.FormValue("name")), Next: safeNext(c.FormValue("next")), Problem: problem, Passkeys: s.passkeys.off == "",
	}))
}

const tooManyTries = "Too many tries from your address. Wait a minute, then try again."

// POST /admin/sign-in opens a session.
func (s *Server) createSession(c echo.Context) error {
	name := strings.TrimSpace(c.FormValue("name"))
	if !s.mayTry(c) {
		return s.signInForm(c, http.StatusTooManyRequests, tooManyTries)
	}
	if !s.byName.allow(s.triesOf(c, name), s.Now()) {
		delayed(c, tryByName)
		s.note(c, "sign-in delayed", name, "by its name")
		return s.signInForm(c, http.StatusTooManyRequests, "Too many tries for this name. Wait a minute, or sign in with a passkey or in a browser where you did before.")
	}
	user, err := s.authenticate(c, name, c.FormValue("password"))
	if err != nil {
		s.note(c, "sign-in refused", name, err.Error())
		return s.signInRefused(c, err)
	}
	s.remember(c, user.Name)
	return s.enterFor(c, user, "password", safeNext(c.FormValue("next")))
}

// note leaves a trace of a try to sign in that failed.
func (s *Server) note(c echo.Context, what, name, why string) {
	const most = 40
	shown := []rune(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, name[:min(len(name), 4*most)]))
	s.Log.InfoContext(c.Request().Context(), what, "name", string(shown[:min(len(shown), most)]), "address", c.RealIP(), "why", why)
}

// mayTry takes one of the tries that an address has.
func (s *Server) mayTry(c echo.Context) bool {
	if s.byAddress.allow(addressOf(c), s.Now()) {
		return true
	}
	delayed(c, tryByAddress)
	s.note(c, "sign-in delayed", c.FormValue("name"), "by its address")
	return false
}

func delayed(c echo.Context, wait time.Duration) {
	c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(int(wait.Seconds())))
}

func (s *Server) signInRefused(c echo.Context, err error) error {
	if message, ok := correctable(err); ok {
		return s.signInForm(c, http.StatusUnprocessableEntity, message)
	}
	return err
}

// authenticate returns the account that name and password belong to. It takes
// as long for a name that nobody has.
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
		return app.User{}, app.Errorf(app.Invalid, "That name and password do not belong together.")
	}
	if user.DisabledAt != nil {
		return app.User{}, errDisabled
	}
	return s.rehashed(c, user, password)
}

var errDisabled = app.Errorf(app.Conflict, "This account is disabled. Ask an admin.")

// rehashed gives a password the hash that passwords have now.
func (s *Server) rehashed(c echo.Context, user app.User, password string) (app.User, error) {
	if !outdated(user.PasswordHash) {
		return user, nil
	}
	hash, err := HashPassword(password)
	if app.KindOf(err) == app.Invalid {
		return user, nil // it was set when shorter ones were allowed
	}
	if err != nil {
		return user, err
	}
	if err := s.Store.Rehash(c.Request().Context(), user, hash); err != nil {
		return user, err
	}
	user.PasswordHash = hash
	return user, nil
}

// enterFor opens a session for the user and leads on.
func (s *Server) enterFor(c echo.Context, user app.User, by, next string) error {
	if err := s.enter(c, user, by); err != nil {
		return s.signInRefused(c, err)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// enter makes the session the user's, under a new name and with a new token, by
// what opens it.
func (s *Server) enter(c echo.Context, user app.User, by string) error {
	ctx := c.Request().Context()
	if err := s.sessions.RenewToken(ctx); err != nil {
		return err
	}
	s.sessions.Remove(ctx, csrfKey)
	token, _, err := s.sessions.Commit(ctx)
	if err != nil {
		return err
	}
	return s.Sessions.SignIn(ctx, token, user, by, c.Request().UserAgent())
}

// POST /admin/sign-out ends the session.
func (s *Server) deleteSession(c echo.Context) error {
	ctx := c.Request().Context()
	err := s.Store.EndSession(ctx, currentUser(c), currentSession(c).ID, s.Now())
	if err != nil && app.KindOf(err) != app.NotFound { // ended elsewhere already
		return err
	}
	if err := s.sessions.Destroy(ctx); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, paths.SignIn())
}
