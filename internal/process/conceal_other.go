//go:build !linux

package process

// Conceal does nothing: on these systems other processes of the user cannot read the environment from a file.
func Conceal() error { return nil }
