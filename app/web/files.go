package web

import (
	"bytes"
	"net/http"
	"os"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/static"
)

// pictures are the types that are shown; anything else is offered as a download.
var pictures = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// GET /admin/assets/:sha256 is a file that an agent made.
func (s *Server) showAsset(c echo.Context) error { return s.asset(c) }

// GET /operations/:slug/media/:sha256 is a file of something that went out.
func (s *Server) showOperationMedia(c echo.Context) error {
	ctx := c.Request().Context()
	op, err := s.Store.OperationBySlug(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	publications, err := s.Store.Publications(ctx, op.ID)
	if err != nil {
		return err
	}
	if !wentOut(publications, c.Param("sha256")) {
		return app.Errorf(app.NotFound, "No file with that name was published by this takeover.")
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=31536000, immutable")
	return s.asset(c)
}

func wentOut(publications []app.Publication, sha256 string) bool {
	for _, p := range publications {
		if len(sha256) == 64 && bytes.Contains(p.Payload, []byte(`"`+sha256+`"`)) {
			return true
		}
	}
	return false
}

func (s *Server) asset(c echo.Context) error {
	content, mime, err := s.Files.AssetFile(c.Request().Context(), c.Param("sha256"))
	if err != nil {
		return err
	}
	if !pictures[mime] {
		mime = echo.MIMEOctetStream
		c.Response().Header().Set(echo.HeaderContentDisposition, "attachment")
	}
	return c.Blob(http.StatusOK, mime, content)
}

// GET /admin/builds/:id/* is one page or file of a built site, to be looked at.
func (s *Server) showBuild(c echo.Context) error {
	name := path.Clean("/" + c.Param("*"))
	if path.Ext(name) == "" {
		name = path.Join(name, "index.html")
	}
	content, mime, err := s.Files.BuildFile(c.Request().Context(), c.Param("id"), name)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderContentSecurityPolicy, previewPolicy)
	return c.Blob(http.StatusOK, mime, content)
}

// GET /static/:name is a stylesheet, script or icon. Its address changes with
// its content, so it may be kept for ever.
func (s *Server) showStatic(c echo.Context) error {
	name, h := c.Param("name"), c.Response().Header()
	h.Set(echo.HeaderCacheControl, "no-cache")
	if name == "live.js" && s.ClientJS != "" {
		content, err := os.ReadFile(s.ClientJS)
		if err != nil {
			return err
		}
		return c.Blob(http.StatusOK, staticType(name), content)
	}
	content, err := static.Files.ReadFile(name)
	if err != nil {
		return app.Errorf(app.NotFound, "There is no such file.")
	}
	tag := `W/"` + static.Version() + `"`
	h.Set("ETag", tag)
	if c.QueryParam("v") == static.Version() {
		h.Set(echo.HeaderCacheControl, "public, max-age=31536000, immutable")
	} else if c.Request().Header.Get("If-None-Match") == tag {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, staticType(name), content)
}

func staticType(name string) string {
	switch {
	case strings.HasSuffix(name, ".js"):
		return "text/javascript; charset=utf-8"
	case strings.HasSuffix(name, ".css"):
		return "text/css; charset=utf-8"
	case strings.HasSuffix(name, ".png"):
		return "image/png"
	}
	return "image/svg+xml"
}
