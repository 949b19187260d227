package private_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vivra/app/private"
)

// TestMain lets this binary stand in for an application that can be killed.
func TestMain(m *testing.M) {
	if dir, ok := os.LookupEnv("PRIVATE_TEST_APPLICATION"); ok {
		application(dir)
	}
	os.Exit(m.Run())
}

// application serves dir until it is killed, or stops when its input ends.
func application(dir string) {
	ctx := context.Background()
	s, err := private.Start(ctx, private.Config{DataDir: dir, Fast: true})
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	fmt.Println(s.DSN("postgres"))
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := s.Stop(ctx); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run starts an application and returns it with the first line it said.
func run(t *testing.T, binary, dir string, as *syscall.Credential) (*exec.Cmd, io.Closer, string) {
	t.Helper()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "PRIVATE_TEST_APPLICATION="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "failed") {
		t.Fatalf("application said %q, %v", line, err)
	}
	return cmd, in, strings.TrimSpace(line)
}

func TestKilledApplicationLeavesACleanShutdown(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	killed, _, _ := run(t, os.Args[0], dir, nil)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()

	start(t, dir) // at once: the old server may still be on its way out
	log, err := os.ReadFile(filepath.Join(dir, "server.log.1"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "database system is shut down") {
		t.Errorf("the server did not shut down cleanly:\n%s", log)
	}
	if log, _ = os.ReadFile(filepath.Join(dir, "server.log")); strings.Contains(string(log), "interrupted") {
		t.Errorf("the next server had to recover:\n%s", log)
	}
}

func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("the other tests run as an ordinary user already")
	}
	const nobody = 65534
	dir := folder(t)
	binary := filepath.Join(dir, "application")
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd, in, dsn := run(t, binary, filepath.Join(dir, "data"), &syscall.Credential{Uid: nobody, Gid: nobody})
	if !strings.Contains(dsn, "user=vivra") {
		t.Errorf("got %q", dsn)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTemporaryFolderGoesAway(t *testing.T) {
	t.Parallel()
	s := start(t, "")
	dir := home(t, s.DSN("postgres"))
	if _, err := os.Stat(filepath.Join(dir, "cluster")); err != nil {
		t.Error(err)
	}
	stop(t, s)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("%s is left over: %v", dir, err)
	}
}

func TestAbandonedTemporaryFolderIsSwept(t *testing.T) {
	t.Parallel()
	killed, _, dsn := run(t, os.Args[0], "", nil)
	abandoned := home(t, dsn)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	for range 10 { // until the abandoned server has shut down, sweeps leave it
		start(t, "")
		if _, err := os.Stat(abandoned); os.IsNotExist(err) {
			return
		}
	}
	t.Errorf("%s is still there", abandoned)
}

// home is the folder of the server that dsn is of.
func home(t *testing.T, dsn string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(u.Query().Get("host"))
}
