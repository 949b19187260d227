package private

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"vivra/app"
)

// version is the major version that made the cluster, empty when there is none.
func (h *home) version() string {
	b, err := os.ReadFile(filepath.Join(h.cluster, "PG_VERSION"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// initialise makes the cluster beside its place and moves it there when it is
// whole, so that an interrupted start leaves nothing that looks like one.
func (h *home) initialise(ctx context.Context, bin string, cfg Config) error {
	if h.version() != "" {
		return nil
	}
	if cfg.DataDir != "" {
		tell(cfg.Log, "Making a private PostgreSQL database in %s (first start only).", h.dir)
	}
	fresh := h.cluster + ".new"
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("remove half-made cluster: %w", err)
	}
	if err := h.own(fresh); err != nil {
		return err
	}
	if err := h.initdb(ctx, bin, fresh, cfg.Fast); err != nil {
		return err
	}
	if err := os.Rename(fresh, h.cluster); err != nil {
		return fmt.Errorf("put cluster in its place: %w", err)
	}
	return nil
}

func (h *home) initdb(ctx context.Context, bin, dir string, fast bool) error {
	args := []string{"-D", dir, "-U", role, "--auth-local=trust", "--auth-host=reject", "-E", "UTF8", "--locale=C.UTF-8"}
	if fast {
		args = append(args, "--no-sync")
	}
	runtime.LockOSThread() // the death of the thread would be taken for ours
	defer runtime.UnlockOSThread()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), args...)
	cmd.Env, cmd.Dir, cmd.SysProcAttr = environment(dir), dir, h.attributes(syscall.SIGKILL)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, lastLines(string(out)))
	}
	return nil
}

// pidFile is what postmaster.pid says; the zero value when there is none.
type pidFile struct {
	pid   int
	ready bool
}

func (h *home) pidFile() pidFile {
	b, err := os.ReadFile(filepath.Join(h.cluster, "postmaster.pid"))
	if err != nil {
		return pidFile{}
	}
	lines := strings.Split(string(b), "\n")
	pid, _ := strconv.Atoi(lines[0])
	return pidFile{pid: pid, ready: len(lines) > 7 && strings.TrimSpace(lines[7]) == "ready"}
}

// awaitPredecessor waits for a server whose application died a moment ago and
// that is still shutting down.
func (h *home) awaitPredecessor(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for h.served() {
		select {
		case <-ctx.Done():
			return app.Errorf(app.Conflict, "The database in %s is served by another PostgreSQL (process %d). Stop that one first.", h.dir, h.pidFile().pid)
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// served tells whether the process that postmaster.pid names is a PostgreSQL
// that lives. Where the kernel doesn't say, PostgreSQL's own check decides.
func (h *home) served() bool {
	pid := h.pidFile().pid
	if pid <= 0 {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(stat), "(postgres) ") && !strings.Contains(string(stat), "(postgres) Z")
}

// environment is everything the programs may see: no PG* variable of ours.
func environment(dir string) []string {
	return []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + dir}
}

// lastLines returns the end of a program's output, short enough for an error.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}
