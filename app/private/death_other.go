//go:build !linux

package private

import "syscall"

// signalOnDeath does nothing: only Linux can. A server that outlives its
// application is found, and named, by the next start.
func signalOnDeath(*syscall.SysProcAttr, syscall.Signal) {}
