//go:build unix

package jetbrains

import (
	"os/exec"
	"syscall"
)

// setApart has a program live on when this one is ended by its terminal.
func setApart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
