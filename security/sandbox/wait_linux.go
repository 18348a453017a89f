package sandbox

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// reap removes children that have ended, and reports whether others are left.
func reap() bool {
	for {
		switch child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case child == 0:
			return true
		}
	}
}

// awaitExit waits for the end of the process of a pidfd. It returns false at once if the descriptor is not open.
func awaitExit(pidfd int32) bool {
	for {
		fds := []unix.PollFd{{Fd: pidfd, Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		}
		return fds[0].Revents&unix.POLLIN != 0
	}
}
