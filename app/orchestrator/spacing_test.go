package orchestrator_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testop"
	"vivra/app/rehearsal/fault"
	"vivra/app/rehearsal/xsim"
)

// threadOf is a thread of n posts whose texts begin with a name.
func threadOf(name string, n int) app.ThreadPayload {
	p := app.ThreadPayload{Account: handle}
	for i := range n {
		p.Posts = append(p.Posts, aPost(fmt.Sprintf("%s %d", name, i+1)))
	}
	return p
}

// at returns when a text was posted.
func (o *office) at(text string) time.Time {
	o.t.Helper()
	for _, p := range o.x.Posts() {
		if p.Text == text {
			return p.At
		}
	}
	o.t.Fatalf("%q is not out: %d posts", text, len(o.x.Posts()))
	return time.Time{}
}

// due turns the clock to each instant at which something is due, until a time.
func (o *office) due(until time.Time) {
	o.t.Helper()
	for range 10_000 {
		if err := o.work(); err != nil {
			o.t.Log(err)
		}
		next, err := o.store.NextInstant(o.t.Context(), o.clock.Now())
		if err != nil {
			o.t.Fatal(err)
		}
		if next == nil || next.After(until) {
			o.clock.Advance(until.Sub(o.clock.Now()))
			return
		}
		o.clock.Advance(next.Sub(o.clock.Now()))
	}
	o.t.Fatal("it never comes to an end")
}

// TestAThreadThenAPost: the post comes half an hour after the thread's last post,
// to the second.
func TestAThreadThenAPost(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	thread, post := o.await("a", app.KindThread, threadOf("thread", 4)), o.await("b", app.KindPost, aPost("post"))
	o.approve(thread)
	o.approve(post)
	o.due(o.clock.Now().Add(2 * time.Hour))
	if gap := o.at("post").Sub(o.at("thread 4")); gap != spacing || o.at("thread 4") != o.at("thread 1") {
		t.Errorf("the post came %s after the thread, which took %s", gap, o.at("thread 4").Sub(o.at("thread 1")))
	}
}

// TestAPostThenAThread: the thread begins half an hour after the post, and has no
// gaps of its own.
func TestAPostThenAThread(t *testing.T) {
	t.Parallel()
	o := newOffice(t, person("a"), person("b"))
	post, thread := o.await("a", app.KindPost, aPost("post")), o.await("b", app.KindThread, threadOf("thread", 4))
	o.approve(post)
	o.approve(thread)
	o.due(o.clock.Now().Add(2 * time.Hour))
	if gap := o.at("thread 1").Sub(o.at("post")); gap != spacing || o.at("thread 4") != o.at("thread 1") {
		t.Errorf("the thread came %s after the post, and took %s", gap, o.at("thread 4").Sub(o.at("thread 1")))
	}
}

// TestNothingComesBetweenAThread: a thread that X holds up in its middle is not
// interrupted: the post behind it comes half an hour after its end.
func TestNothingComesBetweenAThread(t *testing.T) {
	t.Parallel()
	f := &fiver{office: newOffice(t, person(theStep), person("b")), deaths: map[int]bool{}}
	f.fronts.x.next = &picky{next: f.x, at: []int{2}, hit: map[int]bool{}, trouble: func() fault.Fault {
		return fault.Fault{Status: http.StatusTooManyRequests, ResetAt: f.clock.Now().Add(45 * time.Minute)}
	}}
	thread, post := f.await(theStep, app.KindThread, five(handle)), f.await("b", app.KindPost, aPost("post"))
	f.approve(thread)
	f.approve(post)
	f.due(f.clock.Now().Add(4 * time.Hour))
	first, last := f.at("Post 1 of the thread."), f.at("Post 5 of the thread.")
	if held := last.Sub(first); held < 45*time.Minute || held > 46*time.Minute {
		t.Errorf("the thread took %s", held)
	}
	if gap := f.at("post").Sub(last); gap != spacing {
		t.Errorf("the post came %s after the thread", gap)
	}
}

// TestWhatGoesOnKeepsItsDistance: what a person has go on after another post came
// between waits its half hour, then goes on without gaps.
func TestWhatGoesOnKeepsItsDistance(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(*fiver){
		"under its approval":   (*fiver).retryPaused,
		"under one of its own": func(f *fiver) { f.approve(f.rest()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := thread5(t, fault.Fault{Status: http.StatusForbidden})
			f.clock.Advance(40 * time.Minute)
			if err := f.publish("next", app.KindPost, aPost("post")); err != nil {
				t.Fatal(err)
			}
			f.clock.Advance(10 * time.Minute)
			goOn(f)
			f.due(f.clock.Now().Add(2 * time.Hour))
			third, last := f.at("Post 3 of the thread."), f.at("Post 5 of the thread.")
			if gap := third.Sub(f.at("post")); gap != spacing || last != third {
				t.Errorf("it went on %s after the post, and took %s", gap, last.Sub(third))
			}
			f.checkSpacing()
		})
	}
}

