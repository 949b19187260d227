package live_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vivra/app/live"
)

// lines are those numbered from first to last, of which a feed has every nth.
func lines(first, last, nth int64) (all []live.Line) {
	for n := first; n <= last; n++ {
		if n%nth == 0 {
			all = append(all, live.Line{Number: n, Frame: []byte(fmt.Sprint("line ", n))})
		}
	}
	return all
}

// change is a feed's next: its lines up to a number, and how its parts are.
func change(from, upTo int64, head, log string) live.Change {
	return live.Change{Lines: lines(from+1, upTo, 1), UpTo: upTo, Fresh: func() []byte { return []byte(fmt.Sprint("fresh ", upTo)) },
		Parts: []live.Part{{Name: "head", Frame: []byte(head)}, {Name: "log", Frame: []byte(log)}}}
}

// read is what a viewer gets, as one text, and its next place.
func read(t *testing.T, f *live.Feed, at live.Place) (string, live.Place) {
	t.Helper()
	frames, next, _, err := f.Read(at)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, frame := range frames {
		all = append(all, string(frame))
	}
	return strings.Join(all, ", "), next
}

func TestAViewerGetsWhatItLacks(t *testing.T) {
	t.Parallel()
	f := live.NewFeed(change(0, 3, "head 1", "log 1"))
	for at, want := range map[live.Place]string{
		{}:                           "head 1, log 1, line 1, line 2, line 3",
		{Line: 2}:                    "head 1, log 1, line 3",
		{Rev: f.Now().Rev}:           "line 1, line 2, line 3",
		f.Now():                      "",
		{Line: 9}:                    "head 1, log 1, fresh 3", // it knows more than there is
		{Line: 3, Rev: 1 << 40}:      "",
		{Line: -1, Rev: f.Now().Rev}: "fresh 3",
	} {
		if got, next := read(t, f, at); got != want || next != f.Now() {
			t.Errorf("at %+v comes %q and %+v, want %q", at, got, next, want)
		}
	}
	here := f.Now()
	f.Publish(change(3, 4, "head 1", "log 2"))
	for at, want := range map[live.Place]string{here: "log 2, line 4", {Line: 4}: "head 1, log 2", {Line: 3}: "head 1, log 2, line 4"} {
		if got, _ := read(t, f, at); got != want {
			t.Errorf("at %+v comes %q, want %q", at, got, want)
		}
	}
}

// TestWhatIsSaidGoesToThoseWhoAreThere, and to nobody who comes later.
func TestWhatIsSaidGoesToThoseWhoAreThere(t *testing.T) {
	t.Parallel()
	f := live.NewFeed(change(0, 1, "head", "log"))
	here := f.Now()
	f.Publish(live.Change{Said: []byte("said")})
	if got, _ := read(t, f, here); got != "said" {
		t.Errorf("a viewer is told %q", got)
	}
	if got, _ := read(t, f, live.Place{Line: 1}); got != "head, log" {
		t.Errorf("one that comes later is told %q", got)
	}
}

// TestNobodyIsWokenForNothing: a change without anything new wakes no viewer, and
// one that has something wakes each.
func TestNobodyIsWokenForNothing(t *testing.T) {
	t.Parallel()
	f := live.NewFeed(change(0, 1, "head", "log"))
	_, _, more, _ := f.Read(f.Now())
	f.Publish(change(1, 1, "head", "log"))
	f.Publish(live.Change{UpTo: 5}) // rows that do not fit the filter
	select {
	case <-more:
		t.Error("viewers are woken")
	default:
	}
	f.Publish(change(5, 6, "head", "log"))
	<-more
	f.Close(errors.New("over"))
	if _, _, _, err := f.Read(live.Place{}); err == nil || err.Error() != "over" {
		t.Errorf("a closed feed says %v", err)
	}
}

// TestEveryLineOnceAndInOrder, whenever a viewer looks, however far it is behind,
// and whatever is left out: it has each line once, or is shown the newest anew.
func TestEveryLineOnceAndInOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		nth := 1 + random.Int64N(3)
		upTo := random.Int64N(20)
		f := live.NewFeed(live.Change{Lines: lines(1, upTo, nth), UpTo: upTo, Fresh: func() []byte { return nil }})
		viewers, seen := make([]live.Place, 20), make([]int64, 20)
		for range 400 {
			if random.IntN(3) > 0 {
				last := upTo
				upTo += random.Int64N(40)
				f.Publish(live.Change{Lines: lines(last+1, upTo, nth), UpTo: upTo, Fresh: func() []byte { return []byte(fmt.Sprint("fresh ", last+1)) }})
			}
			v := random.IntN(len(viewers))
			text, next := read(t, f, viewers[v])
			for frame := range strings.SplitSeq(text, ", ") {
				word, number, _ := strings.Cut(frame, " ")
				n, _ := strconv.ParseInt(number, 10, 64)
				switch {
				case word == "line" && n > seen[v] && n-seen[v] <= nth:
					seen[v] = n
				case word == "line":
					t.Fatalf("seed %d: after line %d comes %d of each %d", seed, seen[v], n, nth)
				}
			}
			if viewers[v] = next; strings.Contains(text, "fresh") {
				seen[v] = upTo / nth * nth
			}
			if seen[v] != upTo/nth*nth {
				t.Fatalf("seed %d: a viewer stands at %d, the feed at %d", seed, seen[v], upTo)
			}
		}
	}
}

// TestAFeedKeepsNothingForItsViewers: what it holds does not grow with what it has
// passed on.
func TestAFeedKeepsNothingForItsViewers(t *testing.T) {
	t.Parallel()
	f := live.NewFeed(live.Change{Fresh: func() []byte { return []byte("fresh") }})
	for n := range int64(5000) {
		f.Publish(live.Change{Lines: lines(n+1, n+1, 1), UpTo: n + 1})
	}
	frames, _, _, _ := f.Read(live.Place{Line: 5000 - 512})
	if len(frames) != 512 || string(frames[0]) != "line 4489" {
		t.Errorf("%d lines are kept, the first %s", len(frames), frames[0])
	}
	if frames, _, _, _ = f.Read(live.Place{Line: 1000}); len(frames) != 1 || !slices.Equal(frames[0], []byte("fresh")) {
		t.Errorf("whoever is far behind gets %d frames", len(frames))
	}
}

// TestAFeedThatMissedLines shows the newest anew to whoever was there, and goes on
// from them.
func TestAFeedThatMissedLines(t *testing.T) {
	t.Parallel()
	f := live.NewFeed(change(0, 3, "head", "log"))
	here := f.Now()
	missed := change(40, 42, "head", "log")
	missed.From = 40
	f.Publish(missed)
	if got, next := read(t, f, here); got != "fresh 42" || next.Line != 42 {
		t.Errorf("a viewer gets %q and stands at %d", got, next.Line)
	}
	if got, _ := read(t, f, live.Place{Rev: f.Now().Rev, Line: 41}); got != "line 42" {
		t.Errorf("one that knows more gets %q", got)
	}
}
