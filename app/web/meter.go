package web

import (
	"strings"

	"github.com/labstack/echo/v4"
)

// Meter counts requests by the route that matched, and the pages that are kept
// up to date. app/telemetry implements it.
type Meter interface {
	Request(method, route string, streams bool) (answered func(status int))
}

// metered has the meter see every request. A fault is answered here already, so
// that its status is known.
func (s *Server) metered(next echo.HandlerFunc) echo.HandlerFunc {
	if s.Meter == nil {
		return next
	}
	return func(c echo.Context) error {
		answered := s.Meter.Request(c.Request().Method, c.Path(), streams(c))
		defer func() { answered(c.Response().Status) }()
		if err := next(c); err != nil {
			c.Error(err)
		}
		return nil
	}
}

func streams(c echo.Context) bool { return strings.HasSuffix(c.Path(), "/live") }
