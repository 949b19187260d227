// Package testprocess runs a package's own test binary as another process, which
// a test can kill as kill -9 does.
package testprocess

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Be is the life of a process that a test started, told what it is by the text
// of a T. It returns the code to exit with.
func Be[T interface {
	Live(ctx context.Context, in io.Reader) error
}](text string) int {
	var one T
	err := json.Unmarshal([]byte(text), &one)
	if err == nil {
		err = one.Live(context.Background(), os.Stdin)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// Die ends this process as kill -9 does.
func Die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // until the signal arrives
}

// Process is another process that a test has started.
type Process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	said *bufio.Scanner
}

// Start runs this binary with two arguments: what its TestMain knows it by, and
// the JSON of spec.
func Start(tb testing.TB, arg string, spec any) *Process {
	tb.Helper()
	text, err := json.Marshal(spec)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Process{cmd: exec.CommandContext(tb.Context(), os.Args[0], arg, string(text))}
	p.cmd.Stderr = tb.Output()
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.said = bufio.NewScanner(out)
		err = p.cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Hear returns the next line that the process says, false when it has ended.
func (p *Process) Hear() (string, bool) {
	ok := p.said.Scan()
	return strings.TrimSpace(p.said.Text()), ok
}

// Tell says a line to the process; one that is dead hears nothing.
func (p *Process) Tell(line string) { _, _ = io.WriteString(p.in, line+"\n") }

// Killed closes the input of the process, waits for its end and tells whether it
// was kill -9. Another end that is no success is an error of the test.
func (p *Process) Killed(tb testing.TB) bool {
	tb.Helper()
	_ = p.in.Close()
	_ = p.cmd.Wait() // ProcessState tells
	status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	killed := status.Signaled() && status.Signal() == syscall.SIGKILL
	if !killed && !p.cmd.ProcessState.Success() {
		tb.Errorf("the process ended with %s", p.cmd.ProcessState)
	}
	return killed
}
