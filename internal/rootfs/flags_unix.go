//go:build unix

package rootfs

import (
	"errors"
	"syscall"
)

// safeFlags keep an open from blocking on a FIFO and from taking a terminal as the process's own.
const safeFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// isBusy recognises the refusal to write into a program that is running.
func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// replacesNoOpenFile is for Windows; see flags_windows.go.
func replacesNoOpenFile(error) bool { return false }
