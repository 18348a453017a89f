//go:build unix

package jetbrains

import (
	"os/exec"
	"syscall"
)

// detach has a program live on when this one is ended by its terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
