package private

import "syscall"

func signalOnDeath(a *syscall.SysProcAttr, s syscall.Signal) { a.Pdeathsig = s }
