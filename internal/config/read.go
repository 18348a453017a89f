package config

import (
	"fmt"
	"io"
)

// MaxFile is the largest file of settings that is read, in bytes.
const MaxFile = 1 << 20

// Read reads a whole file, unless it is larger than MaxFile.
func Read(open func() (io.ReadCloser, error)) ([]byte, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err == nil && len(data) > MaxFile {
		err = fmt.Errorf("it is larger than %d bytes", MaxFile)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
