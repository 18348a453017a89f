package config

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/dougu-go/dougu/internal/rootfs"
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

// ReadFile reads a regular file, wherever links lead, unless it is larger than MaxFile.
// A FIFO, a device or a directory is an error at once: opening does not block.
func ReadFile(path string) ([]byte, error) {
	return Read(func() (io.ReadCloser, error) { return rootfs.OpenFile(path) })
}

// ReadProjectFile is ReadFile for a file that a project brings: a link that leads out
// of the directory of the file is an error.
func ReadProjectFile(path string) ([]byte, error) {
	dir, err := rootfs.Open(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return Read(func() (io.ReadCloser, error) { return dir.OpenRegular(filepath.Base(path)) })
}
