//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// alone takes the terminal of this program from a command, so that neither it nor
// ssh can ask there.
func alone(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
