package web

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app/live"
	"vivra/app/paths"
)

// GET /operations/:slug/live keeps the live page up to date: its parts as they
// change, and each new row of the log once, with its number as the event's id.
func (s *Server) liveOperation(c echo.Context) error {
	w, err := s.show(c.Request().Context(), c.Param("slug"))
	if err != nil {
		return err
	}
	return w.watch(c, func(ctx context.Context) (entry, error) {
		r, err := w.rowsFor(ctx, logFilter(c))
		if err != nil {
			return entry{}, err
		}
		at := live.Place{Line: lastSeen(c)}
		if c.QueryParam("have") == w.state { // the page has the parts as they are
			at.Rev = r.feed.Now().Rev
		}
		return entry{feed: r.feed, at: at}, nil
	})
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

// entry is where a viewer begins: in which feed, where it stands in that, and what
// its stream begins with.
type entry struct {
	feed   *live.Feed
	at     live.Place
	begins []byte
}

// watch sends one viewer what a feed of the page has, until it leaves. choose
// picks where it begins, with the page locked.
func (w *show) watch(c echo.Context, choose func(context.Context) (entry, error)) error {
	ctx := c.Request().Context()
	in, err := w.enter(ctx, lastSeen(c), choose)
	if err != nil {
		return err
	}
	defer w.leave(in.feed)
	out := openWire(c)
	beats := time.NewTicker(heartbeat)
	defer beats.Stop()
	at := in.at
	for err = out.send([][]byte{pulse, in.begins}); err == nil; {
		var (
			frames [][]byte
			more   <-chan struct{}
		)
		if frames, at, more, err = in.feed.Read(at); err != nil {
			return nil // it comes back, and is told then
		}
		if err = out.send(frames); err != nil {
			break
		}
		select {
		case <-ctx.Done():
			return nil
		case <-more:
		case at := <-beats.C:
			out.until(at.Add(heartbeat + patience))
			err = out.beat()
		}
	}
	return nil // whoever reads no more is gone
}

// enter counts a viewer in who has seen rows up to a number. The page is read as
// long as it has any, so that it need not be read for the next one, unless that
// one knows more, from another process.
func (w *show) enter(ctx context.Context, seen int64, choose func(context.Context) (entry, error)) (entry, error) {
	w.mu.Lock()
	if w.stop == nil || seen > w.last() {
		w.mu.Unlock()
		if err := w.current(ctx); err != nil {
			return entry{}, err
		}
	}
	defer w.mu.Unlock()
	in, err := choose(ctx)
	if err != nil {
		return in, err
	}
	w.viewers++
	if w.of == nil {
		w.of = map[*live.Feed]int{}
	}
	w.of[in.feed]++
	if w.stop == nil {
		reading, stop := context.WithCancel(context.WithoutCancel(ctx))
		w.stop, w.hush, w.hushed = stop, time.NewTimer(quiet), false
		go w.run(reading, w.hush)
	}
	return in, nil
}

// leave counts a viewer out. A feed that nobody reads is dropped: there are as
// many as viewers name filters.
func (w *show) leave(feed *live.Feed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of[feed]--; w.of[feed] == 0 {
		delete(w.of, feed)
		maps.DeleteFunc(w.rows, func(_ paths.Log, r *rows) bool { return r.feed == feed })
		if w.data == feed {
			w.data = nil
		}
	}
	if w.viewers--; w.viewers == 0 {
		w.close(errOver)
	}
}

// close ends all feeds. The lock is held.
func (w *show) close(err error) {
	for _, r := range w.rows {
		r.feed.Close(err)
	}
	if w.data != nil {
		w.data.Close(err)
	}
	w.rows, w.data = nil, nil
	if w.stop != nil {
		w.stop()
	}
	w.stop = nil
}

// run reads the page whenever something of it has changed, for all who have it
// open. When it can't be read they are told by the end of their streams.
func (w *show) run(ctx context.Context, hush *time.Timer) {
	changes, unsubscribe := w.server.Hub.Subscribe(live.Operation(w.id))
	defer unsubscribe()
	gap := time.NewTimer(0)
	defer hush.Stop()
	defer gap.Stop()
	for w.renew(ctx) {
		again := time.NewTimer(relook)
		select {
		case <-ctx.Done():
		case <-changes:
		case <-again.C:
		case <-hush.C:
			w.speak()
		}
		again.Stop()
		select {
		case <-ctx.Done():
		case <-gap.C:
			gap.Reset(breath)
		}
	}
}

// renew reads the page once more. It returns false when nobody is left, or when
// those who were have been told that it can't be read.
func (w *show) renew(ctx context.Context) bool {
	err := w.look(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		w.server.Log.WarnContext(ctx, "read a live page", "operation", w.slug, "error", err)
		w.close(errOver)
	}
	return err == nil
}

// look reads the page once more, and lets it go. A view that panics ends the page's
// streams, and not the program.
func (w *show) look(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("render the page: %v", fault)
		}
	}()
	if err = w.current(ctx); err == nil {
		w.mu.Unlock()
	}
	return err
}

// speak lets the next announcement be made.
func (w *show) speak() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hushed = false
}
