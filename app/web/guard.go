package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

const (
	userKey = "user"
	csrfKey = "csrf"
)

func (s *Server) sessionManager() *scs.SessionManager {
	m := scs.New()
	m.Store = s.Sessions
	m.Lifetime = 12 * time.Hour
	m.Cookie.Name = "vivra_session"
	m.Cookie.Path = "/admin"
	m.Cookie.Secure = strings.HasPrefix(s.PublicURL, "https://")
	return m
}

// guard lets a request through to r when its visitor may use it.
func (s *Server) guard(r Route) echo.HandlerFunc {
	if r.Access == Everyone {
		return r.handle
	}
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "private, no-store")
		if err := s.openSession(c); err != nil {
			return err
		}
		if r.Method == http.MethodPost && !s.genuine(c) {
			return app.Errorf(app.Denied, "This form is too old or did not come from this site. Go back, reload the page and try again. Nothing was changed.")
		}
		if r.Access == Visitor {
			return r.handle(c)
		}
		user, err := s.signedIn(c)
		switch {
		case err != nil:
			return err
		case user.ID == 0:
			return askToSignIn(c)
		case !may(user.Role, r.Access):
			return app.Errorf(app.Denied, "Your account is a %s's: it may not do this. Nothing was changed.", user.Role)
		}
		c.Set(userKey, user)
		return r.handle(c)
	}
}

func may(role string, access Access) bool {
	ranks := map[string]Access{"viewer": Viewer, "approver": Approver, "admin": Admin}
	return ranks[role] >= access
}

// openSession loads the session of the cookie and saves it, when it changed,
// just before the answer's headers leave.
func (s *Server) openSession(c echo.Context) error {
	token := ""
	if cookie, err := c.Cookie(s.sessions.Cookie.Name); err == nil {
		token = cookie.Value
	}
	ctx, err := s.sessions.Load(c.Request().Context(), token)
	if err != nil {
		return err
	}
	c.SetRequest(c.Request().WithContext(ctx))
	c.Response().Before(func() { s.saveSession(c) })
	return nil
}

func (s *Server) saveSession(c echo.Context) {
	ctx := c.Request().Context()
	switch s.sessions.Status(ctx) {
	case scs.Modified:
		token, expiry, err := s.sessions.Commit(ctx)
		if err != nil {
			s.Log.ErrorContext(ctx, "session not saved", "error", err)
			return
		}
		s.sessions.WriteSessionCookie(ctx, c.Response(), token, expiry)
	case scs.Destroyed:
		s.sessions.WriteSessionCookie(ctx, c.Response(), "", time.Time{})
	}
}

// signedIn returns the session's user, read anew so that a change of role or a
// removal holds at once. Its ID is 0 when nobody is signed in.
func (s *Server) signedIn(c echo.Context) (app.User, error) {
	ctx := c.Request().Context()
	id := s.sessions.GetInt64(ctx, userKey)
	if id == 0 {
		return app.User{}, nil
	}
	user, err := s.Store.UserByID(ctx, id)
	if app.KindOf(err) == app.NotFound {
		return app.User{}, nil
	}
	return user, err
}

func currentUser(c echo.Context) app.User {
	user, _ := c.Get(userKey).(app.User)
	return user
}

// csrf returns the session's token for its forms.
func (s *Server) csrf(c echo.Context) string {
	ctx := c.Request().Context()
	token := s.sessions.GetString(ctx, csrfKey)
	if token == "" {
		token = rand.Text()
		s.sessions.Put(ctx, csrfKey, token)
	}
	return token
}

// genuine tells whether a form carries its session's token.
func (s *Server) genuine(c echo.Context) bool {
	want := s.sessions.GetString(c.Request().Context(), csrfKey)
	got := c.FormValue("csrf")
	return want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}

// askToSignIn sends a reader to the form and back after; a stream is told no.
func askToSignIn(c echo.Context) error {
	if isDatastar(c) {
		return c.NoContent(http.StatusUnauthorized)
	}
	next := ""
	if c.Request().Method == http.MethodGet {
		next = "?" + url.Values{"next": {c.Request().URL.RequestURI()}}.Encode()
	}
	return c.Redirect(http.StatusSeeOther, paths.SignIn()+next)
}

// safeNext keeps a page of ours only, so that a link can't lead elsewhere.
func safeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/admin") || strings.Contains(next, `\`) {
		return paths.Admin()
	}
	return next
}
