package web

import (
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/admin"
)

// GET /admin/users is the team and the links that let somebody in.
func (s *Server) indexUsers(c echo.Context) error {
	return s.peoplePage(c, http.StatusOK, admin.People{})
}

// peoplePage is the page with what m says beyond the lists.
func (s *Server) peoplePage(c echo.Context, status int, m admin.People) error {
	ctx := c.Request().Context()
	var err error
	if m.Team, err = s.frameWithCount(c, "People, Vivra", paths.Users()); err != nil {
		return err
	}
	if m.Members, err = s.Sessions.Members(ctx); err != nil {
		return err
	}
	if m.Invites, err = s.Store.OpenInvites(ctx, s.Now()); err != nil {
		return err
	}
	return render(c, status, admin.PeopleIndex(m))
}

// peopleChanged answers a form: on to the list, or the list with what is wrong.
// Pages that are open look again whose they are.
func (s *Server) peopleChanged(c echo.Context, err error) error {
	if message, ok := correctable(err); ok {
		return s.peoplePage(c, statuses[app.KindOf(err)], admin.People{Problem: message})
	}
	if err != nil {
		return err
	}
	s.Hub.ChangedAll()
	return done(c, paths.Users())
}

// correctable is what is wrong with what somebody sent, for them to correct.
func correctable(err error) (message string, ok bool) {
	var known *app.Error
	if errors.As(err, &known) && (known.Kind == app.Invalid || known.Kind == app.Conflict) {
		return known.Message, true
	}
	return "", false
}

// oneTimeLink is shown once: what is kept of it can't open anything.
func (s *Server) oneTimeLink(c echo.Context, make func(token string, expires, now time.Time) (admin.OneTimeLink, error)) error {
	token, now := rand.Text(), s.Now()
	link, err := make(token, now.Add(app.InviteLifetime), now)
	if err != nil {
		return s.peopleChanged(c, err)
	}
	link.URL, link.Expires = s.PublicURL+paths.Setup(token), now.Add(app.InviteLifetime)
	return s.peoplePage(c, http.StatusOK, admin.People{Link: &link})
}

// POST /admin/users/invites makes a link that makes an account.
func (s *Server) createInvite(c echo.Context) error {
	return s.oneTimeLink(c, func(token string, expires, now time.Time) (admin.OneTimeLink, error) {
		role := c.FormValue("role")
		return admin.OneTimeLink{Role: role}, s.Store.CreateInvite(c.Request().Context(), token, role, currentUser(c), expires, now)
	})
}

// POST /admin/users/invites/:id/revocation closes a link.
func (s *Server) createInviteRevocation(c echo.Context) error {
	return s.peopleChanged(c, s.Store.RevokeInvite(c.Request().Context(), c.Param("id"), currentUser(c), s.Now()))
}

// POST /admin/users/:id/reset makes a link that gives the account a new password.
func (s *Server) createUserReset(c echo.Context) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	return s.oneTimeLink(c, func(token string, expires, now time.Time) (admin.OneTimeLink, error) {
		user, err := s.Store.CreateReset(c.Request().Context(), token, id, currentUser(c), expires, now)
		return admin.OneTimeLink{For: user.Name}, err
	})
}

// POST /admin/users/:id/role lets a member do more or less.
func (s *Server) updateUserRole(c echo.Context) error {
	return s.changeUser(c, func(id int64) error {
		return s.Store.ChangeRole(c.Request().Context(), id, c.FormValue("role"), currentUser(c), s.Now())
	})
}

// POST /admin/users/:id/disabling shuts a member out.
func (s *Server) createUserDisabling(c echo.Context) error {
	return s.changeUser(c, func(id int64) error {
		return s.Store.DisableUser(c.Request().Context(), id, currentUser(c), s.Now())
	})
}

// POST /admin/users/:id/enabling lets a member in again.
func (s *Server) createUserEnabling(c echo.Context) error {
	return s.changeUser(c, func(id int64) error {
		return s.Store.EnableUser(c.Request().Context(), id, currentUser(c), s.Now())
	})
}

// POST /admin/users/:id/passkeys/removal leaves a member the password only.
func (s *Server) createUserPasskeysRemoval(c echo.Context) error {
	return s.changeUser(c, func(id int64) error {
		return s.Store.RemovePasskeysOf(c.Request().Context(), id, currentUser(c), s.Now())
	})
}

// POST /admin/users/:id/sign-out ends a member's sessions.
func (s *Server) createUserSignOut(c echo.Context) error {
	return s.changeUser(c, func(id int64) error {
		return s.Store.EndSessionsOf(c.Request().Context(), id, currentUser(c), s.Now())
	})
}

func (s *Server) changeUser(c echo.Context, change func(id int64) error) error {
	id, err := idParam(c)
	if err != nil {
		return err
	}
	return s.peopleChanged(c, change(id))
}
