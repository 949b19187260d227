package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"github.com/starfederation/datastar-go/datastar"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/paths"
	"vivra/app/public"
	"vivra/views/operations"
	"vivra/views/ui"
)

const (
	// quiet is the least time between two spoken announcements.
	quiet = 5 * time.Second
	// relook is how often a page that somebody has open is read although nothing
	// was announced.
	relook = 5 * time.Second
	// readsFor is how long a page may take to be read.
	readsFor = 5 * time.Second
	// agesFor is how long what a page says of spans of time may stand: scripts
	// count on by themselves.
	agesFor = 10 * time.Minute
	// idleShows is how many pages that nobody has open are remembered.
	idleShows = 32
)

// errOver ends the streams of a page that could not be read any more.
var errOver = errors.New("the page can't be read")

// shows are the live pages, each read and rendered once for all who look at it.
type shows struct {
	mu sync.Mutex
	of map[string]*show
}

// show is one operation's live page in this process.
type show struct {
	server *Server
	id     int64
	slug   string
	begun  atomic.Int64 // reads that were begun

	mu     sync.Mutex
	read   int64           // the newest read that ended well
	failed int64           // the newest that did not
	fault  error           // why
	page   operations.Page // without its log
	events []app.Event     // the newest rows
	parts  []live.Part     // as last rendered
	shown  time.Time       // the instant they are rendered for
	drawn  int64           // how often they were rendered
	state  string          // names them, as they were rendered this time
	steps  map[string]app.StepState
	news   string // what is still to be announced
	hushed bool

	viewers int
	of      map[*live.Feed]int // the viewers of each feed
	stop    context.CancelFunc
	hush    *time.Timer // ends the while in which nothing is announced
	rows    map[paths.Log]*rows
	data    *live.Feed // for programs; nil: none listens
	html    printed
}

// printed is a page as it was last rendered.
type printed struct {
	body []byte
	key  string // of its state
	at   time.Time
}

// show finds the live page of an operation.
func (s *Server) show(ctx context.Context, slug string) (*show, error) {
	s.shows.mu.Lock()
	w := s.shows.of[slug]
	s.shows.mu.Unlock()
	if w != nil {
		return w, nil
	}
	op, err := s.Store.OperationBySlug(ctx, slug)
	if err != nil {
		return nil, err
	}
	s.shows.mu.Lock()
	defer s.shows.mu.Unlock()
	if w = s.shows.of[slug]; w != nil {
		return w, nil
	}
	if s.shows.of == nil {
		s.shows.of = map[string]*show{}
	}
	s.shows.forget()
	w = &show{server: s, id: op.ID, slug: slug, steps: map[string]app.StepState{}}
	s.shows.of[slug] = w
	return w, nil
}

// forget makes room by one that nobody has open.
func (s *shows) forget() {
	if len(s.of) < idleShows {
		return
	}
	for slug, w := range s.of {
		if w.idle() {
			delete(s.of, slug)
			return
		}
	}
}

func (w *show) idle() bool {
	if !w.mu.TryLock() {
		return false
	}
	defer w.mu.Unlock()
	return w.viewers == 0
}

// current reads the page, unless a read that somebody else began after this call
// has brought all there is, or has failed. The lock is held when it returns no
// error.
func (w *show) current(ctx context.Context) error {
	arrived := w.begun.Load()
	w.mu.Lock()
	if w.read > arrived {
		return nil
	}
	held := false
	defer func() { // also when a view panics: the server goes on after that
		if !held {
			w.mu.Unlock()
		}
	}()
	err := w.fault
	if w.failed <= arrived {
		err = w.refresh(ctx)
	}
	held = err == nil
	return err
}

// refresh reads what is new, and tells the feeds. It does so for all: it goes on
// when whoever asked for it leaves, and does not wait for a database for ever.
func (w *show) refresh(ctx context.Context) error {
	read := w.begun.Add(1)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), readsFor)
	defer cancel()
	err := w.take(limited)
	if err != nil {
		w.failed, w.fault = read, err
		return err
	}
	w.read = read
	return nil
}

// take takes up what is new. The feeds have it then, or are closed.
func (w *show) take(ctx context.Context) error {
	page, err := w.server.operationPage(ctx, w.slug)
	if err != nil {
		return err
	}
	fresh, gap, err := w.newRows(ctx, page.Op.Seq)
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	w.page = page
	w.note(page.Steps)
	if err = w.draw(ctx); err == nil {
		err = w.publish(ctx, fresh, gap)
	}
	if err != nil {
		w.close(errOver)
	}
	return err
}

// newRows reads the rows behind the last one known. When too many came, it reads
// the newest of them, and there is a gap before these.
func (w *show) newRows(ctx context.Context, newest int64) (fresh []app.Event, gap bool, err error) {
	if gap = w.read == 0 || newest-w.last() > logRows; gap {
		fresh, err = w.server.Store.Events(ctx, w.id, 0, logRows+1)
		if err == nil {
			w.events = fresh
		}
		return fresh, gap, err
	}
	if fresh, err = w.server.Store.EventsAfter(ctx, w.id, w.last(), logRows); err != nil {
		return nil, gap, err
	}
	w.events = append(w.events, fresh...)
	if over := len(w.events) - logRows - 1; over > 0 {
		w.events = slices.Clone(w.events[over:])
	}
	return fresh, gap, nil
}

