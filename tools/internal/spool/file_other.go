//go:build !unix

package spool

import (
	"errors"
	"os"
)

// create creates a file that discard removes. The system does not allow removing an open file.
func create(dir string) (*os.File, error) {
	if err := prepare(dir); err != nil {
		return nil, err
	}
	return os.CreateTemp(dir, "dougu-output-*")
}

// discard closes and removes the file.
func discard(file *os.File) error { return errors.Join(file.Close(), os.Remove(file.Name())) }
