//go:build unix

package pathlock

// isRemoving is for Windows; see errno_windows.go.
func isRemoving(error) bool { return false }
