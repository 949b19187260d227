package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/postgres"
	"vivra/app/web"
)

// station is one of several processes that show the same database.
type station struct {
	h      *house
	server *httptest.Server
	stop   func()
}

// station begins to serve, with a store, a hub and pages of its own.
func (h *house) station() *station {
	h.t.Helper()
	store, err := postgres.Open(h.t.Context(), h.db.Config().ConnString())
	h.must(err)
	hub := new(live.Hub)
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		_ = store.Listen(ctx, hub.OperationChanged) // ends with ctx
	}()
	site := &web.Server{Store: store, Sessions: h.app.Web.Sessions, Files: h.app.Web.Files, Hub: hub, Now: h.app.Web.Now, PublicURL: "http://localhost", Log: slog.New(slog.NewTextHandler(h.t.Output(), nil))}
	server := httptest.NewUnstartedServer(site.Handler())
	server.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	server.Start()
	s := &station{h: h, server: server}
	s.stop = func() { cancel(); server.Close(); <-heard; store.Close() }
	return s
}

// connection is one opened stream.
type connection struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func connect(t *testing.T, url, lastEventID string) connection {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if lastEventID != "" {
		req.Header.Set("Last-Event-ID", lastEventID)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return connection{t, lines, func() { cancel(); res.Body.Close() }}
}

// next reads up to the next event that has a number.
func (c connection) next() (number int64, event, data string) {
	c.t.Helper()
	for c.lines.Scan() {
		field, value, _ := strings.Cut(c.lines.Text(), ": ")
		switch {
		case field == "event":
			event, data, number = value, "", 0
		case field == "id":
			number, _ = strconv.ParseInt(value, 10, 64)
		case field == "data":
			data += value + "\n"
		case field == "" && value == "" && number > 0:
			return number, event, data
		}
	}
	c.t.Fatalf("the stream ended: %v", c.lines.Err())
	return 0, "", ""
}

// TestCutAfterEachOf500Events: a viewer whose connection breaks after each event,
// who comes back by header or by address, to one process or to another, also to
// one that has just started, gets each row once and in order.
func TestCutAfterEachOf500Events(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	op, err := h.app.Store.OperationBySlug(t.Context(), "dodo")
	h.must(err)
	stations := []*station{h.station(), h.station()}
	defer func() {
		for _, s := range stations {
			s.stop()
		}
	}()
	sitting := connect(t, stations[1].server.URL+"/operations/dodo/live", "") // one page stays open at one of them
	defer sitting.close()
	for name, path := range map[string]string{"the page's stream": "/operations/dodo/live", "the stream for programs": "/api/v1/operations/dodo/live"} {
		t.Run(name, func(t *testing.T) {
			seen := op.Seq
			for i := range 500 {
				if i%50 == 49 {
					stations[0].stop()
					stations[0] = h.station()
				}
				url, header := stations[i%2].server.URL+path, ""
				if i%3 == 0 {
					url += fmt.Sprint("?after=", seen)
				} else {
					url, header = url+"?after=0", fmt.Sprint(seen)
				}
				late := i%5 == 0 // the row is there before the viewer is
				if late {
					h.toggle()
				}
				c := connect(t, url, header)
				if !late {
					h.toggle()
				}
				number, event, data := c.next()
				c.close()
				if number != seen+1 {
					t.Fatalf("after row %d comes %d, cut %d times", seen, number, i)
				}
				if !strings.Contains(data, fmt.Sprintf(`id="e%d"`, number)) && !strings.Contains(data, fmt.Sprintf(`"seq":%d`, number)) {
					t.Fatalf("%s number %d holds %s", event, number, data)
				}
				seen = number
			}
			op.Seq = seen
		})
	}
}

// toggle adds one row to the log.
func (h *house) toggle() {
	h.t.Helper()
	op, err := h.app.Store.OperationBySlug(h.t.Context(), "dodo")
	h.must(err)
	by := app.User{Name: "ada", Role: app.RoleAdmin}
	if op.State == app.OperationPaused {
		h.must(h.app.Store.ResumeOperation(h.t.Context(), "dodo", by, h.now))
	} else {
		h.must(h.app.Store.PauseOperation(h.t.Context(), "dodo", by, h.now))
	}
}

// TestProgramsHearOfStepsAndRows in order: the state of each step once, then each
// change, and each row as it was hashed.
func TestProgramsHearOfStepsAndRows(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	c := connect(t, server.URL+"/api/v1/operations/dodo/live", "")
	defer c.close()
	steps := map[string]string{}
	read := func() (event, data string) {
		for c.lines.Scan() {
			field, value, _ := strings.Cut(c.lines.Text(), ": ")
			switch field {
			case "event":
				event = value
			case "data":
				return event, value
			}
		}
		t.Fatal("the stream ended")
		return "", ""
	}
	for range x.steps {
		event, data := read()
		var s struct{ Key, State string }
		if err := json.Unmarshal([]byte(data), &s); err != nil || event != "step.updated" {
			t.Fatalf("%s %s: %v", event, data, err)
		}
		steps[s.Key] = s.State
	}
	if len(steps) != len(x.steps) || steps["scanner.daily_metrics.d09"] != "running" {
		t.Errorf("%d steps: %v", len(steps), steps)
	}
	for i := range 3 {
		state := []app.StepState{app.StepDone, app.StepFailed, app.StepDone}[i]
		x.setStep("scanner.daily_metrics.d09", state)
		seq := x.append(app.EventLine{Kind: "step", Summary: fmt.Sprint("Row ", i)}, x.steps[3], today)
		hub.OperationChanged("1")
		if event, data := read(); event != "step.updated" || !strings.Contains(data, fmt.Sprintf(`"state":%q`, state)) {
			t.Errorf("first comes %s %s", event, data)
		}
		event, data := read()
		var row app.ChainRow
		if err := json.Unmarshal([]byte(data), &row); err != nil || event != "log.appended" || !strings.Contains(string(row.Line), fmt.Sprintf(`"seq":%d`, seq)) || row.Hash == "" {
			t.Errorf("then %s %s: %v", event, data, err)
		}
	}
}

// TestABurstOfRows: more at once than a page shows. Whoever is there sees the
// newest, has no row twice, and goes on from there.
func TestABurstOfRows(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	for name, query := range map[string]string{"all rows": "", "some rows": "&kind=alert"} {
		t.Run(name, func(t *testing.T) {
			f := follow(t, server.URL, fmt.Sprint("?after=", x.op.Seq, query), "")
			f.until("take-away")
			for range 1000 {
				x.append(app.EventLine{Kind: "alert", Summary: "More"}, x.steps[3], today)
			}
			last := x.append(app.EventLine{Kind: "alert", Summary: "The last"}, x.steps[3], today)
			hub.OperationChanged("1")
			got := f.until(fmt.Sprintf(`id: %d`, last))
			got += f.until(fmt.Sprintf(`<li id="e%d">`, last))
			if n := strings.Count(got, `<section id="log"`); n != 1 || strings.Count(got, fmt.Sprintf(`<li id="e%d">`, last)) != 1 {
				t.Errorf("the log is shown anew %d times:\n%s", n, tail(got))
			}
			next := x.append(app.EventLine{Kind: "alert", Summary: "One more"}, x.steps[3], today)
			hub.OperationChanged("1")
			if got := f.until(fmt.Sprintf(`<li id="e%d">`, next)); strings.Count(got, `<li id="e`) != 1 {
				t.Errorf("then comes\n%s", tail(got))
			}
		})
	}
}
