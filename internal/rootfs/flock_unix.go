//go:build unix

package rootfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock takes an exclusive lock on an open file, or reports false when somebody has it. The lock ends when the file is
// closed, however the process ends. It holds between processes and between files opened separately in one process.
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
