package orchestrator_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app"
	"vivra/app/internal/testdb"
	"vivra/app/internal/testprocess"
)

// TestMain runs the tests, or is one of the processes they start.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case victimArg:
			os.Exit(testprocess.Be[victim](os.Args[2]))
		case posterArg:
			os.Exit(testprocess.Be[poster](os.Args[2]))
		}
	}
	testdb.Main(m)
}

const victimArg = "be-a-victim"

// victim is a process that kills itself, as kill -9 does, the first time that an
// effect of Kind comes to Point.
type victim struct {
	Place       place
	Operation   int64
	Product     time.Time
	Wall        time.Time
	Point, Kind string
	// Begins is the kind of the first effect that the approval sets off.
	Begins string
	// Places are those of the effects that it dies over, nil: of any.
	Places []int
}

// Live works; when nothing is left to do it says so, and waits to be told how
// far to turn its clock.
func (v victim) Live(ctx context.Context, in io.Reader) error {
	made := new(pile)
	clock := clockwork.NewFakeClockAt(v.Product)
	b, err := v.Place.open(ctx, clock, clockwork.NewFakeClockAt(v.Wall), healthy(), made.add)
	if err != nil {
		return err
	}
	defer b.close()
	told := bufio.NewScanner(in)
	p := player{bureau: b, operation: v.Operation, begins: v.Begins, made: made, reached: func(point, kind string, at int) {
		if point == v.Point && kind == v.Kind && (v.Places == nil || slices.Contains(v.Places, at)) {
			testprocess.Die()
		}
	}, next: func() bool {
		fmt.Println("idle")
		if !told.Scan() {
			return false
		}
		d, err := time.ParseDuration(told.Text())
		clock.Advance(d)
		return err == nil
	}}
	return p.play(ctx)
}

// player carries out what is due of one operation.
type player struct {
	bureau
	operation int64
	begins    string
	made      *pile
	// reached is told each point with the kind of effect that came there, and its
	// place.
	reached func(point, kind string, at int)
	// next is called when nothing is left to do at this instant: false ends the play.
	next func() bool
}

func (p player) play(ctx context.Context) error {
	kind, place := "", 0
	tell := func(point string) {
		if kind == "" {
			first, at := p.first(ctx)
			p.reached(point, first, at)
			return
		}
		p.reached(point, kind, place)
	}
	p.Reached, p.Store.Reached = tell, tell
	for {
		if err := p.Tick(ctx); err != nil {
			return err
		}
		all := p.made.taken()
		for _, job := range all {
			if job.Kind != app.JobEffect && job.Kind != app.JobReconcile {
				_ = p.Do(ctx, job) // a look at mentions, once something is out
				continue
			}
			e, err := p.Store.Effect(ctx, job.ID)
			if err != nil {
				return err
			}
			kind, place = e.Kind, e.Position
			_ = p.Do(ctx, job) // the rows tell what failed
			kind = ""
		}
		if len(all) == 0 && !p.next() {
			return nil
		}
	}
}

// first is the kind and the place of the first effect that is still open, or to
// come.
func (p player) first(ctx context.Context) (kind string, at int) {
	all, err := p.Store.Effects(ctx, p.operation)
	if err != nil {
		return "", 0
	}
	for _, e := range all {
		if e.State != app.EffectDone {
			return e.Kind, e.Position
		}
	}
	return p.begins, 0
}
