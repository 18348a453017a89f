//go:build !linux

package descriptor

import "runtime"

// CloseOnExec keeps the programs that this one runs from its open files, except for the standard streams and the
// files that they are given. On Windows that is so already.
func CloseOnExec() {
	switch runtime.GOOS {
	case "windows":
	case "darwin", "ios":
		markOpenFiles("/dev/fd")
	default:
		markOpenFiles("") // the list may be incomplete
	}
}
