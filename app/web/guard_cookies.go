package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

// sessionManager makes the cookie of sessions. It is Lax and not Strict, since
// alerts lead here from elsewhere: a link brings it along, a form of another
// site does not, and opening a link changes nothing. On https its name has the
// __Host- prefix, so that no site beside ours, a relaunched one say, can plant
// one; browsers then want the path to be /. Without https pages for everyone
// don't get it.
func (s *Server) sessionManager() *scs.SessionManager {
	m := scs.New()
	m.Store = s.Sessions
	m.Lifetime = app.SessionLifetime
	m.Cookie.Name = s.cookieName("session")
	m.Cookie.Path = paths.Admin()
	if m.Cookie.Secure = s.secure(); m.Cookie.Secure {
		m.Cookie.Path = "/"
	}
	return m
}

func (s *Server) secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

// cookieName has the port in it: two sites on one host share their cookies.
func (s *Server) cookieName(what string) string {
	name := "vivra_" + what
	if u, err := url.Parse(s.PublicURL); err == nil && u.Port() != "" {
		name += "_" + u.Port()
	}
	if s.secure() {
		return "__Host-" + name
	}
	return name
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

// guestToken is what the forms of somebody who is not signed in carry. A cookie
// holds the same, and no row does: to look at the sign-in form leaves nothing.
func (s *Server) guestToken(c echo.Context) string {
	if kept, ok := c.Get(guestKey).(string); ok {
		return kept
	}
	token := s.guestCookie(c)
	if token == "" {
		token = rand.Text()
		like := s.sessions.Cookie
		c.SetCookie(&http.Cookie{Name: s.cookieName("guest"), Value: token, Path: like.Path, Secure: like.Secure, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	}
	c.Set(guestKey, token)
	return token
}

func (s *Server) guestCookie(c echo.Context) string {
	cookie, err := c.Cookie(s.cookieName("guest"))
	if err != nil || len(cookie.Value) != len(rand.Text()) {
		return ""
	}
	return cookie.Value
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
