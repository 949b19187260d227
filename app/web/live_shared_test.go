package web_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/live"
	"vivra/app/web"
)

// latecomer is a store that tells who asks for new rows before it answers.
type latecomer struct {
	*exhibit
	asked func(context.Context)
}

func (l latecomer) EventsAfter(ctx context.Context, operation, after int64, limit int) ([]app.Event, error) {
	found, err := l.exhibit.EventsAfter(ctx, operation, after, limit)
	l.asked(ctx)
	return found, err
}

// TestAReaderWhoLeavesTakesNoRowAlong: one reads for all, and goes away in the
// middle of that.
func TestAReaderWhoLeavesTakesNoRowAlong(t *testing.T) {
	t.Parallel()
	type leaving struct{}
	reading := make(chan struct{}, 1)
	x := newExhibit(t)
	store := latecomer{x, func(ctx context.Context) {
		if gone, ok := ctx.Value(leaving{}).(context.Context); ok {
			reading <- struct{}{}
			<-gone.Done()
		}
	}}
	hub := new(live.Hub)
	site := (&web.Server{Store: store, Sessions: newMemory(x), Files: x, Hub: hub, Now: x.now, PublicURL: "http://vivra.test", Log: slog.New(slog.NewTextHandler(t.Output(), nil))}).Handler()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("leaves") {
			r = r.WithContext(context.WithValue(r.Context(), leaving{}, r.Context()))
		}
		site.ServeHTTP(w, r)
	}))
	listen(t, server)
	page := connect(t, server.URL+fmt.Sprint("/operations/dodo/live?after=", x.op.Seq), "")
	defer page.close()
	programs := connect(t, server.URL+"/api/v1/operations/dodo/live", fmt.Sprint(x.op.Seq))
	defer programs.close()
	page.open()
	programs.open()
	first := x.append(app.EventLine{Kind: "step", Summary: "First"}, x.steps[3], today)
	ctx, leave := context.WithCancel(t.Context())
	go func() { <-reading; leave() }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/operations/dodo?leaves", nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
	}
	x.append(app.EventLine{Kind: "step", Summary: "Next"}, x.steps[3], today)
	hub.OperationChanged("1")
	for name, c := range map[string]connection{"the page": page, "programs": programs} {
		if n, _, _ := c.next(); n != first {
			t.Errorf("%s: after row %d comes %d", name, first-1, n)
		}
	}
}

// open waits until the stream has begun.
func (c connection) open() {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatal("the stream does not begin")
	}
}

// TestAPageThatLooksAsBefore: what a viewer was shown in between is taken back,
// also when it was away when that happened.
func TestAPageThatLooksAsBefore(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	stream := newVisitor(t, server.URL).get("/operations/dodo").doc(t).Find("[data-init]").First().AttrOr("data-init", "")
	stream = strings.TrimSuffix(strings.TrimPrefix(stream, "@get('"), "')")
	reserve := func(n app.Nano) {
		x.mu.Lock()
		x.op.Reserved += n
		x.mu.Unlock()
		hub.OperationChanged("1")
	}
	c := connect(t, server.URL+stream, "")
	c.open()
	reserve(5 * app.Dollar)
	for c.lines.Scan() && !strings.Contains(c.lines.Text(), "$5.03 reserved") {
	}
	c.close()
	reserve(-5 * app.Dollar)
	newVisitor(t, server.URL).get("/operations/dodo")
	c = connect(t, server.URL+stream, "")
	defer c.close()
	late := time.AfterFunc(20*time.Second, c.close)
	defer late.Stop()
	for c.lines.Scan() {
		if strings.Contains(c.lines.Text(), "$0.03 reserved") {
			return
		}
	}
	t.Error("the page still says what was reserved meanwhile")
}

// TestProgramsAreToldWhereTheyStand before the first row, to come back to.
func TestProgramsAreToldWhereTheyStand(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	c := connect(t, server.URL+"/api/v1/operations/dodo/live", "")
	defer c.close()
	for c.lines.Scan() {
		if id, ok := strings.CutPrefix(c.lines.Text(), "id: "); ok {
			if id != fmt.Sprint(x.op.Seq) {
				t.Errorf("they stand at %s", id)
			}
			return
		}
		if strings.HasPrefix(c.lines.Text(), "event:") {
			t.Fatal("an event comes before any number")
		}
	}
}

// TestAnnouncementsKeepTheirDistance, whenever what they are about happens.
func TestAnnouncementsKeepTheirDistance(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, hub := x.serve(t)
	f := follow(t, server.URL, "?after=320", "")
	f.until(`<section id="take-away"`)
	time.Sleep(3 * time.Second) // some way into whatever the time is counted by
	var last time.Time
	for i := range 3 {
		x.setStep("scanner.daily_metrics.d09", []app.StepState{app.StepDone, app.StepFailed}[i%2])
		hub.OperationChanged("1")
		f.until("selector #announcement")
		if now := time.Now(); last.IsZero() || now.Sub(last) >= 4900*time.Millisecond {
			last = now
		} else {
			t.Errorf("the next comes %s after the one before", now.Sub(last))
		}
	}
}

// TestFiltersThatFitNothing cost nobody anything: a long log is not walked.
func TestFiltersThatFitNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, err := h.db.Exec(t.Context(), `WITH rows AS (SELECT o.id, o.seq + n AS seq, format('{"kind":"step","agent":"cm","seq":%s}', o.seq + n) AS line
			FROM operations o, generate_series(1, 100000) n WHERE o.slug = 'dodo')
		INSERT INTO events (operation_id, seq, at, step_key, kind, agent, cost_nusd, line, prev_hash, hash)
		SELECT id, seq, $1, '', 'step', 'cm', 0, line, sha256(''), sha256(sha256('') || convert_to(line, 'UTF8')) FROM rows`, h.now)
	h.must(err)
	_, err = h.db.Exec(t.Context(), `UPDATE operations SET seq = seq + 100000 WHERE slug = 'dodo'`)
	h.must(err)
	_, err = h.db.Exec(t.Context(), `ANALYZE events`)
	h.must(err)
	v := newVisitor(t, h.url)
	for i := range 8 {
		c := connect(t, h.url+fmt.Sprintf("/operations/dodo/live?after=1&kind=x%d", i), "")
		defer c.close()
	}
	begun := time.Now()
	if res := v.get("/operations/dodo?kind=publication"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status)
	}
	if took := time.Since(begun); took > 5*time.Second { // it took a minute
		t.Errorf("the page took %s", took)
	}
}

// TestWhoHasThePageIsToldSo, however many states it names, and is given the next.
func TestWhoHasThePageIsToldSo(t *testing.T) {
	t.Parallel()
	x := newExhibit(t)
	server, _ := x.serve(t)
	for _, path := range []string{"/operations/dodo", "/api/v1/operations/dodo"} {
		ask := func(have string) *http.Response {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("If-None-Match", have)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			return res
		}
		tag := ask("").Header.Get("ETag")
		if tag == "" || ask(tag).StatusCode != http.StatusNotModified || ask(`W/"other", `+tag).StatusCode != http.StatusNotModified || ask(`W/"other"`).StatusCode != http.StatusOK {
			t.Errorf("%s with %s", path, tag)
		}
		x.append(app.EventLine{Kind: "step", Summary: "New"}, x.steps[3], today)
		x.mu.Lock()
		x.op.Spent++
		x.mu.Unlock()
		if res := ask(tag); res.StatusCode != http.StatusOK || res.Header.Get("ETag") == tag {
			t.Errorf("%s after a change answers %s with %s", path, res.Status, res.Header.Get("ETag"))
		}
	}
}
