package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// killer returns a watch that kills this process without warning the nth time
// a point is reached.
func killer(at string) (func(string), error) {
	if at == "" {
		return nil, nil
	}
	point, count, ok := strings.Cut(at, ":")
	n, err := strconv.ParseInt(count, 10, 64)
	if !ok || err != nil || n < 1 {
		return nil, fmt.Errorf("--kill-at takes a point and a number, such as answered:3, not %q", at)
	}
	var seen atomic.Int64
	return func(reached string) {
		if reached == point && seen.Add(1) == n {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // until the signal arrives
		}
	}, nil
}
