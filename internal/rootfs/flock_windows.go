package rootfs

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes an exclusive lock on an open file. It returns false if another open file has the lock, also in the
// same process. The lock ends when the file is closed or the process ends.
func TryLock(f *os.File) (bool, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return false, Reason(err)
	}
	// Lock one byte beyond any content: locks are mandatory on Windows and would block readers.
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
