// Package pty opens pseudo-terminals for package process. It is separate, so that programs without terminals do not link its
// dependency.
package pty

import (
	"errors"
	"os"
)

// ErrNoTerminal is returned on systems without pseudo-terminals, for example Windows.
var ErrNoTerminal = errors.New("there are no pseudo-terminals on this system")

// Size is the size of a terminal in characters.
type Size struct{ Rows, Columns uint16 }

// Open opens a pseudo-terminal. The caller reads and writes ours; theirs is for the child. The caller closes both. It is used for
// process.CaptureOptions.
func (s Size) Open() (ours, theirs *os.File, err error) { return s.open() }
