package live

import (
	"bytes"
	"slices"
	"sync"
)

// keeps is how many lines a feed keeps for those who come back. Who has missed
// more is shown the newest ones anew.
const keeps = 512

// Feed is what all viewers of a page share, each piece encoded once: parts, of
// which only the newest state counts, and lines, which follow each other by
// number. Nothing is kept for a viewer but its Place, so one that reads slowly
// or not at all holds up nobody and costs nothing. It is safe for concurrent use.
type Feed struct {
	mu    sync.RWMutex
	next  chan struct{} // closed at the next change
	rev   uint64
	parts []part
	said  part // the last thing that was said: for those who are there
	lines []Line
	from  int64 // the number behind which lines has all
	upTo  int64 // the number up to which it has all
	fresh func() []byte
	err   error
	// last is what those lack who had everything before the last change: nearly
	// all of them.
	last struct {
		from   Place
		frames [][]byte
	}
}

type part struct {
	name  string
	frame []byte
	rev   uint64
}

// Line is one line as it is sent. Numbers grow; a feed may leave some out.
type Line struct {
	Number int64
	Frame  []byte
}

// Place is how far a viewer has read.
type Place struct {
	Rev  uint64 // of the parts
	Line int64  // the number of the last line that it has, or has passed over
}

// Change is what a feed has new at one moment.
type Change struct {
	Parts []Part
	Lines []Line
	// Lines has all behind From and up to UpTo. Whoever stands before From, where
	// that is beyond what the feed had, is shown the newest lines anew.
	From, UpTo int64
	// Fresh makes the frame that shows the newest lines anew, in place of those a
	// viewer has. It is called once at most; nil: who missed lines has none.
	Fresh func() []byte
	// Said goes to those who are there, and to nobody who comes later.
	Said []byte
}

// Part is the state of one part as it is sent.
type Part struct {
	Name  string
	Frame []byte
}

// NewFeed returns a feed whose first state is c.
func NewFeed(c Change) *Feed {
	f := &Feed{next: make(chan struct{}), from: c.From, upTo: c.From}
	f.Publish(c)
	return f
}

// Publish adds what is new. Parts that are as they were are not sent again.
func (f *Feed) Publish(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := Place{f.rev, f.upTo}
	f.rev++
	changed := f.setParts(c.Parts)
	if len(c.Said) > 0 {
		f.said, changed = part{frame: c.Said, rev: f.rev}, true
	}
	if c.From > f.upTo {
		f.lines, f.from, f.upTo = nil, c.From, c.From
	}
	if c.UpTo > f.upTo {
		f.lines, f.upTo = append(f.lines, c.Lines...), c.UpTo
		changed = changed || len(c.Lines) > 0
		f.trim()
	}
	if c.Fresh != nil {
		f.fresh = sync.OnceValue(c.Fresh)
	}
	f.last.from, f.last.frames = before, f.missing(before)
	if changed {
		f.wake()
	}
}

func (f *Feed) setParts(parts []Part) (changed bool) {
	for _, p := range parts {
		i := slices.IndexFunc(f.parts, func(known part) bool { return known.name == p.Name })
		if i < 0 {
			f.parts = append(f.parts, part{name: p.Name})
			i = len(f.parts) - 1
		}
		if !bytes.Equal(f.parts[i].frame, p.Frame) {
			f.parts[i].frame, f.parts[i].rev, changed = p.Frame, f.rev, true
		}
	}
	return changed
}

// trim leaves the newest lines. They are copied now and then only, and never
// moved: a viewer may be sending them.
func (f *Feed) trim() {
	over := len(f.lines) - keeps
	if over <= 0 {
		return
	}
	f.from = f.lines[over-1].Number
	f.lines = f.lines[over:]
}

func (f *Feed) wake() {
	close(f.next)
	f.next = make(chan struct{})
}

// Close ends the feed: whoever reads it is told err.
func (f *Feed) Close(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
		f.wake()
	}
}

// Now is the place of a viewer that has everything.
func (f *Feed) Now() Place {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return Place{f.rev, f.upTo}
}

// Read returns what a viewer at a place has not got, in the order in which it is
// to be sent, where it stands after that, and what is closed when there is more.
// A viewer that has missed too much is shown the newest lines anew.
func (f *Feed) Read(at Place) (frames [][]byte, next Place, more <-chan struct{}, err error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.err != nil {
		return nil, at, nil, f.err
	}
	switch at {
	case Place{f.rev, f.upTo}:
	case f.last.from:
		frames = f.last.frames
	default:
		frames = f.missing(at)
	}
	return frames, Place{f.rev, f.upTo}, f.next, nil
}

func (f *Feed) missing(at Place) (frames [][]byte) {
	for _, p := range f.parts {
		if p.rev > at.Rev {
			frames = append(frames, p.frame)
		}
	}
	frames = append(frames, f.linesAfter(at.Line)...)
	if at.Rev > 0 && f.said.rev > at.Rev {
		frames = append(frames, f.said.frame)
	}
	return frames
}

func (f *Feed) linesAfter(number int64) (frames [][]byte) {
	if number < f.from || number > f.upTo {
		if f.fresh == nil {
			return nil
		}
		return [][]byte{f.fresh()}
	}
	at, _ := slices.BinarySearchFunc(f.lines, number+1, func(l Line, n int64) int { return int(l.Number - n) })
	for _, l := range f.lines[at:] {
		frames = append(frames, l.Frame)
	}
	return frames
}
