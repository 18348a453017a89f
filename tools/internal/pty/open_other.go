//go:build !unix

package pty

import "os"

func (Size) open() (ours, theirs *os.File, err error) { return nil, nil, ErrNoTerminal }
