package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"vivra/app/private"
	"vivra/app/rehearsal"
)

// crew is the application processes of a rehearsal: this program, as join.
type crew struct {
	count  int
	killAt string // where the first of them dies; another takes its place
	lease  time.Duration
	to     streams
	all    sync.WaitGroup
}

// together makes a plan be played by processes of their own. end gives back
// what that took.
func (c *crew) together(ctx context.Context, p *rehearsal.Plan) (end func() error, err error) {
	folder, err := os.MkdirTemp("", "rehearsal-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for blobs: %w", err)
	}
	end = func() error { return os.RemoveAll(folder) }
	if p.DatabaseURL == "" {
		server, err := private.Start(ctx, private.Config{Fast: true})
		if err != nil {
			return nil, errors.Join(err, end())
		}
		p.DatabaseURL = server.DSN("postgres")
		end = func() error {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
			defer cancel()
			return errors.Join(server.Stop(ctx), os.RemoveAll(folder))
		}
	}
	p.DataDir, p.Lease, p.Elsewhere = folder, c.lease, c.start
	return end, nil
}

func (c *crew) start(ctx context.Context, at rehearsal.Place) (http.Handler, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return nil, c.all.Wait, fmt.Errorf("find this program: %w", err)
	}
	for n := range c.count {
		args := []string{"join", "--world", at.World, "--database-url", at.DatabaseURL, "--blobs", at.Blobs, "--public-url", at.PublicURL, "--lease", c.lease.String()}
		c.all.Go(func() {
			if n == 0 && c.killAt != "" {
				err := c.process(ctx, n+1, self, append(args, "--kill-at", c.killAt))
				if !killed(err) {
					return
				}
				c.to.note("process 1 was killed at %s; another one takes its place", c.killAt)
			}
			if err := c.process(ctx, n+1, self, args); err != nil && ctx.Err() == nil {
				c.to.note("process %d ended: %v", n+1, err)
			}
		})
	}
	return nil, c.all.Wait, nil
}

// process runs one until ctx ends.
func (c *crew) process(ctx context.Context, n int, self string, args []string) error {
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stdout, cmd.Stderr = prefixed{fmt.Sprintf("process %d: ", n), c.to}, c.to.err
	return cmd.Run()
}

func killed(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// prefixed hands a process's words on.
type prefixed struct {
	prefix string
	to     streams
}

func (p prefixed) Write(b []byte) (int, error) {
	p.to.note("%s%s", p.prefix, b)
	return len(b), nil
}
