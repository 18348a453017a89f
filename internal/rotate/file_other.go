//go:build !windows

package rotate

import (
	"io/fs"
	"os"
)

func (system) Rename(oldname, newname string) error { return os.Rename(oldname, newname) }

func (system) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// truncate removes all lines.
func (f *File) truncate() error { return f.file.Truncate(0) }
