package process

import "os"

// Signal sends a signal to the group of the process; Kill ends all that Close
// ends.
func (c *Captured) Signal(s Signal) error {
	switch s {
	case Kill:
		return c.kill()
	case Terminate, Interrupt:
		return c.terminate()
	}
	return ErrSignal
}

// exitOf reads how a process has ended; -1 is not known.
func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
