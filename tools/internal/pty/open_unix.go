//go:build unix

package pty

import (
	"errors"
	"os"

	"github.com/creack/pty"
)

func (s Size) open() (ours, theirs *os.File, err error) {
	ours, theirs, err = pty.Open()
	if errors.Is(err, pty.ErrUnsupported) {
		return nil, nil, ErrNoTerminal
	}
	if err != nil {
		return nil, nil, err
	}
	if err := pty.Setsize(ours, &pty.Winsize{Rows: s.Rows, Cols: s.Columns}); err != nil {
		return nil, nil, errors.Join(err, ours.Close(), theirs.Close())
	}
	return ours, theirs, nil
}
