package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Dir is a directory held open: its entries are read, and its files and directories are opened, without walking there again.
// No method follows a link. One goroutine at a time may call Next; the other methods may be called from several.
type Dir struct {
	// Path is the final path of the directory; "." is the root.
	Path string
	// Info describes the directory.
	Info fs.FileInfo

	handle *os.Root
	list   *os.File
}

// Entry is one entry of a directory.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only: 0 is a regular file, fs.ModeDir a directory, fs.ModeSymlink a link
}

// OpenDir opens the directory that a path leads to.
func (r *Root) OpenDir(name string) (*Dir, error) {
	for range maxRaces {
		dir, err := r.openDirStepwise(name)
		if !errors.Is(err, ErrChanged) {
			return dir, err
		}
	}
	return nil, r.stepError(name, ErrChanged)
}

func (r *Root) openDirStepwise(name string) (*Dir, error) {
	place, err := r.walk(name, true)
	if err != nil {
		return nil, err
	}
	defer place.Close()
	if place.Info == nil {
		return nil, place.fail(fs.ErrNotExist)
	}
	dir, err := openDir(place.dir, place.Name, place.Path, place.Info)
	if err != nil {
		return nil, place.fail(err)
	}
	return dir, nil
}

// openDir opens an entry, which must be the directory that info describes.
func openDir(parent *os.Root, name, final string, info fs.FileInfo) (*Dir, error) {
	if !info.IsDir() {
		if err := servable(info.Mode()); err != nil {
			return nil, err
		}
		return nil, ErrNotDirectory
	}
	handle, err := openChild(parent, name, info)
	if err != nil {
		return nil, err
	}
	list, err := openList(handle)
	if err != nil {
		handle.Close()
		return nil, Reason(err)
	}
	return &Dir{Path: final, Info: info, handle: handle, list: list}, nil
}

// Close releases the directory.
func (d *Dir) Close() error {
	err := d.list.Close()
	if e := d.handle.Close(); err == nil {
		err = e
	}
	return err
}

// Next returns up to n further entries, or some when n is not positive, in the order of the file system, and io.EOF after the
// last. Temporary files of this package are left out, so a batch may be short, but it is never empty without an error.
func (d *Dir) Next(n int) ([]Entry, error) {
	if n <= 0 {
		n = 256
	}
	for {
		listed, err := d.list.ReadDir(n)
		if err != nil && err != io.EOF {
			err = Reason(err)
		}
		entries := make([]Entry, 0, len(listed))
		for _, e := range listed {
			if !IsTemp(e.Name()) {
				entries = append(entries, Entry{Name: e.Name(), Type: e.Type()})
			}
		}
		if len(entries) > 0 {
			return entries, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Lstat describes an entry, a link itself.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	info, err := d.handle.Lstat(name)
	return info, Reason(err)
}

// Open opens a file or directory among the entries for reading.
func (d *Dir) Open(name string) (*Opened, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	final := join(d.Path, name)
	for range maxRaces {
		info, err := d.handle.Lstat(name)
		if err != nil {
			return nil, &StepError{Dir: d.Path, Name: name, Err: Reason(err)}
		}
		if err := servable(info.Mode()); err != nil {
			return nil, &StepError{Dir: d.Path, Name: name, Err: err}
		}
		f, info, err := openVerified(d.handle, name, info, os.O_RDONLY)
		if err == nil {
			return &Opened{File: f, Info: info, Path: final}, nil
		}
		if err != ErrChanged {
			return nil, &StepError{Dir: d.Path, Name: name, Err: err}
		}
	}
	return nil, &StepError{Dir: d.Path, Name: name, Err: ErrChanged}
}

// OpenDir opens a directory among the entries.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	err := error(ErrChanged)
	for tries := 0; tries < maxRaces && errors.Is(err, ErrChanged); tries++ {
		var info fs.FileInfo
		if info, err = d.handle.Lstat(name); err != nil {
			err = Reason(err)
			break
		}
		var child *Dir
		if child, err = openDir(d.handle, name, join(d.Path, name), info); err == nil {
			return child, nil
		}
	}
	return nil, &StepError{Dir: d.Path, Name: name, Err: err}
}

// Remove removes a file, a link or an empty directory among the entries.
func (d *Dir) Remove(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return Reason(d.handle.Remove(name))
}

// single refuses everything that is not the name of one entry.
func single(name string) error {
	if name == "" || name == "." || name == ".." {
		return fs.ErrInvalid
	}
	for i := range len(name) {
		if os.IsPathSeparator(name[i]) {
			return fs.ErrInvalid
		}
	}
	return nil
}
