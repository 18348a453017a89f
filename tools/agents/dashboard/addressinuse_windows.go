package dashboard

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isAddressInUse says that an address is in use by somebody else, or reserved.
func isAddressInUse(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
