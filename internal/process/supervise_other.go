//go:build !linux

package process

import (
	"os/exec"

	"github.com/dougu-go/dougu/internal/descriptor"
)

// Supervise keeps children from the files that the parent of this program has left open, see descriptor.CloseOnExec. Only Linux
// has supervisors.
func Supervise() { descriptor.CloseOnExec() }

// supervise starts nothing.
func supervise(*exec.Cmd, string) (life, error) { return nil, nil }
