// Package home is the front page: what runs, what ended, what may come.
package home

import (
	"time"

	"vivra/app"
)

// Page is what the front page shows.
type Page struct {
	Operations []app.OperationSummary
	Candidates []app.CandidateSummary
	PublicURL  string
	Now        time.Time
}

func (p Page) open() []app.OperationSummary  { return p.filter(false) }
func (p Page) ended() []app.OperationSummary { return p.filter(true) }

func (p Page) filter(final bool) []app.OperationSummary {
	var found []app.OperationSummary
	for _, o := range p.Operations {
		if o.State.Final() == final {
			found = append(found, o)
		}
	}
	return found
}
