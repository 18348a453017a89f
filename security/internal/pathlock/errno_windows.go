package pathlock

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isRemoving recognises the refusal to open a lock file while another process removes it.
func isRemoving(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }
