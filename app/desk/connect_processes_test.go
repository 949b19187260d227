package desk_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"vivra/app/desk"
	"vivra/app/internal/testprocess"
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

// Live is ready, waits for its input to end, and posts.
func (p poster) Live(ctx context.Context, in io.Reader) error {
	d, closed, err := p.open(ctx)
	if err != nil {
		return err
	}
	defer closed()
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, in); err != nil {
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
			testprocess.Die()
		}
	}}
	d.X = x.New(x.Config{APIBaseURL: p.X, AuthBaseURL: p.X, ClientID: "us", ClientSecret: "s3", Refused: d.TokenRefused})
	return d, store.Close, nil
}

// start runs a poster until it is ready.
func start(t *testing.T, p poster) *testprocess.Process {
	t.Helper()
	started := testprocess.Start(t, posterArg, p)
	if _, ready := started.Hear(); !ready {
		t.Fatal("a process did not start")
	}
	return started
}
