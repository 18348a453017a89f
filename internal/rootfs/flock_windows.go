package rootfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes an exclusive lock on an open file, or reports false when somebody has it. The lock ends when the file is
// closed, however the process ends. It holds between processes and between files opened separately in one process.
func TryLock(f *os.File) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, Reason(err)
	}
	// One byte far behind any content: locks are mandatory here, and a reader must not meet this one.
	at := windows.Overlapped{OffsetHigh: 0x7fffffff}
	var locked error
	err = conn.Control(func(fd uintptr) {
		locked = windows.LockFileEx(windows.Handle(fd), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	})
	if err != nil {
		return false, Reason(err)
	}
	if errors.Is(locked, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return locked == nil, locked
}
