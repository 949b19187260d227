package web

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"github.com/starfederation/datastar-go/datastar"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/views/operations"
)

// rows are what the viewers of one part of the log share.
type rows struct {
	feed   *live.Feed
	filter paths.Log
	newest []app.Event // those of a page, and the one before
}

// older is the filter of all pages that show older rows: they get no new ones,
// since there would be a gap between.
var older = paths.Log{Before: 1}

// rowsFor finds what viewers of a part of the log share. The lock is held.
func (w *show) rowsFor(ctx context.Context, filter paths.Log) (*rows, error) {
	if filter.Before > 0 {
		filter = older
	}
	if r := w.rows[filter]; r != nil {
		return r, nil
	}
	r := &rows{filter: filter}
	change, err := r.fill(ctx, w)
	if err != nil {
		return nil, err
	}
	r.feed = live.NewFeed(change)
	if w.rows == nil {
		w.rows = map[paths.Log]*rows{}
	}
	w.rows[filter] = r
	return r, nil
}

// fill begins with the newest rows that fit.
func (r *rows) fill(ctx context.Context, w *show) (live.Change, error) {
	known, err := w.known(ctx, r.filter)
	if err != nil {
		return live.Change{}, err
	}
	var from int64
	r.newest = nil
	if r.filter == older {
		from = w.last()
	}
	if len(known) > logRows { // the first is the row before
		r.newest, known, from = known[:1:1], known[1:], known[0].Seq
	}
	c, err := r.change(ctx, w, known)
	c.From = from
	return c, err
}

// known are the newest rows that fit and, when there are more, the one before.
func (w *show) known(ctx context.Context, filter paths.Log) ([]app.Event, error) {
	switch filter {
	case older:
		return nil, nil
	case paths.Log{}:
		return w.events, nil
	}
	filter.Before = w.last() + 1
	return w.server.matching(ctx, w.id, filter)
}

// next is what the viewers of r are sent of rows that came, all of them unless
// there is a gap before these.
func (r *rows) next(ctx context.Context, w *show, came []app.Event, gap bool) (live.Change, error) {
	if gap {
		return r.fill(ctx, w)
	}
	return r.change(ctx, w, came)
}

// change is what the viewers of r are sent of rows that came.
func (r *rows) change(ctx context.Context, w *show, came []app.Event) (live.Change, error) {
	c := live.Change{Parts: w.parts}
	if r.filter.Before > 0 {
		return c, nil
	}
	c.UpTo = w.last()
	var previous app.Event
	if n := len(r.newest); n > 0 {
		previous = r.newest[n-1]
	}
	came = fitting(came, r.filter)
	for _, e := range came {
		f, err := frameOf(ctx, operations.Line(w.slug, e, previous), datastar.WithSelectorID("log-lines"), datastar.WithModeAppend(), numbered(e.Seq))
		if err != nil {
			return c, err
		}
		c.Lines, previous = append(c.Lines, live.Line{Number: e.Seq, Frame: f}), e
	}
	r.newest = append(r.newest, came...)
	if over := len(r.newest) - logRows - 1; over > 0 {
		r.newest = slices.Clone(r.newest[over:])
	}
	c.Fresh = r.fresh(w, c.UpTo)
	return c, nil
}

func numbered(seq int64) datastar.PatchElementOption {
	return datastar.WithPatchElementsEventID(strconv.FormatInt(seq, 10))
}

// fresh renders the newest rows for those who have missed too many.
func (r *rows) fresh(w *show, upTo int64) func() []byte {
	part := part(w.slug, r.filter, slices.Clone(r.newest), operations.Agents(w.page.Steps))
	return func() []byte {
		var html bytes.Buffer
		if err := operations.LogCard(part).Render(context.Background(), &html); err != nil {
			return nil // a buffer takes everything
		}
		f, _ := frame(html.String(), numbered(upTo))
		return f
	}
}

// part is what a page shows of rows of which the first may be the one before.
func part(slug string, filter paths.Log, events []app.Event, agents []string) operations.Log {
	p := operations.Log{Slug: slug, Filter: filter, Events: events, Agents: agents}
	if len(events) > logRows {
		p.Older, p.Previous, p.Events = true, events[len(events)-logRows-1], events[len(events)-logRows:]
	}
	return p
}
