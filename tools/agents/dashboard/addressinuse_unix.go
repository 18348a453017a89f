//go:build !windows

package dashboard

import (
	"errors"
	"syscall"
)

// isAddressInUse says that an address is in use by somebody else.
func isAddressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
