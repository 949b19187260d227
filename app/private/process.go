package private

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// process is a server that was started; err is set when done is closed.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
	err  error
}

// serve starts the server and returns when it answers.
func (h *home) serve(ctx context.Context, bin string, fast bool) (*process, error) {
	_ = os.Rename(h.log, h.log+".1") // there is none before the first start
	log, err := os.OpenFile(h.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log of database: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(filepath.Join(bin, "postgres"), h.arguments(fast)...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = environment(h.cluster), h.cluster, h.attributes(syscall.SIGINT)
	cmd.Stdout, cmd.Stderr = log, log // a file outlives us, a pipe would not
	p, err := launch(cmd)
	if err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := h.awaitReady(ctx, p); err != nil {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		_ = p.stop(stopping) // the reason it isn't ready says more
		return nil, err
	}
	return p, nil
}

func (h *home) arguments(fast bool) []string {
	settings := []string{
		"listen_addresses=", "port=" + port, "unix_socket_permissions=0700",
		`unix_socket_directories="` + strings.ReplaceAll(h.socket, `"`, `""`) + `"`,
		"logging_collector=off", "timezone=UTC", "log_timezone=UTC", "max_connections=200",
	}
	if fast {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off",
			"wal_level=minimal", "max_wal_senders=0", "min_wal_size=32MB", "max_wal_size=256MB")
	}
	args := []string{"-D", h.cluster}
	for _, s := range settings {
		args = append(args, "-c", s)
	}
	return args
}

// attributes put a program in a process group of its own, which Ctrl-C at the
// terminal does not reach, and have it sent a signal when we die.
func (h *home) attributes(death syscall.Signal) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true, Credential: h.account}
	signalOnDeath(a, death)
	return a
}

func launch(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the signal comes when this thread ends, so it waits with the server
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	return p, <-started
}

// awaitReady waits until the server of this cluster is p and takes connections.
// An answering socket alone would not tell whose it is.
func (h *home) awaitReady(ctx context.Context, p *process) error {
	for {
		if file := h.pidFile(); file.ready && file.pid == p.cmd.Process.Pid && h.answers() {
			return nil
		}
		select {
		case <-p.done:
			log, _ := os.ReadFile(h.log)
			return fmt.Errorf("PostgreSQL ended while it started: %s", lastLines(string(log)))
		case <-ctx.Done():
			return fmt.Errorf("wait for PostgreSQL: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (h *home) answers() bool {
	conn, err := net.Dial("unix", filepath.Join(h.socket, ".s.PGSQL."+port))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// stop asks for PostgreSQL's fast shutdown, then its immediate one, then kills.
func (p *process) stop(ctx context.Context) error {
	_ = p.cmd.Process.Signal(syscall.SIGINT) // fails only when it has ended
	select {
	case <-p.done:
		return p.exit()
	case <-ctx.Done():
	}
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	return errors.New("PostgreSQL did not shut down in time and was forced to; it recovers at the next start")
}

func (p *process) exit() error {
	if p.err != nil {
		return fmt.Errorf("PostgreSQL ended: %w", p.err)
	}
	return nil
}
