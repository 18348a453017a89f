//go:build unix

package security

import (
	"errors"
	"syscall"
)

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isTooLong(err error) bool { return errors.Is(err, syscall.ENAMETOOLONG) }

func isReadOnlyDisk(err error) bool { return errors.Is(err, syscall.EROFS) }

func isBusy(err error) bool {
	return errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EWOULDBLOCK)
}
