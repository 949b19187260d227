package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// crowd are viewers that note what they get, and when.
type crowd struct {
	address, path string
	resumes       bool // the server knows where a viewer stopped

	mu       sync.Mutex
	told     []time.Time // when line n+1 was asked for
	took     []int64     // deliveries, by milliseconds
	bytes    atomic.Int64
	lines    atomic.Int64
	gaps     atomic.Int64
	repeats  atomic.Int64
	open     atomic.Int64
	measures atomic.Bool
}

const slowest = 60_000 // milliseconds; what takes longer counts as that

// ask notes that a line is asked for now.
func (c *crowd) ask() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, time.Now())
}

// got notes a line that has come.
func (c *crowd) got(number int) {
	if !c.measures.Load() {
		return
	}
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if number < 1 || number > len(c.told) {
		return
	}
	c.took[min(now.Sub(c.told[number-1]).Milliseconds(), slowest-1)]++
	c.lines.Add(1)
}

// percentile is how long it took at most for a share of the deliveries.
func (c *crowd) percentile(share float64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all, sum int64
	for _, n := range c.took {
		all += n
	}
	for ms, n := range c.took {
		if sum += n; all > 0 && float64(sum) >= share*float64(all) {
			return time.Duration(ms+1) * time.Millisecond
		}
	}
	return 0
}

// view is one viewer until ctx ends. It loses its connection after a while, when
// that is more than 0, and comes back.
func (c *crowd) view(ctx context.Context, breaks time.Duration) {
	seen := -1
	for ctx.Err() == nil {
		c.connect(ctx, &seen, breaks)
		breaks = 0
		if !c.resumes {
			seen = -1
		}
	}
}

func (c *crowd) connect(ctx context.Context, seen *int, breaks time.Duration) {
	conn, err := c.dial(ctx, *seen)
	if err != nil {
		time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) //nolint:gosec // no secret
		return
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if breaks > 0 {
		cut := time.AfterFunc(breaks, func() { conn.Close() })
		defer cut.Stop()
	}
	c.open.Add(1)
	defer c.open.Add(-1)
	lines := bufio.NewReaderSize(conn, 1024)
	for {
		line, err := lines.ReadSlice('\n')
		c.bytes.Add(int64(len(line)))
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
		if number, ok := bytes.CutPrefix(line, []byte("id: ")); ok {
			c.count(seen, number)
		}
	}
}

func (c *crowd) count(seen *int, text []byte) {
	number, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	if err != nil {
		return
	}
	switch {
	case *seen >= 0 && number > *seen+1:
		c.gaps.Add(int64(number - *seen - 1))
	case *seen >= 0 && number <= *seen:
		c.repeats.Add(1)
	}
	*seen = number
	c.got(number)
}

func (c *crowd) dial(ctx context.Context, seen int) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", c.address)
	if err != nil {
		return nil, err
	}
	resume := ""
	if seen >= 0 && c.resumes {
		resume = fmt.Sprintf("Last-Event-ID: %d\r\n", seen)
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n", c.path, resume); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// stall has the page open and reads nothing.
func (c *crowd) stall(ctx context.Context) {
	conn, err := c.dial(ctx, -1)
	if err != nil {
		return
	}
	defer conn.Close()
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetReadBuffer(4096) // a hint: it fills up sooner
	}
	<-ctx.Done()
}
