package rootfs

import (
	"errors"

	"golang.org/x/sys/windows"
)

// safeFlags are none: no FIFO or device can stand in a directory, and os.Root refuses device names.
const safeFlags = 0

// isBusy recognises the refusal to write into a file that another program holds.
func isBusy(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
