// Package pty opens pseudo-terminals for package process, apart from it, so that
// who needs none does not link what makes them.
package pty

import (
	"errors"
	"os"
)

// ErrNoTerminal is the error for a pseudo-terminal on a system that has none here,
// such as Windows.
var ErrNoTerminal = errors.New("there are no pseudo-terminals on this system")

// Size is that of a terminal, in characters.
type Size struct{ Rows, Columns uint16 }

// Open makes a pseudo-terminal: ours is read and written, theirs is for a child.
// It is meant for process.CaptureOptions.
func (s Size) Open() (ours, theirs *os.File, err error) { return s.open() }
