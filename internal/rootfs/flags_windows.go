package rootfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// safeFlags are none: no FIFO or device can stand in a directory, and os.Root refuses device names.
const safeFlags = 0

// isBusy recognises the refusal to write into a file that another program holds.
func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// replacesNoOpenFile recognises the refusal to rename a file over one that is open. NTFS has POSIX semantics and does that,
// unless a program has opened the file without sharing the right to delete it; FAT, exFAT and network shares never do.
func replacesNoOpenFile(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
