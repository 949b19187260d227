package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// figures are what one round has shown.
type figures struct {
	viewers       int
	p50, p99      time.Duration
	memory        float64 // kB a viewer
	cpu           float64 // seconds of the server a second
	gaps, repeats int64
	lines, bytes  int64
}

// Run measures round after round.
func (r runCommand) Run(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%g lines a second for %s a round, %.0f %% of the viewers cut off once, %d more that read nothing\n", r.Rate, r.Lasts, r.Breaks*100, r.Stalled)
	fmt.Fprintf(out, "%8s %-6s %8s %8s %10s %6s %6s %8s %9s\n", "viewers", "", "p50", "p99", "kB/viewer", "cpu", "gaps", "repeats", "B/line")
	var lost int64
	for _, n := range r.Viewers {
		live, err := r.round(ctx, n, false, 0)
		if err != nil {
			return err
		}
		live.print(out, "live")
		base, err := r.round(ctx, n, true, int(live.bytes/max(live.lines, 1)))
		if err != nil {
			return err
		}
		base.print(out, "plain")
		fmt.Fprintf(out, "%8s %-6s %8.2f %8.2f %10.2f %6.2f\n", "", "ratio", ratio(live.p50, base.p50), ratio(live.p99, base.p99), live.memory/base.memory, live.cpu/base.cpu)
		lost += live.gaps + live.repeats
		if live.lines == 0 {
			return errors.New("no line has arrived")
		}
	}
	if lost > 0 {
		return errors.New("lines were lost, or came twice")
	}
	return nil
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / max(b, time.Millisecond).Seconds() }

func (f figures) print(out io.Writer, name string) {
	fmt.Fprintf(out, "%8d %-6s %8s %8s %10.1f %6.2f %6d %8d %9d\n", f.viewers, name, f.p50, f.p99, f.memory, f.cpu, f.gaps, f.repeats, f.bytes/max(f.lines, 1))
}

// round measures one server under one crowd.
func (r runCommand) round(ctx context.Context, viewers int, plain bool, size int) (f figures, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server, err := begin(ctx, plain, size)
	if err != nil {
		return f, err
	}
	defer server.end()
	c := &crowd{address: server.address, path: "/operations/dodo/live?after=0", resumes: true, took: make([]int64, slowest)}
	if plain {
		c.path, c.resumes = "/live", false
	}
	before := server.memory()
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for i := range viewers {
		var breaks time.Duration
		if rand.Float64() < r.Breaks { //nolint:gosec // no secret
			breaks = time.Duration(rand.Float64() * float64(r.Lasts)) //nolint:gosec // no secret
		}
		all.Go(func() { c.view(ctx, breaks) })
		if i%100 == 99 {
			time.Sleep(2 * time.Millisecond) // the queue of a listener is short
		}
	}
	for range r.Stalled {
		all.Go(func() { c.stall(ctx) })
	}
	if err := c.wait(ctx, viewers); err != nil {
		return f, err
	}
	cpu, began := server.cpu(), time.Now()
	c.bytes.Store(0)
	c.measures.Store(true)
	for n := range int(r.Rate * r.Lasts.Seconds()) {
		c.ask()
		if err := server.add(); err != nil {
			return f, err
		}
		time.Sleep(time.Until(began.Add(time.Duration(float64(n+1) / r.Rate * float64(time.Second)))))
	}
	time.Sleep(time.Second) // what is on its way
	f = figures{viewers: viewers, p50: c.percentile(0.5), p99: c.percentile(0.99), cpu: (server.cpu() - cpu) / time.Since(began).Seconds(),
		memory: float64(server.memory()-before) / float64(viewers+r.Stalled), gaps: c.gaps.Load(), repeats: c.repeats.Load(), lines: c.lines.Load(), bytes: c.bytes.Load()}
	return f, ctx.Err()
}

// wait is until all have the page open.
func (c *crowd) wait(ctx context.Context, viewers int) error {
	for range 600 {
		if c.open.Load() >= int64(viewers) {
			time.Sleep(500 * time.Millisecond)
			return ctx.Err()
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("after a minute the page is open for %d of %d: is the limit of open files (ulimit -n) high enough?", c.open.Load(), viewers)
}

// child is a server in a process of its own.
type child struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	address string
}

func begin(ctx context.Context, plain bool, size int) (*child, error) {
	args := []string{"serve"}
	if plain {
		args = append(args, "--plain", "--size", strconv.Itoa(max(size, 1)))
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.CommandContext(ctx, self, args...)} //nolint:gosec // ourselves
	c.cmd.Stderr = os.Stderr
	c.cmd.Env = append(os.Environ(), asServer+"=1")
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	said, err := c.cmd.StdoutPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		return nil, errors.New("the server did not start")
	}
	c.address = lines.Text()
	return c, nil
}

// asServer tells a test's own binary that it is to be the server.
const asServer = "BENCHLIVE_SERVER"

func (c *child) add() error {
	_, err := io.WriteString(c.in, "\n")
	return err
}

func (c *child) end() {
	_ = c.in.Close()
	_ = c.cmd.Wait() // it has no more to say
}

// memory is what the server holds, in kB.
func (c *child) memory() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}

// cpu is how long the server has computed, in seconds.
func (c *child) cpu() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var ticks float64
	for _, at := range []int{11, 12} {
		n, _ := strconv.ParseFloat(fields[at], 64)
		ticks += n
	}
	return ticks / 100
}
