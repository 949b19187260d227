package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"vivra/app/private"
)

// BenchmarkStart starts the built program on a private database that is there
// already, until it serves the first page; beside it, in the same run, that
// database alone. The memory is the program's own when it has been idle.
func BenchmarkStart(b *testing.B) {
	folder := enterable(b)
	p := program{bin: filepath.Join(folder, "vivra"), data: filepath.Join(folder, "data")}
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", p.bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v: %s", err, out)
	}
	p.start(b)() // makes the database
	var whole, alone time.Duration
	for b.Loop() {
		began := time.Now()
		stop := p.start(b)
		whole += time.Since(began)
		stop()
		alone += p.databaseAlone(b)
	}
	stop := p.start(b)
	time.Sleep(3 * time.Second) // idle is a matter of time
	resident := p.resident(b)
	stop()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(whole.Seconds()/float64(b.N), "s/first-page")
	b.ReportMetric(alone.Seconds()/float64(b.N), "s/database-alone")
	b.ReportMetric(whole.Seconds()/alone.Seconds(), "start/database")
	b.ReportMetric(resident, "MB-idle")
}

// enterable makes a folder that PostgreSQL's account can enter when this is root.
func enterable(b testing.TB) string {
	b.Helper()
	folder, err := os.MkdirTemp("", "vivra-bench-")
	if err == nil {
		b.Cleanup(func() { _ = os.RemoveAll(folder) })
		err = os.Chmod(folder, 0o711)
	}
	if err != nil {
		b.Fatal(err)
	}
	return folder
}

// program is the built binary and where it keeps its data.
type program struct {
	bin, data string
	pid       int
}

// start returns when the home page is served.
func (p *program) start(b *testing.B) (stop func()) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := exec.CommandContext(b.Context(), p.bin, "serve")
	cmd.Env = append(os.Environ(), "VIVRA_ADDR="+addr, "VIVRA_PUBLIC_URL=http://"+addr, "VIVRA_DATA_DIR="+p.data, "DATABASE_URL=")
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	for began := time.Now(); !answers("http://" + addr); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			b.Fatalf("no page within a minute: %s", &said)
		}
	}
	return func() {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			b.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			b.Errorf("it did not stop cleanly: %v", err)
		}
	}
}

func answers(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// databaseAlone is how long the database takes to answer.
func (p *program) databaseAlone(b *testing.B) time.Duration {
	b.Helper()
	began := time.Now()
	server, err := private.Start(b.Context(), private.Config{DataDir: filepath.Join(p.data, "postgres")})
	took := time.Since(began)
	if err == nil {
		err = server.Stop(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	return took
}

// resident is the program's memory in MB, without that of its database.
func (p *program) resident(b *testing.B) float64 {
	b.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.pid))
	var size, pages float64
	if err == nil {
		_, err = fmt.Sscan(string(raw), &size, &pages)
	}
	if err != nil {
		b.Fatal(err)
	}
	return pages * float64(os.Getpagesize()) / (1 << 20)
}
