//go:build !unix

package replay

// ignoreSignals does nothing on this system.
func ignoreSignals() {}

// startStray does nothing on this system.
func startStray(string) {}
