//go:build unix

package transport

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// claimStdout returns the real standard output under another descriptor and
// leaves standard error in its place.
func claimStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := dupOver(2, 1); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), "/dev/stdout"), nil
}

// surviveClosedStderr keeps the process alive, to its own end, when a client
// closes its end of standard error: Go ends a process that writes to a broken
// pipe on descriptor 1 or 2, unless it asks for the signal. Ignoring the signal
// instead would be inherited by children.
func surviveClosedStderr() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
