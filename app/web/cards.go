package web

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/static"
	"vivra/views/operations"
)

// Painter draws a document of our own as a PNG. app/browser implements it.
type Painter interface {
	Render(ctx context.Context, html string, width, height int) ([]byte, error)
}

const (
	cardWidth, cardHeight = 1200, 630
	// cardStands is how long a card is shown although what it shows has changed.
	cardStands = 5 * time.Minute
	// drawsFor is how long one may take to be drawn.
	drawsFor = 10 * time.Second
	// cardSharedFor has whoever fetches previews come back rarely.
	cardSharedFor = "public, max-age=300, stale-while-revalidate=3600"
)

// cards are the pictures of link previews as they were last drawn, one at a time.
type cards struct {
	mu      sync.Mutex
	of      map[string]card // by slug
	drawing sync.Mutex
}

type card struct {
	png   []byte
	state string
	at    time.Time
}

// GET /operations/:slug/card.png is the picture of link previews. Whoever asks
// while it is drawn anew gets the last one, or the one of all pages.
func (s *Server) showOperationCard(c echo.Context) error {
	ctx := c.Request().Context()
	w, err := s.show(ctx, c.Param("slug"))
	if err != nil {
		return err
	}
	page, err := w.snapshot(ctx)
	if err != nil {
		return err
	}
	png := s.cardOf(ctx, page)
	h := c.Response().Header()
	h.Set(echo.HeaderCacheControl, cardSharedFor)
	if known(c, app.SHA256Hex(png)[:16]) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.Blob(http.StatusOK, "image/png", png)
}

// cardOf never fails: a preview without a picture of its own is one still.
func (s *Server) cardOf(ctx context.Context, p operations.Page) []byte {
	state, slug := operations.CardState(p), p.Op.Slug
	last, stands := s.cards.last(slug, state, p.Now)
	if !stands && s.Painter != nil && s.cards.drawing.TryLock() {
		defer s.cards.drawing.Unlock()
		if last, stands = s.cards.last(slug, state, p.Now); stands { // it was drawn meanwhile
			return last.png
		}
		png, err := s.draw(ctx, p)
		if err == nil {
			s.cards.keep(slug, card{png, state, p.Now})
			return png
		}
		s.Log.WarnContext(ctx, "draw the card of a takeover", "operation", slug, "error", err)
	}
	if last.png != nil {
		return last.png
	}
	png, _ := static.Files.ReadFile("card.png")
	return png
}

// last is the card as it was last drawn, and whether that will do.
func (s *cards) last(slug, state string, now time.Time) (last card, stands bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last = s.of[slug]
	return last, last.png != nil && (last.state == state || now.Sub(last.at).Abs() < cardStands)
}

// draw goes on when whoever asked for it leaves: the next one needs it too.
func (s *Server) draw(ctx context.Context, p operations.Page) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawsFor)
	defer cancel()
	var html bytes.Buffer
	if err := operations.Card(p).Render(ctx, &html); err != nil {
		return nil, err
	}
	return s.Painter.Render(ctx, html.String(), cardWidth, cardHeight)
}

// keep remembers the newest cards, as many as live pages.
func (s *cards) keep(slug string, c card) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil || len(s.of) >= idleShows {
		s.of = map[string]card{}
	}
	s.of[slug] = c
}
