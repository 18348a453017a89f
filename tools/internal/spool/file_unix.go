//go:build unix

package spool

import "os"

// create creates a file and removes its name.
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

// discard closes the file.
func discard(file *os.File) error { return file.Close() }
