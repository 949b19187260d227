package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// killAt names a labelled point of a run or publication, and which of the times
// that it is reached.
type killAt struct {
	point string
	nth   int64
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (k *killAt) UnmarshalText(text []byte) (err error) {
	point, count, ok := strings.Cut(string(text), ":")
	k.point = point
	if k.nth, err = strconv.ParseInt(count, 10, 64); !ok || err != nil || k.nth < 1 || point == "" {
		return fmt.Errorf("it takes a point and a number, such as answered:3, not %q", text)
	}
	return nil
}

// String is how the flag is written, empty when it is not.
func (k killAt) String() string {
	if k.point == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", k.point, k.nth)
}

// watch kills this process without warning when the time has come.
func (k killAt) watch() func(string) {
	if k.point == "" {
		return nil
	}
	var seen atomic.Int64
	return func(reached string) {
		if reached == k.point && seen.Add(1) == k.nth {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}
}
