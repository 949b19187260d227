package web

import (
	"encoding/xml"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app/paths"
	"vivra/views/ui"
)

// robots keep out of what is no page to be found: the team's, programs' answers,
// and the same log cut in other ways.
const robots = `User-agent: *
Disallow: /admin
Disallow: /api/
Disallow: /*?
Allow: /static/

Sitemap: `

// mappedCandidates bounds the map; a file of it may have 50,000 addresses.
const mappedCandidates = 40_000

// GET /robots.txt tells search engines what is here to be found.
func (s *Server) showRobots(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	return c.String(http.StatusOK, robots+s.PublicURL+paths.Sitemap()+"\n")
}

type sitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	Pages   []mapped `xml:"url"`
}

type mapped struct {
	Address string `xml:"loc"`
	Changed string `xml:"lastmod,omitempty"`
}

// GET /sitemap.xml lists the pages that there are.
func (s *Server) showSitemap(c echo.Context) error {
	ctx := c.Request().Context()
	operations, err := s.Store.Operations(ctx)
	if err != nil {
		return err
	}
	candidates, err := s.Store.Candidates(ctx, "", 0, mappedCandidates)
	if err != nil {
		return err
	}
	all := sitemap{Pages: []mapped{{Address: s.PublicURL + paths.Home()}, {Address: s.PublicURL + paths.Candidates("", 1)}}}
	add := func(path string, changed *time.Time) {
		all.Pages = append(all.Pages, mapped{s.PublicURL + path, utc(changed)})
	}
	for _, o := range operations {
		add(paths.Operation(o.Slug), o.LastAt)
	}
	for _, one := range candidates {
		add(paths.Candidate(one.Token.Ref.ChainID, ui.Checksum(one.Token.Ref.Address)), &one.UpdatedAt)
	}
	out, err := xml.Marshal(all)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=600")
	return c.Blob(http.StatusOK, "application/xml; charset=utf-8", append([]byte(xml.Header), out...))
}