// last is the number of the newest row known.
func (w *show) last() int64 {
	if n := len(w.events); n > 0 {
		return w.events[n-1].Seq
	}
	return 0
}

// first is the number before the oldest row known.
func (w *show) first() int64 {
	if len(w.events) > 0 {
		return w.events[0].Seq - 1
	}
	return 0
}

// note keeps which steps have changed, for the next announcement: the newest.
func (w *show) note(steps []public.Step) {
	first := len(w.steps) == 0
	for _, s := range steps {
		if !first && w.steps[s.Key] != s.State {
			w.news = ui.StepTitle(s.Key) + ": " + ui.StepWord(s.State) + "."
		}
		w.steps[s.Key] = s.State
	}
}

// draw renders the parts. Spans of time alone change none for a while.
func (w *show) draw(ctx context.Context) error {
	if w.page.Now.Sub(w.shown) < agesFor {
		as := w.page
		as.Now = w.shown
		parts, err := partsOf(ctx, as)
		if err != nil || slices.EqualFunc(parts, w.parts, func(a, b live.Part) bool { return bytes.Equal(a.Frame, b.Frame) }) {
			return err
		}
	}
	parts, err := partsOf(ctx, w.page)
	if err != nil {
		return err
	}
	w.drawn++ // what looks as it did before has another name: who has it from then may have seen more since
	sum := sha256.New()
	sum.Write(fmt.Appendf(nil, "%d %d\n", w.page.Now.UnixNano(), w.drawn))
	for _, p := range parts {
		sum.Write(p.Frame)
	}
	w.parts, w.shown, w.state = parts, w.page.Now, hex.EncodeToString(sum.Sum(nil)[:6])
	return nil
}

func partsOf(ctx context.Context, p operations.Page) (all []live.Part, err error) {
	for _, one := range []struct {
		name string
		part templ.Component
	}{
		{"head", operations.Head(p)}, {"now", operations.Now(p)}, {"plan", operations.Plan(p)},
		{"costs", operations.Costs(p)}, {"numbers", operations.Numbers(p)}, {"published", operations.Published(p)}, {"take-away", operations.TakeAway(p)},
	} {
		f, err := frameOf(ctx, one.part)
		if err != nil {
			return nil, err
		}
		all = append(all, live.Part{Name: one.name, Frame: f})
	}
	return all, nil
}

// publish tells every feed what is new.
func (w *show) publish(ctx context.Context, fresh []app.Event, gap bool) error {
	var said []byte
	if w.stop == nil {
		w.news = "" // nobody is there
	}
	if w.news != "" && !w.hushed {
		f, err := frame(templ.EscapeString(w.news), datastar.WithSelectorID("announcement"), datastar.WithModeInner())
		if err != nil {
			return err
		}
		said, w.news, w.hushed = f, "", true
		w.hush.Reset(quiet)
	}
	for _, a := range w.rows {
		change, err := a.next(ctx, w, fresh, gap)
		if err != nil {
			return err
		}
		change.Said = said
		a.feed.Publish(change)
	}
	if w.data == nil {
		return nil
	}
	change, err := w.dataChange(fresh)
	if gap {
		change.From = w.first()
	}
	if err == nil {
		w.data.Publish(change)
	}
	return err
}

// snapshot is the page as it is now, with the newest rows of its log.
func (w *show) snapshot(ctx context.Context) (operations.Page, error) {
	if err := w.current(ctx); err != nil {
		return operations.Page{}, err
	}
	defer w.mu.Unlock()
	p := w.page
	p.State = w.state
	p.Log = part(w.slug, paths.Log{}, slices.Clone(w.events), operations.Agents(p.Steps))
	return p, nil
}

const (
	// standsFor is how long a page may be shown as it was while nothing of it has
	// changed: it says as of when it is.
	standsFor = 15 * time.Second
	// sharedFor has caches between us and the readers absorb a rush. What a page
	// lacks comes over its stream, which goes on after the page's last row.
	sharedFor = "public, max-age=0, s-maxage=1, stale-while-revalidate=10"
)

// front answers with the page as most ask for it, rendered once for all of them.
func (w *show) front(c echo.Context, p operations.Page) error {
	key := p.State + "-" + strconv.FormatInt(p.Log.Last(), 10)
	w.mu.Lock()
	html := w.html
	w.mu.Unlock()
	if age := p.Now.Sub(html.at); html.key != key || age < 0 || age >= standsFor {
		var out bytes.Buffer
		if err := operations.Index(p).Render(c.Request().Context(), &out); err != nil {
			return err
		}
		html = printed{out.Bytes(), key, p.Now}
		w.mu.Lock()
		w.html = html
		w.mu.Unlock()
	}
	c.Response().Header().Set(echo.HeaderCacheControl, sharedFor)
	if known(c, key) {
		return c.NoContent(http.StatusNotModified)
	}
	return c.HTMLBlob(http.StatusOK, html.body)
}
