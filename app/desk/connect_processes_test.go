package desk_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/desk"
	"vivra/app/postgres"
	"vivra/app/seal"
	"vivra/app/x"
)

const posterArg = "be-a-poster"

// poster is a process that makes many posts at once.
type poster struct {
	Name, Database, X string
	Now               time.Time
	Posts             int
	KillAt            string // the point where it kills itself, as kill -9 does
}

func bePoster(text string) int {
	var p poster
	err := json.Unmarshal([]byte(text), &p)
	if err == nil {
		err = p.live(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// live is ready, waits for its input to end, and posts.
func (p poster) live(ctx context.Context) error {
	d, closed, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	var all sync.WaitGroup
	faults := make(chan error, p.Posts)
	for n := range p.Posts {
		all.Go(func() {
			a, err := d.Account(ctx, handle)
			if err == nil {
				_, err = d.X.CreatePost(ctx, a.AccessToken, x.PostRequest{Text: fmt.Sprintf("%s says %d", p.Name, n)})
			}
			if err != nil {
				faults <- err
			}
		})
	}
	all.Wait()
	close(faults)
	return <-faults
}

func (p poster) open(ctx context.Context) (*desk.Desk, func(), error) {
	store, err := postgres.Open(ctx, p.Database)
	if err != nil {
		return nil, nil, err
	}
	key, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		return nil, nil, err
	}
	d := &desk.Desk{Store: store, Seal: key, Clock: clockwork.NewFakeClockAt(p.Now), Reached: func(point string) {
		if point == p.KillAt {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}}
	d.X = x.New(x.Config{APIBaseURL: p.X, AuthBaseURL: p.X, ClientID: "us", ClientSecret: "s3", Refused: d.TokenRefused})
	return d, store.Close, nil
}

// starting is another process that a test has started.
type starting struct {
	cmd *exec.Cmd
	in  io.Closer
}

// start runs a poster until it is ready.
func start(t *testing.T, p poster) *starting {
	t.Helper()
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	s := &starting{cmd: exec.CommandContext(t.Context(), os.Args[0], posterArg, string(text))}
	s.cmd.Stderr = t.Output()
	s.in, err = s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("a process did not start")
	}
	return s
}

// ends lets it post and waits for its end: killed tells how that came.
func (s *starting) ends(t *testing.T) (ok, killed bool) {
	t.Helper()
	_ = s.in.Close()
	_ = s.cmd.Wait() // ProcessState tells
	status, _ := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return s.cmd.ProcessState.Success(), status.Signaled() && status.Signal() == syscall.SIGKILL
}
