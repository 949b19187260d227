// Package web is the site: routes, handlers and live streams.
package web

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"log/slog"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/alexedwards/scs/v2"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"vivra/app"
	"vivra/app/agent"
	"vivra/app/live"
)

// Server holds what handlers need. Its fields are set once, before Handler.
type Server struct {
	Store    Store
	Sessions Sessions
	Files    Files
	Starter  Starter
	Editor   Editor
	// Connector connects accounts on X; nil: we are not known there.
	Connector Connector
	Hub       *live.Hub
	Now       func() time.Time
	// Pace is how many of Now's seconds pass in one of the reader's; 0: one.
	Pace float64

	// Updates takes the Telegram webhook's calls; nil leaves the route closed.
	Updates       Updates
	WebhookSecret string

	// Painter draws the pictures of link previews; nil: all have the same.
	Painter Painter

	// PublicURL is where visitors find the site, such as https://vivra.example.
	PublicURL string
	// Explorer is the base address of a block explorer, empty: no links to one.
	Explorer string
	// Agents are those that there are settings for, as their specs say them.
	Agents []agent.Agent
	// ChainID is what the start form proposes.
	ChainID int64
	// Secret is what this site knows its own cookies by; empty: one that is
	// forgotten when the program ends.
	Secret []byte
	// ClientJS names a file that takes the place of static/live.js. The official
	// Datastar client needs unsafe-eval, which the policy then allows.
	ClientJS string

	// Notices are what the team must know of the services; nil: nothing.
	Notices Notices
	// Meter counts requests; nil counts nothing.
	Meter Meter
	Log   *slog.Logger

	sessions  *scs.SessionManager
	passkeys  passkeys
	byAddress limiter // tries to sign in
	byName    limiter
	asks      limiter // of the API, by address
	sums      sums
	cards     cards
	shows     shows
}

// Handler returns the site.
func (s *Server) Handler() http.Handler {
	s.openDoors()
	e := echo.New()
	e.HideBanner = true
	e.HTTPErrorHandler = s.fail
	e.IPExtractor = echo.ExtractIPFromXFFHeader() // trusts proxies on private addresses only
	e.Use(s.metered, s.headers, s.api, middleware.BodyLimit("1M"), middleware.GzipWithConfig(middleware.GzipConfig{
		MinLength: 512,
		Skipper:   streams,
	}), readable)
	for _, r := range s.Routes() {
		e.Add(r.Method, r.Path, s.guard(r))
		if r.Method == http.MethodGet {
			e.Add(http.MethodHead, r.Path, s.guard(headed(r)))
		}
	}
	return e
}

// openDoors prepares the ways in.
func (s *Server) openDoors() {
	if len(s.Secret) == 0 {
		s.Secret = []byte(rand.Text())
	}
	s.sessions, s.passkeys = s.sessionManager(), newPasskeys(s.PublicURL)
	s.byAddress = limiter{every: tryByAddress, burst: tryBurst}
	s.byName = limiter{every: tryByName, burst: tryBurst}
	s.asks = limiter{every: askEvery, burst: askBurst}
}

// pace is how many of the server's seconds pass in one of the reader's.
func (s *Server) pace() float64 { return cmp.Or(s.Pace, 1) }

// render answers with a page. It is rendered whole first: a fault in a view
// becomes an error page and not half a page.
func render(c echo.Context, status int, page templ.Component) error {
	var out bytes.Buffer
	if err := page.Render(c.Request().Context(), &out); err != nil {
		return err
	}
	return c.HTMLBlob(status, out.Bytes())
}

// shared answers with a page that is the same for all who ask within a moment.
func shared(c echo.Context, page templ.Component) error {
	var out bytes.Buffer
	if err := page.Render(c.Request().Context(), &out); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, sharedFor)
	if known(c, app.SHA256Hex(out.Bytes())[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.HTMLBlob(http.StatusOK, out.Bytes())
}

// done answers a form: on to the next page, or nothing for a script that will
// hear of the change on its stream.
func done(c echo.Context, next string) error {
	if isDatastar(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, next)
}

// redirectTo answers below a page whose forms are sent there: the address of
// what a form was answered with leads up to it when the reader reloads.
func redirectTo(page string) echo.HandlerFunc {
	return func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, page) }
}

func isDatastar(c echo.Context) bool { return c.Request().Header.Get("Datastar-Request") == "true" }
