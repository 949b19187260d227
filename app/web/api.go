package web

import (
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
)

// How much one address may ask of the API: a page with several widgets at once,
// then two answers a second. The streams are not counted, they are asked for
// once. Each process counts for itself.
const (
	askBurst = 60
	askEvery = 500 * time.Millisecond
)

// api has pages of other sites read what is under /api/, and slows down who asks
// for too much of it.
func (s *Server) api(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !strings.HasPrefix(c.Request().URL.Path, "/api/") {
			return next(c)
		}
		open(c)
		if c.Request().Method == http.MethodOptions {
			return c.NoContent(http.StatusNoContent)
		}
		if !streams(c) && !s.asks.allow(addressOf(c), s.Now()) {
			c.Response().Header().Set(echo.HeaderRetryAfter, "1")
			return app.Errorf(app.TooMuch, "Too many requests from your address. Go on in a second, and keep an answer for as long as its Cache-Control says.")
		}
		return next(c)
	}
}

// open lets pages of other sites read an answer.
func open(c echo.Context) {
	h := c.Response().Header()
	h.Set(echo.HeaderAccessControlAllowOrigin, "*")
	h.Set(echo.HeaderAccessControlAllowMethods, "GET, HEAD")
	h.Set(echo.HeaderAccessControlAllowHeaders, "If-None-Match, Last-Event-ID")
	h.Set(echo.HeaderAccessControlExposeHeaders, "ETag, Retry-After")
	h.Set(echo.HeaderAccessControlMaxAge, "86400")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
}
