//go:build !linux

package rootfs

import (
	"errors"
	"os"
	"syscall"
)

const statFlags = 0

// openBeneath has no counterpart here: every path is followed step by step.
func openBeneath(syscall.RawConn, string, int) (*os.File, error) {
	return nil, errors.ErrUnsupported
}