// TestNothingOfARestComesBetweenAThread: what a person has go on while X holds up
// another thread in its middle waits for that one's end, and its half hour.
func TestNothingOfARestComesBetweenAThread(t *testing.T) {
	t.Parallel()
	for name, goOn := range map[string]func(*fiver){
		"under its approval":   (*fiver).retryPaused,
		"under one of its own": func(f *fiver) { f.approve(f.rest()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := thread5(t, fault.Fault{Status: http.StatusForbidden})
			f.clock.Advance(40 * time.Minute)
			other := threadOf("next", 4)
			f.fronts.x.next = &picky{next: f.x, of: other.Posts, at: []int{2}, hit: map[int]bool{}, trouble: func() fault.Fault {
				return fault.Fault{Status: http.StatusTooManyRequests, ResetAt: f.clock.Now().Add(2 * time.Hour)}
			}}
			if err := f.publish("next", app.KindThread, other); err != nil {
				t.Fatal(err)
			}
			f.clock.Advance(50 * time.Minute)
			goOn(f)
			f.due(f.clock.Now().Add(5 * time.Hour))
			if held := f.at("next 4").Sub(f.at("next 1")); held < 2*time.Hour {
				t.Errorf("the other thread took %s", held)
			}
			third, last := f.at("Post 3 of the thread."), f.at("Post 5 of the thread.")
			if gap := third.Sub(f.at("next 4")); gap < spacing || gap > spacing+time.Minute || last != third {
				t.Errorf("it went on %s after the other thread, and took %s", gap, last.Sub(third))
			}
			f.checkSpacing()
		})
	}
}

// TestADoubtHoldsUpForAWhile: what waits behind a post of which nobody can tell
// goes out once a person was asked; half an hour after it when its operation has
// ended, since nothing goes on behind it then.
func TestADoubtHoldsUpForAWhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stopped bool
		after   time.Duration
	}{"it is looked for": {false, 2 * time.Hour}, "its operation has ended": {true, spacing}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, person("a"))
			o.x.Fail(xsim.Fault{Path: "POST /2/tweets", AfterAccept: true})
			o.x.Fail(silence(1000))
			if err := o.publish("a", app.KindPost, aPost("first")); err != nil {
				t.Fatal(err)
			}
			begun := o.effects()[0].AttemptedAt
			if c.stopped {
				if err := o.store.StopOperation(t.Context(), o.op.Slug, "enough", testop.Person, o.clock.Now()); err != nil {
					t.Fatal(err)
				}
			}
			o.op = testop.Of(t, o.store, app.NewOperation{Token: testop.Token(2), Slug: "dodo-c", J0: testop.J0, Cap: app.Dollar, XHandle: handle}, person("b"))
			o.approve(o.await("b", app.KindPost, aPost("second")))
			for range 2 {
				o.due(o.clock.Now().Add(2 * time.Hour))
			}
			if gap := o.at("second").Sub(*begun); gap < c.after || gap > c.after+time.Hour {
				t.Errorf("the second came %s after the first was attempted", gap)
			}
		})
	}
}

// publicationOf is what the text of a post begins with: all posts of one
// publication share it.
func publicationOf(text string) string {
	if strings.HasPrefix(text, "Post ") {
		return "thread"
	}
	name, _, _ := strings.Cut(text, " ")
	return name
}

// checkSpacing fails when two publications of the account are nearer to each
// other than the half hour.
func (o *office) checkSpacing() {
	o.t.Helper()
	var last xsim.Published
	posts := o.x.Posts()
	slices.SortStableFunc(posts, func(a, b xsim.Published) int { return a.At.Compare(b.At) })
	for _, p := range posts {
		if last.Text != "" && publicationOf(p.Text) != publicationOf(last.Text) && p.At.Sub(last.At) < spacing {
			o.t.Errorf("%q came %s after %q", p.Text, p.At.Sub(last.At), last.Text)
		}
		last = p
	}
}

