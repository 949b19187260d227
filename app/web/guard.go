package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// What a session's data holds: nothing of it says whose the session is.
const (
	csrfKey   = "csrf"
	noticeKey = "notice" // a sentence for the next page
)

// What a request's context holds.
const (
	userKey    = "user"
	sessionKey = "session"
	standsKey  = "stands"
	guestKey   = "guest" // the token of a guest's forms
)

// guard lets a request through to r when its visitor may use it.
func (s *Server) guard(r Route) echo.HandlerFunc {
	if r.Access == Everyone {
		return bounded(r)
	}
	return func(c echo.Context) error {
		private(c)
		if err := s.openSession(c); err != nil {
			return err
		}
		if r.Method == http.MethodPost && !s.genuine(c, r) {
			return s.refuseForm(c, r)
		}
		if r.Access == Visitor {
			return r.handle(c)
		}
		return s.admit(c, r)
	}
}

// answersFor is how long anybody's request may wait for what it reads.
const answersFor = 10 * time.Second

// bounded gives up on a database that has frozen before the crowd that waits for
// it is too large to be answered at all. A stream and a whole log take their time.
func bounded(r Route) echo.HandlerFunc {
	if strings.HasSuffix(r.Path, "/live") || strings.HasSuffix(r.Path, ".jsonl") {
		return r.handle
	}
	return func(c echo.Context) error {
		ctx, cancel := context.WithTimeout(c.Request().Context(), answersFor)
		defer cancel()
		whole := c.Request()
		c.SetRequest(whole.WithContext(ctx))
		defer c.SetRequest(whole)
		return r.handle(c)
	}
}

// admit lets a member of the team through whose role is enough.
func (s *Server) admit(c echo.Context, r Route) error {
	ctx := c.Request().Context()
	token := s.sessions.Token(ctx)
	user, session, err := s.signedIn(ctx, token)
	switch {
	case err != nil:
		return err
	case user.ID == 0:
		return s.askToSignIn(c)
	case !may(user.Role, r.Access):
		return s.notAllowed(c, user)
	}
	if err := s.Sessions.Touch(ctx, token, session); err != nil {
		return err
	}
	c.Set(userKey, user)
	c.Set(sessionKey, session)
	c.Set(standsKey, func(ctx context.Context) bool {
		user, _, err := s.signedIn(ctx, token)
		return err == nil && may(user.Role, r.Access)
	})
	return r.handle(c)
}

// notAllowed refuses what a role is not enough for; a form that was opened with
// another role keeps what was written into it.
func (s *Server) notAllowed(c echo.Context, user app.User) error {
	why := fmt.Sprintf("As %s %s you may not do this. Nothing was changed.", article(user.Role), user.Role)
	return s.notTaken(c, admin.NotSent{Words: typedInto(c), Why: why, SignedIn: true})
}

func article(role app.Role) string {
	if strings.ContainsRune("aeiou", rune(role[0])) {
		return "an"
	}
	return "a"
}

func may(role app.Role, access Access) bool {
	rank := slices.Index(app.Roles(), role)
	return rank >= 0 && Viewer+Access(rank) >= access
}

// signedIn returns whose session it is, read anew so that what an admin changed
// holds at once. The user's ID is 0 when it is nobody's.
func (s *Server) signedIn(ctx context.Context, token string) (app.User, app.Session, error) {
	if token == "" {
		return app.User{}, app.Session{}, nil
	}
	user, session, err := s.Sessions.SignedIn(ctx, token)
	if app.KindOf(err) == app.NotFound {
		return app.User{}, app.Session{}, nil
	}
	return user, session, err
}

func currentUser(c echo.Context) app.User {
	user, _ := c.Get(userKey).(app.User)
	return user
}

func currentSession(c echo.Context) app.Session {
	session, _ := c.Get(sessionKey).(app.Session)
	return session
}

// csrf returns the session's token for its forms, or a guest's.
func (s *Server) csrf(c echo.Context) string {
	if currentUser(c).ID == 0 {
		return s.guestToken(c)
	}
	ctx := c.Request().Context()
	token := s.sessions.GetString(ctx, csrfKey)
	if token == "" {
		token = rand.Text()
		s.sessions.Put(ctx, csrfKey, token)
	}
	return token
}

// genuine tells whether a form carries its session's token, or its guest's.
func (s *Server) genuine(c echo.Context, r Route) bool {
	want := s.sessions.GetString(c.Request().Context(), csrfKey)
	if r.Access == Visitor {
		want = s.guestCookie(c)
	}
	got := c.FormValue("csrf")
	return want != "" && subtle.ConstantTimeCompare([]byte(want), []byte(got)) == 1
}

// askToSignIn sends a reader to the form and back after; a stream is told no.
func (s *Server) askToSignIn(c echo.Context) error {
	if isDatastar(c) {
		return c.NoContent(http.StatusUnauthorized)
	}
	if words := typedInto(c); len(words) > 0 {
		return s.notSent(c, admin.NotSent{Words: words, Why: signedOut})
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
