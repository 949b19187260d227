package private

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const temporaryName = "vivra-postgres-"

// claimTemporary makes and locks a folder for one run. It takes its lasting
// name when it is locked, so no sweep can mistake it for an abandoned one.
func claimTemporary(fast bool) (string, *os.File, error) {
	base := os.TempDir()
	if fast && roomInMemory() {
		base = memory
	}
	sweep(base)
	hidden, err := os.MkdirTemp(base, "."+temporaryName)
	if err != nil {
		return "", nil, fmt.Errorf("make temporary folder: %w", err)
	}
	dir := filepath.Join(base, filepath.Base(hidden)[1:])
	lock, err := takeLock(hidden)
	if err == nil {
		if err = os.Rename(hidden, dir); err == nil {
			return dir, lock, nil
		}
		lock.Close()
	}
	return "", nil, errors.Join(err, os.RemoveAll(hidden))
}

const memory = "/dev/shm"

// roomInMemory tells whether /dev/shm has a gigabyte left; containers often
// give it less than one cluster needs.
func roomInMemory() bool {
	var st syscall.Statfs_t
	if err := syscall.Statfs(memory, &st); err != nil {
		return false
	}
	return uint64(st.Bavail)*uint64(st.Bsize) >= 1<<30 && syscall.Access(memory, 2) == nil
}

// sweep removes the folders of runs that were killed. What can't be removed,
// such as another user's, stays.
func sweep(base string) {
	dirs, _ := filepath.Glob(filepath.Join(base, temporaryName+"*")) // the pattern is well formed
	for _, dir := range dirs {
		lock, err := takeLock(dir)
		if err != nil {
			continue
		}
		h := &home{dir: dir, cluster: filepath.Join(dir, "cluster")}
		if !h.served() {
			_ = os.RemoveAll(dir)
		}
		lock.Close()
	}
}