// TestSpacingOverARestart: the process ends between the first publication and the
// second; another one, on a connection of its own, keeps the same instant.
func TestSpacingOverARestart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind    app.ValidationKind
		payload any
		last    string
	}{
		"a post":   {app.KindPost, aPost("first"), "first"},
		"a thread": {app.KindThread, threadOf("first", 4), "first 4"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := officeAt(t, place{Database: testdb.URL(t), Blobs: "file://" + t.TempDir(), Publishing: true}, testop.J0, person("a"), person("b"))
			first, second := o.await("a", c.kind, c.payload), o.await("b", app.KindPost, aPost("second"))
			o.approve(first)
			o.approve(second)
			if err := o.work(); err != nil {
				t.Fatal(err)
			}
			o.store.Close() // nothing of the process is left but its rows
			made := new(pile)
			another, err := o.place.open(t.Context(), o.clock, o.wall, healthy(), made.add)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(another.close)
			o.Orchestrator, o.store = another.Orchestrator, another.Store
			o.made.taken()
			look := func(d time.Duration) int {
				o.clock.Advance(d)
				o.wall.Advance(2 * lease)
				for range 20 {
					if err := o.Tick(t.Context()); err != nil {
						t.Fatal(err)
					}
					for _, job := range made.taken() {
						if err := o.Do(t.Context(), job); err != nil {
							t.Fatal(err)
						}
					}
				}
				return len(o.x.Posts())
			}
			before := len(o.x.Posts())
			if n := look(o.at(c.last).Add(spacing - time.Second).Sub(o.clock.Now())); n != before {
				t.Errorf("the second came before its time")
			}
			if n := look(time.Second); n != before+1 || o.at("second").Sub(o.at(c.last)) != spacing {
				t.Errorf("%d posts at its time", n)
			}
		})
	}
}

// TestSpacingHoldsWhateverComes: publications of all sizes that are approved at
// any time, on an X that loses, limits and refuses some, by a process that is
// another one every now and then: none is nearer than half an hour to the one
// before, none is dropped, none is sent twice.
func TestSpacingHoldsWhateverComes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			newArrivals(t, seed).play()
		})
	}
}

// arrivals are publications that are approved at random.
type arrivals struct {
	*office
	random *rand.Rand
	want   map[string]int // how many posts each publication has
	drafts []app.Validation
}

func newArrivals(t *testing.T, seed uint64) *arrivals {
	t.Helper()
	var steps []app.Step
	for i := range 9 {
		steps = append(steps, person(fmt.Sprintf("p%d", i)))
	}
	a := &arrivals{office: newOffice(t, steps...), random: rand.New(rand.NewPCG(seed, 7)), want: map[string]int{}}
	for _, s := range steps {
		posts := 4 + a.random.IntN(3)
		if a.random.IntN(2) == 0 {
			a.want[s.Key] = 1
			a.drafts = append(a.drafts, a.await(s.Key, app.KindPost, aPost(s.Key+" alone")))
			continue
		}
		a.want[s.Key] = posts
		a.drafts = append(a.drafts, a.await(s.Key, app.KindThread, threadOf(s.Key, posts)))
	}
	return a
}

func (a *arrivals) play() {
	for _, v := range a.drafts {
		if a.random.IntN(2) == 0 {
			a.trouble()
		}
		a.due(a.clock.Now().Add(time.Duration(a.random.IntN(40*60)) * time.Second))
		a.approve(v)
		if a.random.IntN(3) == 0 {
			a.taken() // the process dies with the jobs that it had
			a.wall.Advance(2 * lease)
		}
		a.again()
	}
	for range 20 {
		a.due(a.clock.Now().Add(2 * time.Hour))
		a.wall.Advance(2 * lease)
		a.again()
	}
	a.check()
}

func (a *arrivals) trouble() {
	hit := []xsim.Fault{{AfterAccept: true}, {}, {Status: http.StatusServiceUnavailable, AfterAccept: true}, {Status: http.StatusForbidden},
		{Status: http.StatusTooManyRequests, ResetAt: a.clock.Now().Add(50 * time.Minute)}}[a.random.IntN(5)]
	hit.Path = "POST /2/tweets"
	a.x.Fail(hit)
}

// again has a person try what was refused again.
func (a *arrivals) again() {
	a.t.Helper()
	for _, e := range a.effects() {
		if e.State != app.EffectFailed {
			continue
		}
		if err := a.store.RetryEffect(a.t.Context(), e.ID, "again", testop.Person, a.clock.Now()); err != nil {
			a.t.Fatal(err)
		}
	}
}

func (a *arrivals) check() {
	a.t.Helper()
	a.checkSpacing()
	got, said := map[string]int{}, map[string]bool{}
	for _, p := range a.x.Posts() {
		if said[p.Text] {
			a.t.Errorf("%q went out twice", p.Text)
		}
		said[p.Text] = true
		got[publicationOf(p.Text)]++
	}
	for name, want := range a.want {
		if got[name] != want || a.step(name).State != app.StepDone {
			a.t.Errorf("%d of %d posts of %s are out, its step is %s: %s", got[name], want, name, a.step(name).State, a.step(name).Error)
		}
	}
	testop.Balanced(a.t, a.store, a.op)
}
