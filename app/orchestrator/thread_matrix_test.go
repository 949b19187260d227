package orchestrator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/effects"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/internal/testprocess"
	"vivra/app/rehearsal/fault"
	"vivra/app/x"
)

// saysDuplicate is what X answers to a text that stands there already.
const saysDuplicate = `{"title":"Forbidden","status":403,"detail":"You are not allowed to create a Tweet with duplicate content."}`

// troubles are what X does with a post, the first time that it is sent.
var troubles = map[string]fault.Fault{
	"answers":                     {},
	"times out after accepting":   {AfterAccept: true, Hang: true},
	"403 duplicate":               {AfterAccept: true, Status: http.StatusForbidden, HTML: saysDuplicate},
	"429 with reset":              {Status: http.StatusTooManyRequests},
	"503":                         {Status: http.StatusServiceUnavailable},
	"503 after accepting":         {Status: http.StatusServiceUnavailable, AfterAccept: true},
	"closes the connection":       {},
	"closes it after it accepted": {AfterAccept: true},
}

// five is a thread of five posts.
func five(account string) app.ThreadPayload {
	p := app.ThreadPayload{Account: account}
	for i := range 5 {
		p.Posts = append(p.Posts, app.PostPayload{Account: account, Text: fmt.Sprintf("Post %d of the thread.", i+1), Media: []app.Media{}})
	}
	return p
}

// picky stands before X: the first time that a post comes whose place is in at,
// it is in trouble.
type picky struct {
	next    http.Handler
	trouble func() fault.Fault
	of      []app.PostPayload // those of five when empty
	at      []int

	mu  sync.Mutex
	hit map[int]bool
	set fault.Set
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == "/2/tweets" {
		p.meddle(r)
	}
	p.set.Serve(w, r, p.next)
}

func (p *picky) meddle(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var said struct{ Text string }
	_ = json.Unmarshal(body, &said) // X says what is wrong with it
	p.mu.Lock()
	defer p.mu.Unlock()
	posts := p.of
	if len(posts) == 0 {
		posts = five("").Posts
	}
	for i, post := range posts {
		if post.Text == said.Text && slices.Contains(p.at, i) && !p.hit[i] {
			p.hit[i] = true
			f := p.trouble()
			f.Path = "POST /2/tweets"
			p.set.Add(f)
		}
	}
}

// fiver is a thread of five that was approved, before an X in trouble.
type fiver struct {
	*office
	// point is where the process dies, once for each post in dies.
	point string
	dies  []int

	mu     sync.Mutex
	doing  int            // the post in hand, -1: none
	came   map[string]int // points, with a bit for each post that came there
	deaths map[int]bool   // by the post
}

// newFiver is the n-th of those that share a database.
func newFiver(t *testing.T, at place, n int, trouble string, positions ...int) *fiver {
	t.Helper()
	f := &fiver{office: officeAt(t, at, testop.J0.AddDate(0, 0, n)), deaths: map[int]bool{}, came: map[string]int{}, doing: -1}
	quick := &http.Client{Timeout: patient / 2}
	f.desk.X = x.New(x.Config{APIBaseURL: f.place.X, AuthBaseURL: f.place.X, ClientID: "us", ClientSecret: "s3", HTTP: quick})
	if trouble != "answers" {
		f.fronts.x.next = &picky{next: f.x, at: positions, hit: map[int]bool{}, trouble: func() fault.Fault {
			hit := troubles[trouble]
			if hit.Status == http.StatusTooManyRequests {
				hit.ResetAt = f.clock.Now().Add(7 * time.Minute)
			}
			return hit
		}}
	}
	f.op = testop.New(t, f.store, byte(n+1), 50*app.Dollar, person(theStep))
	v := f.await(theStep, app.KindThread, five(handle))
	if _, err := f.store.ApproveValidation(t.Context(), v.Choice(), testop.Person, nil, f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	f.clock.Advance(app.DefaultSettings().Undo)
	return f
}

// play lets process after process work, each until it dies or nothing is left to
// do, and turns the clock between.
func (f *fiver) play() {
	f.t.Helper()
	for range 80 {
		if f.step(theStep).State.Final() {
			return
		}
		if died := f.process(); died {
			f.wall.Advance(2 * lease)
			continue
		}
		f.clock.Advance(10 * time.Minute)
	}
}

// process is one that works on what is due, and tells whether it died.
func (f *fiver) process() (died bool) {
	f.t.Helper()
	one := *f.Orchestrator
	reached := func(point string) { f.reachedBy(point) }
	one.Reached, f.store.Reached = reached, reached
	defer func() { f.store.Reached = nil }()
	died = true
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for range 40 {
			if err := one.Tick(f.t.Context()); err != nil {
				f.t.Error(err)
			}
			jobs := f.taken()
			if len(jobs) == 0 {
				break
			}
			for _, job := range jobs {
				f.doing = f.placeOf(job)
				_ = one.Do(f.t.Context(), job) // the rows tell what failed
				f.doing = -1
			}
		}
		died = false
	}()
	<-gone
	f.doing = -1
	f.taken() // its jobs died with it
	return died
}

// placeOf is that of the post that a job is about, -1 for any other job.
func (f *fiver) placeOf(job app.Job) int {
	if job.Kind != app.JobEffect && job.Kind != app.JobReconcile {
		return -1
	}
	e, err := f.store.Effect(f.t.Context(), job.ID)
	if err != nil {
		f.t.Error(err)
	}
	return e.Position
}

