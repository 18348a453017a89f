//go:build unix

package rootfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes an exclusive lock on an open file. It returns false if another open file has the lock, also in the
// same process. The lock ends when the file is closed or the process ends.
func TryLock(f *os.File) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, Reason(err)
	}
	var locked error
	if err := conn.Control(func(fd uintptr) { locked = unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		return false, Reason(err)
	}
	if errors.Is(locked, unix.EWOULDBLOCK) || errors.Is(locked, unix.EINTR) {
		return false, nil
	}
	return locked == nil, locked
}
