package dashboard

import (
	"errors"

	"golang.org/x/sys/windows"
)

// isAddressInUse reports whether another program uses or has reserved the address.
func isAddressInUse(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
