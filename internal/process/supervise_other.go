//go:build !linux

package process

import "os/exec"

// Supervise does nothing: only Linux has supervisors.
func Supervise() {}

// supervise starts nothing.
func supervise(*exec.Cmd, string) (life, error) { return nil, nil }
