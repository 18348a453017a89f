//go:build unix

package rootfs

import (
	"errors"
	"os"
	"syscall"
)

// syncDir flushes the names in a directory. It ignores the errors of file systems that cannot flush a directory.
func syncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return Reason(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return Reason(err)
	}
	return nil
}
