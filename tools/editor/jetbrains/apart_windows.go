package jetbrains

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach has a program live on when this one is ended by its terminal.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS}
}
