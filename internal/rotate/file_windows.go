package rotate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenFile opens a file that can be renamed while it is open. A file of
// os.OpenFile cannot: its handle does not share the right to delete, which a
// handle of os.Root does.
func (system) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(filepath.Base(name), flag, perm)
}

// Rename renames a file within its directory. Unlike os.Rename it replaces a file
// that another process has open.
func (system) Rename(oldname, newname string) error {
	dir, err := os.OpenRoot(filepath.Dir(oldname))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Rename(filepath.Base(oldname), filepath.Base(newname))
}

// truncate removes all lines. The open handle may only append, which does not
// include the right to truncate.
func (f *File) truncate() error {
	opened, err := f.dir().OpenFile(f.Name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := opened.Stat()
	if err == nil && f.same(info) {
		err = opened.Truncate(0)
	}
	return errors.Join(err, opened.Close())
}

// same reports whether info describes the open file.
func (f *File) same(info fs.FileInfo) bool {
	own, err := f.file.Stat()
	return err == nil && os.SameFile(own, info)
}
