package transport

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// privateSocket does nothing: the rights are those of the directory.
func privateSocket(_, _ string, _ syscall.RawConn) error { return nil }

// isRefused reports whether nobody listens where a connection was tried.
func isRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
