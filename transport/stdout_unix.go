//go:build unix

package transport

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// claimStdout returns standard output under a new descriptor. Descriptor 1
// becomes a copy of standard error.
func claimStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	if err := duplicateTo(2, 1); err != nil {
		_ = unix.Close(fd)
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd), "/dev/stdout"), nil
}

// catchSIGPIPE keeps the process alive after a client has closed its end of
// standard error. The Go runtime ends a process that writes to a broken pipe on
// descriptor 1 or 2, unless the process receives the signal. Children would
// inherit an ignored signal.
func catchSIGPIPE() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }
