package logfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Directory is a directory that is held open. It is a rotate.Dir without links: a
// name in it that is a link counts as no file.
type Directory struct{ *os.Root }

// Stat implements rotate.Dir. It does not follow a link.
func (d Directory) Stat(name string) (fs.FileInfo, error) { return d.Lstat(name) }

// OpenBelow opens a directory below top by a relative path. It creates missing directories for this user alone. It
// refuses links, because the author of the files below top must not redirect the log. A created last directory is
// excluded from git.
func OpenBelow(top, path string) (*Directory, error) {
	path = filepath.ToSlash(filepath.Clean(path))
	at, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	made := false
	for name := range strings.SplitSeq(path, "/") {
		if name == "." {
			continue
		}
		var next *os.Root
		next, made, err = child(at, name)
		_ = at.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("opening the directory %q of %s: %w", name, path, err)
		}
		at = next
	}
	if made {
		if err := at.WriteFile(".gitignore", []byte("*\n"), 0o600); err != nil {
			return nil, errors.Join(err, at.Close())
		}
	}
	return &Directory{at}, nil
}

// child opens a directory in another, or makes it.
func child(parent *os.Root, name string) (dir *os.Root, made bool, err error) {
	switch err := parent.Mkdir(name, 0o700); {
	case err == nil:
		made = true
	case !errors.Is(err, fs.ErrExist):
		return nil, false, err
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, made, err
	}
	if !info.IsDir() {
		return nil, made, errors.New("it is a link or a file, and must be a directory")
	}
	dir, err = parent.OpenRoot(name)
	if err != nil {
		return nil, made, err
	}
	opened, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errors.New("it was exchanged while it was opened")
	}
	if err != nil {
		return nil, made, errors.Join(err, dir.Close())
	}
	return dir, made, nil
}
