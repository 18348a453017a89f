// Package local connects to programs on this machine, by sockets or, on Windows, by named pipes.
package local

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
	"time"
)

// Conn is a connection.
type Conn interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// IsDeserted reports whether an error of Dial means that no process listens.
func IsDeserted(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}
