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

// lifeSignals is empty: Windows has no signals besides terminate and kill.
type lifeSignals interface{}

// exitOf reads how a process has ended; -1 is not known.
func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
