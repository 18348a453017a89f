package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
)

// Dir is a directory held open: its entries are read, and its files and directories are opened, without walking there again.
// No method follows a link. One goroutine at a time may call Read, Next or Close; the other methods may be called from several,
// and fail with os.ErrClosed after Close.
type Dir struct {
	// Path is the final path of the directory; "." is the root.
	Path string
	// Info describes the directory.
	Info fs.FileInfo

	handle dirHandle
}

// Entry is one entry of a directory.
type Entry struct {
	Name string
	Type fs.FileMode // type bits only: 0 is a regular file, fs.ModeDir a directory, fs.ModeSymlink a link
}

// Meta describes an entry, as fs.FileInfo does at a higher cost.
type Meta struct {
	Mode    fs.FileMode
	Size    int64
	ModTime time.Time
	Links   uint64 // names that the file has; where the system does not tell, 0
}

// OpenDir opens the directory that a path leads to.
func (r *Root) OpenDir(name string) (*Dir, error) {
	if dir, ok := r.openDirDirect(name); ok {
		return dir, nil
	}
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
	if err := listable(info.Mode()); err != nil {
		return nil, err
	}
	dir := &Dir{Path: final, Info: info}
	if err := dir.handle.open(parent, name, info); err != nil {
		return nil, err
	}
	return dir, nil
}

// listable refuses what is not a directory.
func listable(mode fs.FileMode) error {
	if mode.IsDir() {
		return nil
	}
	if err := servable(mode); err != nil {
		return err
	}
	return ErrNotDirectory
}

// Close releases the directory.
func (d *Dir) Close() error { return Reason(d.handle.close()) }

// Read returns the next entry, in the order of the file system, and io.EOF after the last. Temporary files of this package
// are left out.
func (d *Dir) Read() (Entry, error) {
	for {
		e, err := d.handle.read()
		if err != nil && err != io.EOF {
			err = Reason(err)
		}
		if err != nil || !IsTemp(e.Name) {
			return e, err
		}
	}
}

// Next returns up to n further entries, or some when n is not positive, and io.EOF after the last. A batch may be short, but it
// is never empty without an error.
func (d *Dir) Next(n int) ([]Entry, error) {
	if n <= 0 {
		n = 256
	}
	entries := make([]Entry, 0, min(n, 64))
	for len(entries) < n {
		e, err := d.Read()
		if err != nil && len(entries) > 0 {
			break // it comes again
		}
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Lstat describes an entry, a link itself.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	info, err := d.handle.lstat(name)
	return info, Reason(err)
}

// Describe is Lstat at less cost.
func (d *Dir) Describe(name string) (Meta, error) {
	if err := single(name); err != nil {
		return Meta{}, err
	}
	meta, err := d.handle.describe(name)
	return meta, Reason(err)
}

// Open opens a file or directory among the entries for reading.
func (d *Dir) Open(name string) (*Opened, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	f, info, err := d.handle.openEntry(name, os.O_RDONLY)
	if err != nil {
		return nil, d.fail(name, err)
	}
	return &Opened{File: f, Info: info, Path: join(d.Path, name)}, nil
}

// ReadFile reads a regular file among the entries, of at most limit bytes, into buf, which it returns, larger if need be. What
// buf holds does not matter. Of a larger file the first limit bytes are returned, and ErrLarge. The file is described as it was
// opened.
func (d *Dir) ReadFile(name string, buf []byte, limit int) ([]byte, Meta, error) {
	if err := single(name); err != nil {
		return buf[:0], Meta{}, err
	}
	limit = min(max(limit, 0), math.MaxInt-1)
	content, meta, err := d.handle.readFile(name, buf[:0], limit)
	if err != nil && err != ErrLarge {
		return content, meta, d.fail(name, err)
	}
	return content, meta, err
}

// OpenDir opens a directory among the entries.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	if err := single(name); err != nil {
		return nil, err
	}
	child := &Dir{Path: join(d.Path, name)}
	var err error
	if child.Info, err = d.handle.openChild(name, &child.handle); err != nil {
		return nil, d.fail(name, err)
	}
	return child, nil
}

// Remove removes a file, a link or an empty directory among the entries.
func (d *Dir) Remove(name string) error {
	if err := single(name); err != nil {
		return err
	}
	return Reason(d.handle.remove(name))
}

func (d *Dir) fail(name string, err error) error {
	return &StepError{Dir: d.Path, Name: name, Err: Reason(err)}
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
