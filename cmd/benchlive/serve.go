package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/web"
)

// serveCommand is one server in a process of its own, so that its memory and its
// time can be told from the crowd's. It says where it listens, then adds a line
// for each line that it reads.
type serveCommand struct {
	Plain bool `help:"Fan out, and nothing else."`
	Size  int  `default:"400" help:"Bytes of an event of the plain one."`
}

// Run serves until its input ends.
func (s serveCommand) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler, add := ours()
	if s.Plain {
		handler, add = plain(s.Size)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() { _ = server.Serve(listener) }() // ends with the process
	fmt.Fprintln(out, listener.Addr())
	for lines := bufio.NewScanner(in); lines.Scan(); {
		add()
	}
	return server.Close()
}

// plain is what there is to compare with: a channel for each viewer, and every
// event sent to each of them.
func plain(size int) (http.Handler, func()) {
	var (
		mu   sync.Mutex
		all  = map[chan []byte]bool{}
		last int
		fill = strings.Repeat("x", size)
	)
	e := echo.New()
	e.GET("/live", func(c echo.Context) error {
		mine := make(chan []byte, 16)
		mu.Lock()
		all[mine] = true
		mu.Unlock()
		defer func() {
			mu.Lock()
			defer mu.Unlock()
			delete(all, mine)
		}()
		c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
		c.Response().WriteHeader(http.StatusOK)
		c.Response().Flush()
		for {
			select {
			case <-c.Request().Context().Done():
				return nil
			case event := <-mine:
				if _, err := c.Response().Write(event); err != nil {
					return nil //nolint:nilerr // the viewer is gone
				}
				c.Response().Flush()
			}
		}
	})
	return e, func() {
		mu.Lock()
		defer mu.Unlock()
		last++
		event := fmt.Appendf(nil, "id: %d\ndata: %s\n\n", last, fill)
		for ch := range all {
			select {
			case ch <- event:
			default: // it reads too slowly
			}
		}
	}
}

// stage is a database of one operation that holds its log in memory: what is
// measured is the page.
type stage struct {
	web.Store
	mu     sync.Mutex
	op     app.Operation
	steps  []app.Step
	events []app.Event
}

// ours is the site, with an operation to which lines are added.
func ours() (http.Handler, func()) {
	j0 := time.Date(2027, 3, 10, 9, 0, 0, 0, time.UTC)
	s := &stage{op: app.Operation{ID: 1, Slug: "dodo", J0: j0, State: app.OperationRunning, Cap: 25 * app.Dollar, HeadHash: strings.Repeat("0", 64),
		Token: app.Token{Ref: app.TokenRef{ChainID: 1}, Name: "Dodo", Symbol: "DODO"}}}
	for day := range 30 {
		s.steps = append(s.steps, app.Step{ID: int64(day), Key: fmt.Sprintf("cm.daily_post.d%02d", day), Task: "cm.daily_post", Agent: "cm",
			DueAt: j0.AddDate(0, 0, day), State: app.StepPending, Recurring: true})
	}
	hub := new(live.Hub)
	site := &web.Server{Store: s, Hub: hub, Now: func() time.Time { return j0.Add(time.Hour) }, PublicURL: "http://localhost", Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	return site.Handler(), func() { s.add(j0); hub.Changed(live.Operation(1)) }
}

func (s *stage) add(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.op.Seq++
	line := app.EventLine{Seq: s.op.Seq, At: at, Kind: "model_call", Agent: "cm", Step: "cm.daily_post.d00", Summary: "Asked the model for the next move",
		Model: "gpt-5-mini", TokensIn: 2118, TokensOut: 402, Cost: 412_000, CostSource: "table"}
	text, _ := app.CanonicalJSON(line) // of numbers and plain words
	hash := sha256.Sum256(text)
	s.op.HeadHash, s.op.Spent = fmt.Sprintf("%x", hash), s.op.Spent+line.Cost
	s.events = append(s.events, app.Event{OperationID: 1, Seq: line.Seq, Line: text, Hash: s.op.HeadHash, EventLine: line})
}

// OperationBySlug implements web.Store, like the methods below it.
func (s *stage) OperationBySlug(context.Context, string) (app.Operation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.op, nil
}

// Steps implements web.Store.
func (s *stage) Steps(context.Context, int64) ([]app.Step, error) { return s.steps, nil }

// StepsBeside implements web.Store.
func (*stage) StepsBeside(context.Context, int64, int) (app.StepsBeside, error) {
	return app.StepsBeside{}, nil
}

// WaitingFor implements web.Store.
func (*stage) WaitingFor(context.Context, int64) (app.Waiting, error) { return app.Waiting{}, nil }

// Publications implements web.Store.
func (*stage) Publications(context.Context, int64) ([]app.Publication, error) { return nil, nil }

// Spending implements web.Store.
func (s *stage) Spending(context.Context, int64) (app.Spending, error) { return app.Spending{}, nil }

// CostsBySource implements web.Store.
func (*stage) CostsBySource(context.Context, int64) ([]app.SourceCost, error) { return nil, nil }

// PriceList implements web.Store.
func (*stage) PriceList(context.Context) (app.PriceList, error) { return nil, nil }

// MetricsHistory implements web.Store.
func (*stage) MetricsHistory(context.Context, int64) ([]app.Metrics, error) { return nil, nil }

// Events implements web.Store.
func (s *stage) Events(_ context.Context, _, before int64, limit int) ([]app.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := int64(len(s.events))
	if before > 0 {
		end = min(end, before-1)
	}
	return s.events[max(end-int64(limit), 0):end:end], nil
}

// EventsOf implements web.Store.
func (s *stage) EventsOf(ctx context.Context, id, before int64, _, _ string, limit int) ([]app.Event, error) {
	return s.Events(ctx, id, before, limit)
}

// EventsAfter implements web.Store.
func (s *stage) EventsAfter(_ context.Context, _, after int64, limit int) ([]app.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := min(int64(len(s.events)), after+int64(limit))
	return s.events[min(after, end):end:end], nil
}
