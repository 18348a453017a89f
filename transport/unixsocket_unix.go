//go:build unix

package transport

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// privateSocket takes the rights of others from a socket before it has a name,
// which Linux then heeds: nobody gets in between the making and the chmod.
func privateSocket(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) { _ = unix.Fchmod(int(fd), 0o600) }) // others than Linux refuse it
}

// isRefused reports whether nobody listens where a connection was tried.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
