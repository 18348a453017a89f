//go:build !linux

package dirwatch

// inOrder reports whether the system reports all changes in a directory, in order with those in other such directories. Windows and
// BSD report each directory separately.
func inOrder(string) bool { return false }
