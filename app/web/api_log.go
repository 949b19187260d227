package web

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

// How many rows of a log programs get at once.
const (
	rowsAtOnce     = 100
	mostRowsAtOnce = 500
)

// rowsAnswer are rows of a log in their order, each with the bytes that were hashed.
type rowsAnswer struct {
	Rows []rowAnswer `json:"rows"`
	Last int64       `json:"log_rows" about:"how many rows the log has"`
	Next string      `json:"next,omitempty" about:"where the rows behind these are"`
}

type rowAnswer = app.ChainRow

// GET /api/v1/operations/:slug/log are the rows behind one.
func (s *Server) indexOperationLog(c echo.Context) error {
	ctx := c.Request().Context()
	after, err := wholeNumber(c, "after", 0, 0, 1<<53)
	if err != nil {
		return err
	}
	limit, err := wholeNumber(c, "limit", rowsAtOnce, 1, mostRowsAtOnce)
	if err != nil {
		return err
	}
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, sharedFor)
	if known(c, op.HeadHash[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	events, err := s.Store.EventsAfter(ctx, op.ID, after, int(limit))
	if err != nil {
		return err
	}
	a := rowsAnswer{Rows: make([]rowAnswer, len(events)), Last: op.Seq}
	for i, e := range events {
		a.Rows[i] = rowAnswer{Line: e.Line, PrevHash: e.PrevHash, Hash: e.Hash}
	}
	if n := len(events); n > 0 && events[n-1].Seq < op.Seq {
		a.Next = s.PublicURL + paths.OperationDataLog(op.Slug, events[n-1].Seq, int(limit))
	}
	return c.JSON(http.StatusOK, a)
}

// wholeNumber reads a parameter that may be left out.
func wholeNumber(c echo.Context, name string, otherwise, least, most int64) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, app.Errorf(app.Invalid, "%s is a whole number from %d to %d.", name, least, most)
	}
	return n, nil
}
