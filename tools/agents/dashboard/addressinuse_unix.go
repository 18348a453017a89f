//go:build !windows

package dashboard

import (
	"errors"
	"syscall"
)

// isAddressInUse reports whether another program uses the address.
func isAddressInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
