//go:build unix

package process

import (
	"errors"
	"syscall"
)

// endGroup kills the group that a process leads.
func endGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
