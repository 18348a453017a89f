package process

import (
	"errors"
	"fmt"
	"strings"
)

// Signal names what a process tree is sent.
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

// Signals lists all of them.
func Signals() []Signal {
	return []Signal{Terminate, Interrupt, Hangup, Quit, User1, User2, Kill}
}

// ErrSignal is the error for a signal that the system does not have.
var ErrSignal = errors.New("there is no such signal on this system")

// errUnreachable is the error for a process tree that cannot receive a signal on
// Windows. It can be killed.
var errUnreachable = errors.New("the process cannot receive a signal")

// Exit is how a process has ended.
type Exit struct {
	// Code is its exit code, and 128 and the number of the signal if one has ended
	// it, as a shell has it.
	Code int
	// Signal is the name of that signal, such as SIGKILL, or "signal 34" if it has none; else it is empty.
	Signal string
}

// String returns the exit code or the signal, with the word for it.
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal " + strings.TrimPrefix(e.Signal, "signal ")
	}
	return fmt.Sprintf("exit code %d", e.Code)
}
