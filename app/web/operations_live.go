package web

import (
	"bytes"
	"context"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/starfederation/datastar-go/datastar"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/views/operations"
	"vivra/views/ui"
)

const (
	// maxBehind is how many rows are sent one by one; a viewer further behind
	// gets the newest part of the log instead.
	maxBehind = 500
	// quiet is the least time between two spoken announcements.
	quiet = 5 * time.Second
)

// GET /operations/:slug/live keeps the live page up to date: its parts as they
// change, and each new row of the log once, with its number as the event's id.
func (s *Server) liveOperation(c echo.Context) error {
	op, err := s.Store.OperationBySlug(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	changes, unsubscribe := s.Hub.Subscribe(live.Operation(op.ID)) // before the first read: nothing is missed
	defer unsubscribe()

	v := &viewer{
		stream: openStream(c), server: s, slug: op.Slug, filter: logFilter(c), seen: lastSeen(c),
		states: map[string]app.StepState{}, hushOver: make(chan struct{}, 1),
	}
	for {
		if err := v.push(v.Context()); err != nil {
			return err
		}
		if ok, err := v.rest(changes, v.hushOver); !ok {
			return err
		}
	}
}

// lastSeen is the row the viewer saw last: the header of a reconnection wins
// over the address of the page.
func lastSeen(c echo.Context) int64 {
	for _, text := range []string{c.Request().Header.Get("Last-Event-ID"), c.QueryParam("after")} {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
			return n
		}
	}
	return 0
}

// viewer is one open live page.
type viewer struct {
	*stream
	server *Server
	slug   string
	filter paths.Log
	seen   int64  // the last row sent, or skipped by the filter
	step   string // of that row
	states map[string]app.StepState
	news   string      // what is still to be announced
	hushed atomic.Bool // something was announced just now
	// hushOver receives when the next announcement may be made.
	hushOver chan struct{}
}

func (v *viewer) push(ctx context.Context) error {
	page, err := v.server.operationPage(ctx, v.slug)
	if err != nil {
		return err
	}
	parts := []struct {
		name string
		part templ.Component
	}{
		{"head", operations.Head(page)}, {"now", operations.Now(page)}, {"plan", operations.Plan(page)},
		{"costs", operations.Costs(page)}, {"numbers", operations.Numbers(page)}, {"published", operations.Published(page)}, {"take-away", operations.TakeAway(page)},
	}
	for _, p := range parts {
		if err := v.patch(p.name, p.part); err != nil {
			return err
		}
	}
	if v.filter.Before == 0 {
		if err := v.catchUp(ctx, page); err != nil {
			return err
		}
	}
	return v.announce(page.Steps)
}

// catchUp sends the rows after the last one seen.
func (v *viewer) catchUp(ctx context.Context, page operations.Page) error {
	if page.Op.Seq-v.seen > maxBehind || v.seen > page.Op.Seq {
		return v.resync(ctx, page)
	}
	if err := v.recallStep(ctx, page.Op.ID); err != nil {
		return err
	}
	events, err := v.server.Store.EventsAfter(ctx, page.Op.ID, v.seen, maxBehind)
	if err != nil || len(events) == 0 {
		return err
	}
	if err := v.appendRows(ctx, events); err != nil {
		return err
	}
	v.seen = events[len(events)-1].Seq
	return nil
}

// resync shows the newest part of the log in place of what the page has.
func (v *viewer) resync(ctx context.Context, page operations.Page) error {
	part, err := v.server.logPart(ctx, page.Op, v.filter, operations.Agents(page.Steps))
	if err != nil {
		return err
	}
	v.seen, v.step = page.Op.Seq, ""
	if n := len(part.Events); n > 0 {
		v.seen, v.step = max(v.seen, part.Events[n-1].Seq), part.Events[n-1].Step
	}
	html, err := rendered(ctx, operations.LogCard(part))
	if err != nil {
		return err
	}
	return v.PatchElements(html, datastar.WithPatchElementsEventID(strconv.FormatInt(v.seen, 10)))
}

// recallStep reads which step the last seen row belongs to, for the headings.
func (v *viewer) recallStep(ctx context.Context, operationID int64) error {
	if v.step != "" || v.seen == 0 {
		return nil
	}
	before, err := v.server.Store.Events(ctx, operationID, v.seen+1, 1)
	if len(before) == 1 {
		v.step = before[0].Step
	}
	return err
}

func (v *viewer) appendRows(ctx context.Context, events []app.Event) error {
	var html bytes.Buffer
	for _, e := range fitting(events, v.filter) {
		if err := operations.Line(v.slug, e, v.step).Render(ctx, &html); err != nil {
			return err
		}
		v.step = e.Step
	}
	if html.Len() == 0 {
		return nil
	}
	last := strconv.FormatInt(events[len(events)-1].Seq, 10)
	return v.PatchElements(html.String(), datastar.WithSelectorID("log-lines"), datastar.WithModeAppend(), datastar.WithPatchElementsEventID(last))
}

// announce speaks of steps that changed, at most once in a while: what happens
// meanwhile is told with the next one, newest first.
func (v *viewer) announce(steps []app.Step) error {
	for _, s := range steps {
		before, known := v.states[s.Key]
		if known && before != s.State {
			v.news = ui.StepTitle(s.Key) + ": " + ui.StepWord(s.State) + "."
		}
		v.states[s.Key] = s.State
	}
	if v.news == "" || v.hushed.Swap(true) {
		return nil
	}
	text := v.news
	v.news = ""
	time.AfterFunc(quiet, func() {
		v.hushed.Store(false)
		v.hushOver <- struct{}{} // has room: one timer runs at a time, and its value is taken before the next starts
	})
	return v.PatchElements(templ.EscapeString(text), datastar.WithSelectorID("announcement"), datastar.WithModeInner())
}

func rendered(ctx context.Context, part templ.Component) (string, error) {
	var out bytes.Buffer
	err := part.Render(ctx, &out)
	return out.String(), err
}
