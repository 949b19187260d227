package admin

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"vivra/app"
	"vivra/app/preflight"
	"vivra/views/layout"
)

// Prices is the price list with its history.
type Prices struct {
	layout.Team
	List app.PriceList
	// Published are the prices of publications, which the program has built in.
	Published []preflight.Published
	Now       time.Time
}

// priced is one model with its prices, those of a size together, the newest first.
type priced struct {
	model, kind string
	rows        []standing
}

// standing is one row of the list and whether it counts now.
type standing struct {
	app.PriceRow
	tone, word string
}

// byModel groups the list by what is priced.
func (m Prices) byModel() []priced {
	var all []priced
	for _, r := range slices.Backward(m.List) {
		i := slices.IndexFunc(all, func(p priced) bool { return p.model == r.Model && p.kind == r.Kind })
		if i < 0 {
			i, all = len(all), append(all, priced{model: r.Model, kind: r.Kind})
		}
		all[i].rows = append(all[i].rows, standing{PriceRow: r})
	}
	for _, p := range all {
		p.judge(m.Now)
	}
	slices.SortStableFunc(all, func(a, b priced) int {
		return cmp.Or(-strings.Compare(a.kind, b.kind), strings.Compare(a.model, b.model))
	})
	return all
}

// judge orders the rows by when they take effect, then by import, as the list
// is read, and says which of them counts at now.
func (p priced) judge(now time.Time) {
	slices.SortStableFunc(p.rows, func(a, b standing) int {
		return cmp.Or(strings.Compare(a.Size, b.Size), b.EffectiveAt.Compare(a.EffectiveAt))
	})
	held := map[string]bool{}
	for i := range p.rows {
		r := &p.rows[i]
		switch {
		case r.EffectiveAt.After(now):
			r.tone, r.word = "wait", "not yet"
		case !held[r.Size]:
			r.tone, r.word, held[r.Size] = "live", "in force", true
		case r.EffectiveAt.Equal(p.rows[i-1].EffectiveAt):
			r.tone, r.word = "off", "corrected"
		default:
			r.tone, r.word = "off", "past"
		}
	}
}

func (p priced) ofImages() bool { return p.kind == app.PriceImage }

func (p priced) unit() string {
	if p.ofImages() {
		return ", a picture"
	}
	return ", per million tokens"
}

// times shows a size as people write it: 1024 × 1024.
func times(size string) string { return strings.ReplaceAll(size, "x", " × ") }

// charge is what a platform asks for one publication.
func charge(n app.Nano) string {
	if n == 0 {
		return "free"
	}
	return n.String()
}

// builtIn tells whether the row came with the program.
func builtIn(r app.PriceRow) bool { return r.ImportedAt.IsZero() }

const importExample = `{"models": [
  {"model": "gpt-5",
   "input": "1.25",
   "cached_input": "0.125",
   "output": "10",
   "effective": "2026-12-01"}
]}`
