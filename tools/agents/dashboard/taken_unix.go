//go:build !windows

package dashboard

import (
	"errors"
	"syscall"
)

// taken says that an address is in use by somebody else.
func taken(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
