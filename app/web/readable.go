package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"vivra/app"
)

// readable refuses an address with bytes in it that are no text, or that no text
// in the database holds, and takes them out of what a form says.
func readable(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		req := c.Request()
		if !isText(req.URL.Path) {
			return app.Errorf(app.NotFound, "There is no such page.")
		}
		for _, values := range c.QueryParams() {
			for _, v := range values {
				if !isText(v) {
					return app.Errorf(app.Invalid, "This address holds what is no text. Go to the page from another one.")
				}
			}
		}
		if req.Method == http.MethodPost && strings.HasPrefix(req.Header.Get(echo.HeaderContentType), echo.MIMEApplicationForm) {
			_, err := c.FormParams()
			if tooLarge := (*echo.HTTPError)(nil); errors.As(err, &tooLarge) {
				return tooLarge
			}
			asText(req.Form)
			asText(req.PostForm)
		}
		return next(c)
	}
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func asText(form url.Values) {
	for _, values := range form {
		for i, v := range values {
			values[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "")
		}
	}
}

// headed is a page whose head alone is asked for: of a stream that is all there
// is, and whoever reads for the body need not go on.
func headed(r Route) Route {
	handle := r.handle
	r.handle = func(c echo.Context) error {
		ctx, cancel := context.WithCancel(c.Request().Context())
		c.SetRequest(c.Request().WithContext(ctx))
		c.Response().Before(cancel) // a fault has no answer by then, and is given one
		return handle(c)
	}
	r.Method = http.MethodHead
	return r
}
