// Package testlog keeps what a test's subject logs, to be read while it is written.
package testlog

import (
	"bytes"
	"sync"
)

// Lines is a log. It is safe for concurrent use; the zero value is ready.
type Lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *Lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *Lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
