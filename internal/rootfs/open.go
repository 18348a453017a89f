package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Opened is a regular file or a directory that is open for reading.
type Opened struct {
	*os.File
	Info fs.FileInfo // of the open object
	Path string      // its final path: relative to the root, with slashes, without links
}

// Open opens the file or directory at a path for reading and returns its final path. name is relative to the root,
// with slashes; it may contain ".." and links that stay inside. Open never blocks on a FIFO or a device.
func (r *Root) Open(name string) (*Opened, error) {
	if f, info, ok := r.openDirect(name, os.O_RDONLY|safeFlags); ok {
		if err := servable(info.Mode()); err != nil {
			f.Close()
			return nil, r.stepError(name, err)
		}
		return &Opened{File: f, Info: info, Path: path.Clean(name)}, nil
	}
	for range maxRaces {
		opened, err := r.openStepwise(name)
		if !errors.Is(err, ErrChanged) {
			return opened, err
		}
	}
	return nil, r.stepError(name, ErrChanged)
}

// OpenFile opens a regular file for reading and follows all links. Other objects are an error. It never blocks on a
// FIFO or a device.
func OpenFile(name string) (*Opened, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	dir, err := Open(filepath.Dir(real))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenRegular(filepath.Base(real))
}

// OpenRegular is Open for regular files only; a directory is ErrDirectory.
func (r *Root) OpenRegular(name string) (*Opened, error) {
	f, err := r.Open(name)
	if err == nil && !f.Info.Mode().IsRegular() {
		f.Close()
		err = ErrIrregular
	}
	if err != nil {
		if errors.Is(err, ErrIrregular) {
			err = fmt.Errorf("%s is not a regular file: %w", name, err)
		}
		return nil, err
	}
	return f, nil
}

func (r *Root) openStepwise(name string) (*Opened, error) {
	place, err := r.walk(name, true)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	f, info, err := place.Open()
	if err != nil {
		return nil, place.fail(err)
	}
	return &Opened{File: f, Info: info, Path: place.Path}, nil
}

// Stat returns the description and the final path of the object at a path. It opens nothing for reading. Objects
// other than files and directories are ErrIrregular.
func (r *Root) Stat(name string) (fs.FileInfo, string, error) {
	if f, info, ok := r.openDirect(name, statFlags); ok {
		f.Close()
		if err := servable(info.Mode()); err != nil {
			return nil, "", r.stepError(name, err)
		}
		return info, path.Clean(name), nil
	}
	return r.describe(name, true)
}

// Lstat is Stat without following a link in the last name.
func (r *Root) Lstat(name string) (fs.FileInfo, string, error) {
	return r.describe(name, false)
}

func (r *Root) describe(name string, follow bool) (fs.FileInfo, string, error) {
	place, err := r.walk(name, follow)
	if err != nil {
		return nil, "", err
	}
	defer place.Close()
	if place.Info == nil {
		return nil, "", place.fail(fs.ErrNotExist)
	}
	if err := servable(place.Info.Mode()); err != nil && (follow || err != ErrLink) {
		return nil, "", place.fail(err)
	}
	return place.Info, place.Path, nil
}

// openDirect opens the path with one call of openat2 that refuses links. On success, name is the final path. ok is
// false after any failure; the caller then follows the path step by step, which yields the exact error.
func (r *Root) openDirect(name string, flags int) (*os.File, fs.FileInfo, bool) {
	if path.Clean(name) != name || path.IsAbs(name) || pathLooksAliased(name) {
		return nil, nil, false
	}
	f, err := openBeneath(r.conn, name, flags)
	if err != nil {
		return nil, nil, false
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, false
	}
	return f, info, true
}

func (r *Root) stepError(name string, err error) error {
	dir, last := split(path.Clean(name))
	return &StepError{Dir: dir, Name: last, Err: err}
}

// fail returns err as a StepError: at the first missing directory, if there is one, otherwise at the entry.
func (p *Place) fail(err error) error {
	name := p.Name
	if len(p.Missing) > 0 {
		name = p.Missing[0]
	}
	return &StepError{Dir: p.dirPath, Name: name, Err: err}
}
