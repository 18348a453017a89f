//go:build !unix

package spool

import (
	"errors"
	"os"
)

// create makes a file that is removed once it is closed: before that the system
// does not allow it.
func create(dir string) (*os.File, error) {
	if err := prepare(dir); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, "dougu-output-*")
}

func discard(file *os.File) error { return errors.Join(file.Close(), os.Remove(file.Name())) }
