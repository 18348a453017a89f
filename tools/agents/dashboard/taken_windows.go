package dashboard

import (
	"errors"

	"golang.org/x/sys/windows"
)

// taken says that an address is in use by somebody else, or reserved.
func taken(err error) bool {
	return errors.Is(err, windows.WSAEADDRINUSE) || errors.Is(err, windows.WSAEACCES)
}
