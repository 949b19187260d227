package web

import (
	"strings"

	"github.com/labstack/echo/v4"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// previewPolicy holds a built site in: its styles and pictures load, no script
// runs, wherever it is opened, since it stands on the team's own origin.
const previewPolicy = "sandbox allow-same-origin; default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'self'"

// headers sets what every answer carries.
func (s *Server) headers(next echo.HandlerFunc) echo.HandlerFunc {
	csp := policy
	if s.ClientJS != "" {
		csp = strings.Replace(csp, "script-src 'self'", "script-src 'self' 'unsafe-eval'", 1)
	}
	secure := s.secure()
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderContentSecurityPolicy, csp)
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		h.Set(echo.HeaderReferrerPolicy, "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=(), publickey-credentials-create=(self), publickey-credentials-get=(self)")
		if secure {
			h.Set(echo.HeaderStrictTransportSecurity, "max-age=31536000")
		}
		return next(c)
	}
}

// known names the state of an answer, and tells whether the reader has that already.
func known(c echo.Context, state string) bool {
	tag := `W/"` + state + `"`
	c.Response().Header().Set("ETag", tag)
	for have := range strings.SplitSeq(c.Request().Header.Get("If-None-Match"), ",") {
		if have = strings.TrimSpace(have); have == tag || have == "*" {
			return true
		}
	}
	return false
}

// private keeps a page of the team out of caches and out of other sites' pages.
func private(c echo.Context) {
	c.Response().Header().Set(echo.HeaderCacheControl, "private, no-store")
	c.Response().Header().Set("Cross-Origin-Resource-Policy", "same-origin")
}

// allowFrames lets the page show frames of this site.
func allowFrames(c echo.Context) {
	h := c.Response().Header()
	h.Set(echo.HeaderContentSecurityPolicy, h.Get(echo.HeaderContentSecurityPolicy)+"; frame-src 'self'")
}
