package web

import (
	"encoding/xml"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

// GET /operations/:slug/log.jsonl is the whole log, to be verified.
func (s *Server) showOperationJSONL(c echo.Context) error {
	op, err := s.Store.OperationBySlug(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/x-ndjson")
	h.Set(echo.HeaderContentDisposition, `attachment; filename="`+op.Slug+`.jsonl"`)
	h.Set(echo.HeaderCacheControl, "no-cache")
	if known(c, op.HeadHash[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	if c.Request().Method == http.MethodHead {
		return c.NoContent(http.StatusOK)
	}
	ctx := c.Request().Context()
	after := func(row int64, most int) ([]app.Event, error) { return s.Store.EventsAfter(ctx, op.ID, row, most) }
	if err := app.ExportLog(op, c.Response(), after, c.Response().Flush); err != nil {
		if !c.Response().Committed {
			return err
		}
		s.Log.WarnContext(ctx, "export a log", "operation", op.Slug, "error", err)
		panic(http.ErrAbortHandler) // half a log must not look like a whole one
	}
	return nil
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Title   string      `xml:"title"`
	ID      string      `xml:"id"`
	Updated string      `xml:"updated"`
	Links   []atomLink  `xml:"link"`
	Author  string      `xml:"author>name"`
	Entries []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	Title   string   `xml:"title"`
	ID      string   `xml:"id"`
	Updated string   `xml:"updated"`
	Link    atomLink `xml:"link"`
	Summary string   `xml:"summary"`
}

// GET /operations/:slug/log.atom is the end of the log as a feed.
func (s *Server) showOperationAtom(c echo.Context) error {
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, sharedFor)
	if known(c, op.HeadHash[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	events, err := s.Store.Events(ctx, op.ID, 0, 50)
	if err != nil {
		return err
	}
	out, err := xml.Marshal(s.feed(op, events))
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "application/atom+xml; charset=utf-8", append([]byte(xml.Header), out...))
}

func (s *Server) feed(op app.Operation, events []app.Event) atomFeed {
	page := s.PublicURL + paths.Operation(op.Slug)
	feed := atomFeed{
		Title: op.Token.Symbol + " takeover", ID: page, Author: "Vivra", Updated: op.J0.UTC().Format(time.RFC3339),
		Links: []atomLink{{Rel: "self", Href: s.PublicURL + paths.OperationLogAtom(op.Slug)}, {Href: page}},
	}
	for i := len(events) - 1; i >= 0; i-- {
		feed.Entries = append(feed.Entries, s.entry(op, events[i]))
	}
	if len(feed.Entries) > 0 {
		feed.Updated = feed.Entries[0].Updated
	}
	return feed
}

func (s *Server) entry(op app.Operation, e app.Event) atomEntry {
	link := s.PublicURL + paths.EventPage(op.Slug, e.Seq)
	return atomEntry{
		Title: e.Summary, ID: link, Updated: e.At.UTC().Format(time.RFC3339), Link: atomLink{Href: link},
		Summary: "Row " + strconv.FormatInt(e.Seq, 10) + ", " + e.Cost.String() + ", hash " + e.Hash,
	}
}
