package transport

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

// restrictSocket does nothing. On Windows the rights of the directory apply.
func restrictSocket(_, _ string, _ syscall.RawConn) error { return nil }

// isRefused reports whether err means that the address has no listener.
func isRefused(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
