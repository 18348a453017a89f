package process

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the child killed when the thread that starts it ends.
func dieWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// isMainThread reports whether this goroutine runs on the main thread, which
// never ends.
func isMainThread() bool { return os.Getpid() == unix.Gettid() }
