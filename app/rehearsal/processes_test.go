package rehearsal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vivra/app"
	"vivra/app/boot"
	"vivra/app/rehearsal"
)

// process is one application process that a test started.
type process struct {
	cmd   *exec.Cmd
	ready chan string // its own origin
	ended chan struct{}

	mu     sync.Mutex
	points map[string]int // how often it reached each
}

// crew is the processes of one rehearsal.
type crew struct {
	t     *testing.T
	ctx   context.Context
	at    rehearsal.Place
	lease time.Duration
	all   sync.WaitGroup
}

// start runs this test binary as an application process until ctx ends.
func (c *crew) start(spec memberSpec) *process {
	spec.Place, spec.Lease = c.at, c.lease
	text, err := json.Marshal(spec)
	if err != nil {
		panic(err) // it is made of strings and numbers
	}
	p := &process{ready: make(chan string, 1), ended: make(chan struct{}), points: map[string]int{}}
	p.cmd = exec.CommandContext(c.ctx, os.Args[0], memberArg, string(text))
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.WaitDelay = 20 * time.Second
	p.cmd.Stderr = c.t.Output()
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		c.t.Errorf("start a process: %v", err)
		close(p.ended)
		return p
	}
	c.all.Go(func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.hear(lines.Text())
		}
		_ = p.cmd.Wait() // ProcessState tells
		if !p.killed() && p.cmd.ProcessState.ExitCode() != 0 {
			c.t.Errorf("a process did not end well: %s", p.cmd.ProcessState)
		}
	})
	return p
}

// dieInTurn starts one process after the other, each when the one before was
// killed where its spec says, and at last one that lives. It counts the deaths.
func (c *crew) dieInTurn(specs []memberSpec, died *atomic.Int64) {
	for _, spec := range specs {
		victim := c.start(spec)
		<-victim.ended
		if !victim.killed() {
			return
		}
		died.Add(1)
	}
	c.start(memberSpec{})
}

func (p *process) hear(line string) {
	what, rest, _ := strings.Cut(line, " ")
	switch what {
	case "ready":
		p.ready <- rest
	case "reached":
		p.mu.Lock()
		p.points[rest]++
		p.mu.Unlock()
	}
}

func (p *process) reached(point string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.points[point]
}

func (p *process) killed() bool {
	if p.cmd.ProcessState == nil {
		return false
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// kills are where one process after the other dies, each at the Nth time it
// comes there.
var kills = []memberSpec{
	{Point: "reserved", Nth: 2}, {Point: "answered", Nth: 2}, {Point: "settled", Nth: 1}, {Point: "tool_done", Nth: 3},
	{Point: "finishing", Nth: 1}, {Point: "finished", Nth: 1}, {Point: "sent", Nth: 1}, {Point: "sent", Nth: 2}, {Point: "attempting", Nth: 2},
	{Point: "answered", Nth: 3}, {Point: "sent", Nth: 3}, {Point: "renewed", Nth: 1},
}

// TestKilledInMidRun: kill -9 at each labelled point, another process goes on.
func TestKilledInMidRun(t *testing.T) {
	t.Parallel()
	e, died := rehearseDying(t, rehearsal.Plan{Seed: 7, Days: 3}, kills)
	if died != len(kills) {
		t.Fatalf("%d of %d processes died; the takeover ended without one at %q", died, len(kills), kills[died].Point)
	}
	e.wholeUntil(t, 3)
	lost := 0
	for _, k := range kills {
		if k.Point == "reserved" || k.Point == "answered" {
			lost++
		}
	}
	// A process that a busy machine holds up for longer than its lease loses one, too.
	if e.LostAnswers < lost || e.LostAnswers > lost+2 {
		t.Errorf("%d answers are booked as lost, want %d", e.LostAnswers, lost)
	}
}

// rehearseDying plays a plan in processes that die in turn.
func rehearseDying(t *testing.T, p rehearsal.Plan, specs []memberSpec) (ending, int) {
	t.Helper()
	var died atomic.Int64
	p.Lease, p.DataDir = 2*time.Second, t.TempDir()
	p.Elsewhere = func(ctx context.Context, at rehearsal.Place) (http.Handler, func(), error) {
		c := &crew{t: t, ctx: ctx, at: at, lease: p.Lease}
		c.all.Go(func() { c.dieInTurn(specs, &died) })
		return nil, c.all.Wait, nil
	}
	return rehearse(t, p), int(died.Load())
}

// wholeUntil checks that every step that was due is done, in one run each.
func (e ending) wholeUntil(t *testing.T, days int) {
	t.Helper()
	for key, s := range e.steps {
		if s.DueAt.Before(e.op.J0.AddDate(0, 0, days)) && s.State != app.StepDone {
			t.Errorf("%s is %s: %s", key, s.State, s.Error)
		}
		runs, err := e.store.RunsOfStep(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		if len(runs) > 1 || len(runs) == 1 && runs[0].State != "succeeded" {
			t.Errorf("%s has %d runs: %+v", key, len(runs), runs)
		}
	}
}

// TestPicturesAreNotPaidTwice: a process dies when its pictures are made and
// paid, before the model heard of them.
func TestPicturesAreNotPaidTwice(t *testing.T) {
	t.Parallel()
	e, died := rehearseDying(t, rehearsal.Plan{Seed: 7, Days: 1}, []memberSpec{{Point: "pictured", Nth: 1}})
	if died != 1 {
		t.Fatal("the process did not die")
	}
	const directions = 3 // a picture each
	each, ok := app.DefaultPrices().ImageAt(boot.ImageModel, "1024x1024", time.Now())
	if !ok {
		t.Fatal("a picture has no price")
	}
	want := directions * each
	if paid := e.costOf("designer", boot.ImageModel); paid == 0 || paid != want || len(e.world.Images.Requests()) != directions {
		t.Errorf("%d requests for pictures cost %s, want %s for %d", len(e.world.Images.Requests()), paid, want, directions)
	}
}

// TestTwoProcesses: two of them finish a whole takeover together. The site is
// served by both in turn, as behind a balancer.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	var both [2]*process
	e := rehearse(t, rehearsal.Plan{Seed: 7, DataDir: t.TempDir(), Elsewhere: func(ctx context.Context, at rehearsal.Place) (http.Handler, func(), error) {
		c := &crew{t: t, ctx: ctx, at: at, lease: time.Minute}
		var origins [2]*url.URL
		for i := range both {
			both[i] = c.start(memberSpec{})
		}
		for i, p := range both {
			select {
			case origin := <-p.ready:
				origins[i], _ = url.Parse(origin)
			case <-p.ended:
				return nil, c.all.Wait, errors.New("an application process did not start")
			}
		}
		var turn atomic.Int64
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(origins[turn.Add(1)%2])
			r.Out.Host = r.In.Host
		}}, c.all.Wait, nil
	}})
	if e.State != app.OperationCompleted || e.Steps["done"] != 82 {
		t.Errorf("it is %s: %v", e.State, e.Steps)
	}
	e.wholeUntil(t, 31)
	for _, point := range []string{"finished", "sent"} {
		for i, p := range both {
			if p.reached(point) == 0 {
				t.Errorf("process %d of 2 never came to %q", i+1, point)
			}
			t.Logf("process %d: %d × %s", i+1, p.reached(point), point)
		}
	}
	if e.LostAnswers != 0 || e.asked("cm.daily_post.d30") == 0 {
		t.Errorf("%d answers were lost", e.LostAnswers)
	}
}
