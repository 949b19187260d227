package web

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/paths"
)

// exportPage is how many rows are read at a time: the log is never whole in memory.
const exportPage = 500

// GET /operations/:slug/log.jsonl is the whole log, to be verified.
func (s *Server) showOperationJSONL(c echo.Context) error {
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set(echo.HeaderContentType, "application/x-ndjson")
	h.Set(echo.HeaderContentDisposition, `attachment; filename="log.jsonl"`)
	h.Set(echo.HeaderCacheControl, "no-cache")
	out := json.NewEncoder(c.Response())
	out.SetEscapeHTML(false)
	for after := int64(0); after < op.Seq; {
		events, err := s.Store.EventsAfter(ctx, op.ID, after, exportPage)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := out.Encode(app.ChainRow{Line: e.Line, PrevHash: e.PrevHash, Hash: e.Hash}); err != nil {
				return err
			}
		}
		after = events[len(events)-1].Seq
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
