package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
	"vivra/views/layout"
)

var statuses = map[app.Kind]int{
	app.Conflict:    http.StatusConflict,
	app.Denied:      http.StatusForbidden,
	app.Invalid:     http.StatusUnprocessableEntity,
	app.NotFound:    http.StatusNotFound,
	app.TooMuch:     http.StatusTooManyRequests,
	app.Unavailable: http.StatusServiceUnavailable,
}

var headings = map[int]string{
	http.StatusForbidden:           "Not allowed",
	http.StatusNotFound:            "There is no such page",
	http.StatusConflict:            "Something else happened first",
	http.StatusUnprocessableEntity: "That does not fit",
	http.StatusTooManyRequests:     "Too many tries",
	http.StatusServiceUnavailable:  "Not available at the moment",
	http.StatusInternalServerError: "Something went wrong on our side",
}

// fail is the only place where an error becomes a response.
func (s *Server) fail(err error, c echo.Context) {
	ctx := c.Request().Context()
	if c.Response().Committed || ctx.Err() != nil {
		s.Log.DebugContext(ctx, "stream ended", "path", c.Path(), "error", err)
		return
	}
	status, message := s.describe(ctx, err)
	if status >= http.StatusInternalServerError {
		s.Log.ErrorContext(ctx, "request failed", "method", c.Request().Method, "path", c.Path(), "error", err)
	}
	if status == http.StatusServiceUnavailable {
		c.Response().Header().Set(echo.HeaderRetryAfter, "5")
	}
	if err := s.answer(c, status, message); err != nil {
		s.Log.WarnContext(ctx, "write error page", "error", err)
	}
}

// describe returns what the visitor may know of err.
func (s *Server) describe(ctx context.Context, err error) (status int, message string) {
	var known *app.Error
	if errors.As(err, &known) && statuses[known.Kind] != 0 {
		return statuses[known.Kind], known.Message
	}
	var he *echo.HTTPError
	if errors.As(err, &he) {
		return he.Code, http.StatusText(he.Code) + "."
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusServiceUnavailable, "This takes too long at the moment, and was given up. Nothing was changed. Try again in a few seconds."
	}
	if !s.databaseAnswers(ctx) {
		return http.StatusServiceUnavailable, "The database does not answer. What was saved is kept, and nothing you sent just now was. Try again in a few seconds."
	}
	return http.StatusInternalServerError, "Nothing was changed as far as we know. The fault is in our log. Try again, and tell the team if it stays."
}

func (s *Server) databaseAnswers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	return s.Store.Ping(ctx) == nil
}

func (s *Server) answer(c echo.Context, status int, message string) error {
	switch {
	case strings.HasPrefix(c.Request().URL.Path, "/api/"):
		return c.JSON(status, map[string]string{"error": message})
	case isDatastar(c), strings.HasSuffix(c.Path(), "/webhook"):
		return c.String(status, message)
	}
	heading := headings[status]
	if heading == "" {
		heading = http.StatusText(status)
	}
	return render(c, status, layout.Problem(heading, message, ways(c, status)))
}

// ways returns where a visitor can go from an error.
func ways(c echo.Context, status int) []layout.Link {
	links := []layout.Link{}
	path := c.Request().URL.Path
	if status >= http.StatusInternalServerError && c.Request().Method == http.MethodGet {
		links = append(links, layout.Link{Text: "Try again", URL: c.Request().URL.RequestURI()})
	}
	if !strings.HasPrefix(path, paths.Admin()) {
		return append(links, layout.Link{Text: "All operations", URL: paths.Home()})
	}
	if id := c.Param("id"); id != "" && strings.HasPrefix(path, paths.Validations()) && status != http.StatusNotFound {
		links = append(links, layout.Link{Text: "See the output", URL: paths.Validation(id)})
	}
	if slug := c.Param("slug"); slug != "" && status != http.StatusNotFound {
		links = append(links, layout.Link{Text: "Back to the operation", URL: paths.AdminOperation(slug)})
	}
	if c.Request().Method == http.MethodPost && back(c) != paths.Admin() {
		links = append(links, layout.Link{Text: "Back to where you were", URL: back(c)})
	}
	return append(links, layout.Link{Text: "Queue", URL: paths.Validations()}, layout.Link{Text: "What needs you", URL: paths.Admin()})
}
