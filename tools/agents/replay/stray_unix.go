//go:build unix

package replay

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ignoreSignals makes the process ignore termination signals.
func ignoreSignals() { signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP) }

// startStray starts a process that outlives this one.
func startStray(how string) {
	cmd := exec.Command("sleep", "86400")
	if how == "session" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	} else {
		cmd.Stdout = os.Stdout // which it holds open
	}
	_ = cmd.Start() // it is only missed
}
