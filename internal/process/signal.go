package process

import (
	"errors"
	"fmt"
	"strings"
)

// Signal is the name of a signal for a process tree.
type Signal string

// The signals. Windows knows Interrupt and Terminate, which are Ctrl+Break there,
// and Kill.
const (
	Terminate Signal = "TERM"
	Interrupt Signal = "INT"
	Hangup    Signal = "HUP"
	Quit      Signal = "QUIT"
	User1     Signal = "USR1"
	User2     Signal = "USR2"
	Kill      Signal = "KILL"
)

// Signals returns all signals.
func Signals() []Signal {
	return []Signal{Terminate, Interrupt, Hangup, Quit, User1, User2, Kill}
}

// ErrSignal means that the system does not have the signal.
var ErrSignal = errors.New("there is no such signal on this system")

// errUnreachable is the error for a process tree that cannot receive a signal on
// Windows. It can be killed.
var errUnreachable = errors.New("the process cannot receive a signal")

// Exit describes the end of a process.
type Exit struct {
	// Code is the exit code. After a signal it is 128 plus the number of the signal, as in a shell.
	Code int
	// Signal is the name of the signal that ended the process, such as SIGKILL, or "signal 34" without a name. It is
	// "" after a normal exit.
	Signal string
}

// String returns the exit code or the signal, with the word for it.
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal " + strings.TrimPrefix(e.Signal, "signal ")
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
