//go:build unix

package spool

import "os"

// create makes a file that has no name any more.
func create(dir string) (*os.File, error) {
	if err := prepare(dir); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(dir, "dougu-output-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name())
	return file, nil
}

func discard(file *os.File) error { return file.Close() }