// reachedBy ends the goroutine, which is all there is of the process, the first
// time that a post comes to the point.
func (f *fiver) reachedBy(point string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at := f.current()
	f.came[point] |= 1 << at
	if point == f.point && slices.Contains(f.dies, at) && !f.deaths[at] {
		f.deaths[at] = true
		runtime.Goexit()
	}
}

// current is the place of the post in hand, or else of the first that is not
// booked as out.
func (f *fiver) current() int {
	if f.doing >= 0 {
		return f.doing
	}
	all, err := f.store.Effects(f.t.Context(), f.op.ID)
	if err != nil {
		f.t.Error(err)
	}
	for i, e := range all {
		if e.State != app.EffectDone {
			return i
		}
	}
	return max(len(all)-1, 0)
}

// check fails unless the thread is out, each post once, each below the one before.
func (f *fiver) check() {
	f.t.Helper()
	posts := f.x.Posts()
	if len(posts) != 5 || f.step(theStep).State != app.StepDone {
		f.t.Fatalf("%d posts, the step is %s: %s", len(posts), f.step(theStep).State, f.step(theStep).Error)
	}
	for i, p := range posts {
		if want := five("").Posts[i].Text; p.Text != want {
			f.t.Errorf("post %d is %q", i+1, p.Text)
		}
		if i > 0 && (p.ReplyTo != posts[i-1].ID || p.At.Before(posts[i-1].At)) {
			f.t.Errorf("post %d answers %q at %s", i+1, p.ReplyTo, p.At)
		}
	}
	for i, e := range f.effects() {
		if e.State != app.EffectDone || e.ProviderID != posts[i].ID || e.Cost != e.Price {
			f.t.Errorf("effect %d is %s as %s for %s", i+1, e.State, e.ProviderID, e.Cost)
		}
	}
	if spent, charged := testop.Balanced(f.t, f.store, f.op), f.x.Charged(); spent > charged {
		f.t.Errorf("booked %s, X has charged %s", spent, charged)
	}
	for _, kind := range []string{"publication_failed", "effect_unknown"} {
		for _, a := range testop.Alerts(f.t, f.store, kind) {
			if a.OperationSlug == f.op.Slug {
				f.t.Errorf("a person is asked: %s", a.Message)
			}
		}
	}
}

var everywhere = []int{0, 1, 2, 3, 4}

// TestAThreadOfFiveGoesOutOnce: whatever X does with any of the posts, and
// wherever the process dies over each of them, the thread goes out in order, each
// post once, and nobody is asked.
func TestAThreadOfFiveGoesOutOnce(t *testing.T) {
	t.Parallel()
	for trouble := range troubles {
		t.Run(trouble, func(t *testing.T) {
			t.Parallel()
			at := place{Database: testdb.URL(t), Blobs: "mem://"}
			n := 0
			scene := func(name, point string, dies, positions []int) (came map[string]int) {
				t.Run(name, func(t *testing.T) {
					f := newFiver(t, at, n, trouble, positions...)
					f.point, f.dies = point, dies
					f.play()
					f.check()
					if len(f.deaths) != len(dies) {
						t.Errorf("processes died over the posts %v, want %v", f.deaths, dies)
					}
					came = f.came
				})
				n++
				return came
			}
			for i := range 5 {
				scene(fmt.Sprintf("post %d", i+1), "", nil, []int{i})
			}
			for point, posts := range scene("each post", "", nil, everywhere) {
				scene("each post, killed at "+point, point, bits(posts), everywhere)
				if trouble != "answers" && posts&third != 0 {
					scene("post 3, killed at "+point+" over it", point, []int{2}, []int{2})
				}
			}
		})
	}
}

const third = 1 << 2

func bits(set int) (places []int) {
	for i := range 5 {
		if set&(1<<i) != 0 {
			places = append(places, i)
		}
	}
	return places
}

// TestAThreadOfFiveBesideRealDeaths: as above with post 3 in trouble and kill -9.
func TestAThreadOfFiveBesideRealDeaths(t *testing.T) {
	t.Parallel()
	for _, trouble := range []string{"times out after accepting", "403 duplicate", "429 with reset", "503", "closes the connection"} {
		t.Run(trouble, func(t *testing.T) {
			t.Parallel()
			at := place{Database: testdb.URL(t), Blobs: "file://" + t.TempDir(), Publishing: true}
			first := newFiver(t, at, 0, trouble, 2)
			first.play()
			n := 0
			for point, posts := range first.came {
				if posts&third == 0 {
					continue
				}
				n++
				t.Run(point, func(t *testing.T) {
					f := newFiver(t, at, n, trouble, 2)
					f.killed(point)
					f.wall.Advance(2 * lease)
					f.play()
					f.check()
				})
			}
		})
	}
}

// killed plays in a process that is killed when post 3 comes to the point.
func (f *fiver) killed(point string) {
	f.t.Helper()
	p := testprocess.Start(f.t, victimArg, victim{Place: f.place, Operation: f.op.ID, Product: f.clock.Now(), Wall: f.wall.Now(), Point: point,
		Kind: effects.XPost, Begins: effects.XPost, Places: []int{2}})
	for range 8 {
		if _, alive := p.Hear(); !alive {
			break
		}
		f.clock.Advance(10 * time.Minute)
		p.Tell("10m")
	}
	if !p.Killed(f.t) {
		f.t.Errorf("no process died at %q", point)
	}
}
