//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the group of the process; Kill ends all that Close
// ends.
func (c *Captured) Signal(s Signal) error {
	if s == Kill {
		return c.kill()
	}
	number := unix.SignalNum("SIG" + string(s))
	if number == 0 {
		return ErrSignal
	}
	return c.signalTree(number)
}

// exitOf reads how a process has ended.
func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{Code: -1} // other code has called wait for the process
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok {
		return exitOfStatus(status)
	}
	return Exit{Code: state.ExitCode()}
}

func exitOfStatus(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		name := unix.SignalName(status.Signal())
		if name == "" { // signals for real time have numbers alone
			name = "signal " + strconv.Itoa(int(status.Signal()))
		}
		return Exit{Code: 128 + int(status.Signal()), Signal: name}
	}
	return Exit{Code: status.ExitStatus()}
}

// lifeSignals are the signals that can be sent to a process.
type lifeSignals interface {
	// signalTree signals the group of the process, or if it has ended, its descendants.
	signalTree(sig syscall.Signal) error
}
