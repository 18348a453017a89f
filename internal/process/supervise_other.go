//go:build !linux

package process

import "os/exec"

// Supervise keeps children from the files that the parent of this program has left open, see CloseFilesOnExec. Only Linux
// has supervisors.
func Supervise() { CloseFilesOnExec() }

// supervise starts nothing.
func supervise(*exec.Cmd, string) (life, error) { return nil, nil }
