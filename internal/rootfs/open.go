package rootfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// Opened is a regular file or a directory that was opened for reading.
type Opened struct {
	*os.File
	Info fs.FileInfo // of the open object
	Path string      // its final path: relative to the root, with slashes, without links
}

// Open opens what the path leads to for reading, and tells what was really opened. Path is relative to the root, with slashes;
// it may hold ".." and links as long as they stay inside. The call never blocks on a FIFO or a device.
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

// OpenFile opens a regular file for reading, wherever the links of its path lead. Any other object is an error, and the call never
// blocks on a FIFO or a device.
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

// OpenRegular is Open for regular files alone: a directory is an error, too.
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

// Stat describes what the path leads to, and tells its final path. It opens nothing for reading; a FIFO and the like is
// ErrIrregular.
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

// openDirect lets the kernel follow the path, if it can be told to refuse every link and every way out. The name is then the
// final path. ok is false when that did not work for any reason: the caller goes step by step and learns the reason.
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

// fail says at which entry of the place an operation failed: at the first directory that is missing, if there is one.
func (p *Place) fail(err error) error {
	name := p.Name
	if len(p.Missing) > 0 {
		name = p.Missing[0]
	}
	return &StepError{Dir: p.dirPath, Name: name, Err: err}
}
