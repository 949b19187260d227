// Package home is the front page: what runs, what ended, what may come.
package home

import (
	"time"

	"vivra/app"
	"vivra/app/public"
)

// Page is what the front page shows.
type Page struct {
	Operations []public.Summary
	Candidates []app.CandidateSummary
	PublicURL  string
	Now        time.Time
	Pace       float64 // of Now, in the reader's seconds
}

func (p Page) open() []public.Summary  { return p.filter(false) }
func (p Page) ended() []public.Summary { return p.filter(true) }

func (p Page) filter(final bool) []public.Summary {
	var found []public.Summary
	for _, o := range p.Operations {
		if o.State.Final() == final {
			found = append(found, o)
		}
	}
	return found
}
