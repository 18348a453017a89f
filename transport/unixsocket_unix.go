//go:build unix

package transport

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// restrictSocket sets mode 0600 on a socket before it is bound to its path. On
// Linux the socket file gets this mode, so that other users cannot connect
// before listenUnix calls chmod.
func restrictSocket(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) }) // an error on other systems
}

// isRefused reports whether err means that the address has no listener.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
