//go:build !linux

package serverinstall

// keepsFormer reports whether an installation keeps the version before it, which may be running.
const keepsFormer = true

// isRunning returns false: running programs are not known here.
func isRunning(string) bool { return false }
