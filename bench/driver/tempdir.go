package driver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TempDir makes a temporary directory in parent, whose name begins with "dougu-" and the name of the benchmark. An empty parent is the
// directory of the system for temporary files. dir is free of symbolic links. The caller calls remove at the end.
func TempDir(parent, name string) (dir string, remove func() error, err error) {
	made, err := os.MkdirTemp(parent, "dougu-"+name+"-")
	if err != nil {
		return "", nil, fmt.Errorf("making a temporary directory: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(made); err != nil {
		return "", nil, errors.Join(fmt.Errorf("resolving the temporary directory: %w", err), os.RemoveAll(made))
	}
	return dir, func() error { return os.RemoveAll(made) }, nil
}
