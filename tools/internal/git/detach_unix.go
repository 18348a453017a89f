//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// detach starts the command in a new session, so that neither git nor ssh can ask questions on the terminal of this process.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
