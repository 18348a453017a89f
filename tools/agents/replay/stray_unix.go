//go:build unix

package replay

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ignore has the process ignore the signals by which it is asked to end.
func ignore() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

// stray starts a process that nobody waits for.
func stray(how string) {
	cmd := exec.Command("sleep", "86400")
	if how == "session" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd.Stdout = os.Stdout // which it holds open
	}
	_ = cmd.Start() // it is only missed
}
