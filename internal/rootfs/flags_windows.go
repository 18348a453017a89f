package rootfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// safeFlags are empty: directories contain no FIFO or device, and os.Root refuses device names.
const safeFlags = 0

// isBusy recognizes the refusal to write into a file that another program has open.
func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// replacesNoOpenFile recognizes the refusal to rename a file over an open one. NTFS allows that, unless a program has
// opened the file without FILE_SHARE_DELETE. FAT, exFAT and network shares never allow it.
func replacesNoOpenFile(err error) bool {
	return errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
}
