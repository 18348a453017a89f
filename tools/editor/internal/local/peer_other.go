//go:build !linux

package local

import "io"

// PeerPID returns the process that listens at the other end of a Unix socket, or 0 if it is not known. It is known on Linux only.
func PeerPID(io.ReadWriteCloser) int { return 0 }

// Arguments returns the arguments of a process without its name, or nil if they are not known. They are known on Linux only.
func Arguments(int) []string { return nil }

// OpenFiles returns paths of files that a process has open, or nil if they are not known. They are known on Linux only.
func OpenFiles(int) []string { return nil }

// WorkingDir returns the working directory of a process, or "" if it is not known. It is known on Linux only.
func WorkingDir(int) string { return "" }
