package xsim

import (
	"maps"
	"time"

	"vivra/app"
	"vivra/app/preflight"
)

// Charges is everything that X has billed.
type Charges struct {
	Posts    app.Nano `json:"posts_nusd"`
	AltTexts app.Nano `json:"alt_texts_nusd"`
	Reads    app.Nano `json:"reads_nusd"`
}

// Sum is all of it.
func (c Charges) Sum() app.Nano { return c.Posts + c.AltTexts + c.Reads }

// Charges returns what has been billed so far.
func (s *Server) Charges() Charges {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.charges
}

// Charged returns the sum of it.
func (s *Server) Charged() app.Nano { return s.Charges().Sum() }

// X's own list of 2026-08: the product is not asked for what it thinks of it.
const (
	pricePost     = 15 * app.Dollar / 1000
	priceLink     = 200 * app.Dollar / 1000
	priceSummoned = 10 * app.Dollar / 1000
	priceAltText  = 5 * app.Dollar / 1000
	pricePostRead = 5 * app.Dollar / 1000
	priceUserRead = 10 * app.Dollar / 1000
	priceOwned    = app.Dollar / 1000 // a read of what belongs to the application's owner
)

func priceOf(text string, summoned bool) app.Nano {
	switch {
	case preflight.HasLink(text):
		return priceLink
	case summoned:
		return priceSummoned
	}
	return pricePost
}

// bill charges for one post or account that is shown to me: once in a UTC day.
func (s *Server) bill(me *account, kind app.ReadKind, id, owner string) {
	key := string(kind) + " " + id + " " + s.opts.Now().UTC().Format(time.DateOnly)
	price := pricePostRead
	switch {
	case me.OwnsApp && owner == me.ID:
		price = priceOwned
	case kind == app.ReadUser:
		price = priceUserRead
	}
	read := s.reads[key]
	if read.Times == 0 {
		read.Price = price
		s.charges.Reads += price
	}
	read.Times++
	s.reads[key] = read
}

// Read is a post or account that was shown on a UTC day, so many times, and
// billed once.
type Read struct {
	Price app.Nano
	Times int
}

// Reads returns all of them, each by its kind, id and day.
func (s *Server) Reads() map[string]Read {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.reads)
}
