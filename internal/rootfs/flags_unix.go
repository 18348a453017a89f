//go:build unix

package rootfs

import (
	"errors"
	"syscall"
)

// safeFlags prevent that an open blocks on a FIFO or makes a terminal the controlling terminal of the process.
const safeFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// isBusy recognizes the refusal to write into a running program.
func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// replacesNoOpenFile returns false: this system can replace an open file.
func replacesNoOpenFile(error) bool { return false }
