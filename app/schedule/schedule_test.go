package schedule_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/internal/testlog"
	"vivra/app/schedule"
)

// soon bounds what a test waits for; it never passes when all is well.
const soon = 20 * time.Second

// running is a schedule that runs in a test.
type running struct {
	t     *testing.T
	clock *clockwork.FakeClock
	stop  context.CancelFunc
	ended chan error
	log   *testlog.Lines
}

func run(t *testing.T, ticks ...schedule.Tick) *running {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r := &running{t: t, clock: clockwork.NewFakeClock(), stop: stop, ended: make(chan error, 1), log: new(testlog.Lines)}
	go func() { r.ended <- schedule.Run(ctx, r.clock, slog.New(slog.NewTextHandler(r.log, nil)), ticks) }()
	t.Cleanup(stop)
	return r
}

// end stops the schedule and waits for it.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	select {
	case err := <-r.ended:
		if err != nil {
			r.t.Error(err)
		}
	case <-time.After(soon):
		r.t.Fatal("it does not stop")
	}
}

// advance turns the clock until a tick comes. One that falls due while the run
// before it is still being put away is left out, so it may take two turns.
func (r *running) advance(timers int, d time.Duration, ran <-chan struct{}) {
	r.t.Helper()
	for range 10 {
		if err := r.clock.BlockUntilContext(r.t.Context(), timers); err != nil {
			r.t.Fatal(err)
		}
		r.clock.Advance(d)
		select {
		case <-ran:
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
	r.t.Fatal("there is no next tick")
}

func await(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(soon):
		t.Fatalf("%s did not happen", what)
	}
}

// quiet fails when something happens that must not.
func quiet(t *testing.T, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
		t.Fatal(what)
	case <-time.After(30 * time.Millisecond):
	}
}

// told is a tick that says each time that it ran.
func told(every time.Duration, wake <-chan struct{}) (schedule.Tick, chan struct{}) {
	ran := make(chan struct{}, 100)
	return schedule.Tick{Name: "told", Every: every, Timeout: time.Minute, Wake: wake, Do: func(context.Context) error { ran <- struct{}{}; return nil }}, ran
}

func TestTicks(t *testing.T) {
	t.Parallel()
	minute, eachMinute := told(time.Minute, nil)
	hour, eachHour := told(time.Hour, nil)
	r := run(t, minute, hour)
	await(t, eachMinute, "the first tick at once")
	await(t, eachHour, "the first tick at once")
	for range 3 {
		r.advance(2, time.Minute, eachMinute)
	}
	quiet(t, eachHour, "an hourly tick came within the hour")
	r.end()
}

// TestWake runs a tick at once; what comes while it runs makes it run once more.
func TestWake(t *testing.T) {
	t.Parallel()
	wake := make(chan struct{}, 1)
	notify := func() {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
	begun, goOn := make(chan struct{}, 10), make(chan struct{})
	r := run(t, schedule.Tick{Name: "slow", Every: time.Hour, Timeout: time.Minute, Wake: wake, Do: func(context.Context) error {
		begun <- struct{}{}
		<-goOn
		return nil
	}})
	await(t, begun, "the first tick")
	for range 20 {
		notify() // while the tick runs
	}
	quiet(t, begun, "it runs beside itself")
	goOn <- struct{}{}
	await(t, begun, "the run that the wake-up asked for")
	notify() // while that one runs
	goOn <- struct{}{}
	await(t, begun, "the run after a wake-up in mid-run")
	goOn <- struct{}{}
	quiet(t, begun, "twenty wake-ups made more than one run")
	notify()
	await(t, begun, "a wake-up of an idle tick")
	close(goOn)
	r.end()
}

// TestFaultsAreContained: a panic or an error ends one run only, and is logged
// with the tick's name.
func TestFaultsAreContained(t *testing.T) {
	t.Parallel()
	wake := make(chan struct{}, 1)
	ran := make(chan struct{}, 10)
	var n atomic.Int32
	r := run(t, schedule.Tick{Name: "shaky", Every: time.Hour, Timeout: time.Minute, Wake: wake, Do: func(context.Context) error {
		defer func() { ran <- struct{}{} }()
		switch n.Add(1) {
		case 1:
			panic("first")
		case 2:
			panic("second")
		case 3:
			return errors.New("third")
		}
		return nil
	}})
	for range 4 {
		await(t, ran, "a run")
		wake <- struct{}{}
	}
	await(t, ran, "the run after them")
	r.advance(1, time.Hour, ran)
	r.end()
	for _, want := range []string{"panic=first", "panic=second", "error=third", "tick=shaky"} {
		if !strings.Contains(r.log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, r.log)
		}
	}
}

// TestTickIsBounded: a tick that takes too long is told so.
func TestTickIsBounded(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	r := run(t, schedule.Tick{Name: "long", Every: time.Hour, Timeout: 10 * time.Millisecond, Do: func(ctx context.Context) error {
		<-ctx.Done()
		close(over)
		return ctx.Err()
	}})
	await(t, over, "the end of its time")
	r.end()
}

// TestStopIsSynchronous: once Run has returned nothing runs any more, whether a
// tick or a wake-up had begun it.
func TestStopIsSynchronous(t *testing.T) {
	t.Parallel()
	for name, woken := range map[string]bool{"tick": false, "wake-up": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wake := make(chan struct{}, 1)
			begun, goOn := make(chan struct{}, 10), make(chan struct{})
			var ended atomic.Bool
			var n atomic.Int32
			r := run(t, schedule.Tick{Name: "slow", Every: time.Hour, Timeout: time.Minute, Wake: wake, Do: func(ctx context.Context) error {
				if n.Add(1) == 1 && woken {
					begun <- struct{}{}
					return nil
				}
				begun <- struct{}{}
				<-ctx.Done()
				<-goOn // what must be finished, such as a commit
				ended.Store(true)
				return nil
			}})
			await(t, begun, "the first run")
			if woken {
				wake <- struct{}{}
				await(t, begun, "the woken run")
			}
			r.stop()
			select {
			case <-r.ended:
				t.Fatal("it did not wait for what was under way")
			case <-time.After(50 * time.Millisecond):
			}
			close(goOn)
			if err := <-r.ended; err != nil || !ended.Load() {
				t.Errorf("ended %v: %v", ended.Load(), err)
			}
		})
	}
}
