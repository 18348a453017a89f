package rootfs

import (
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"time"
)

// Dir is an open directory. It reads entries and opens files and directories relative to the handle. No method
// follows a link. Read, Next and Close must not be called concurrently. The other methods can be; after Close they
// fail with os.ErrClosed.
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

// Meta describes an entry at less cost than fs.FileInfo.
type Meta struct {
	Mode    fs.FileMode
	Size    int64
	ModTime time.Time
	Links   uint64 // names that the file has; where the system does not tell, 0
}

// OpenDir opens the directory at a path and follows links. The caller closes the Dir.
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

// openDir opens the entry name of parent. info describes the directory that it must be.
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

// listable returns an error for modes other than a directory.
func listable(mode fs.FileMode) error {
	if mode.IsDir() {
		return nil
	}
	if err := servable(mode); err != nil {
		return err
	}
	return ErrNotDirectory
}

// Close closes the directory.
func (d *Dir) Close() error { return Reason(d.handle.close()) }

// Read returns the next entry in the order of the file system, and io.EOF after the last. It omits temporary files of
// this package.
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

// Next returns at most n further entries; if n is not positive, it chooses a number. It returns io.EOF after the last
// entry. A batch may be shorter than n, but is never empty without an error.
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

// Lstat describes an entry. It does not follow a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	if err := checkEntryName(name); err != nil {
		return nil, err
	}
	info, err := d.handle.lstat(name)
	return info, Reason(err)
}

// Describe is Lstat at less cost.
func (d *Dir) Describe(name string) (Meta, error) {
	if err := checkEntryName(name); err != nil {
		return Meta{}, err
	}
	meta, err := d.handle.describe(name)
	return meta, Reason(err)
}

// Open opens a file or directory of the directory for reading.
func (d *Dir) Open(name string) (*Opened, error) {
	if err := checkEntryName(name); err != nil {
		return nil, err
	}
	f, info, err := d.handle.openEntry(name, os.O_RDONLY)
	if err != nil {
		return nil, d.fail(name, err)
	}
	return &Opened{File: f, Info: info, Path: join(d.Path, name)}, nil
}

// ReadFile reads a regular file of the directory into buf and returns the content and the Meta of the opened file.
// buf may be nil; its content is overwritten, and it grows as needed. For a file larger than limit bytes, ReadFile
// returns the first limit bytes and ErrLarge.
func (d *Dir) ReadFile(name string, buf []byte, limit int) ([]byte, Meta, error) {
	if err := checkEntryName(name); err != nil {
		return buf[:0], Meta{}, err
	}
	limit = min(max(limit, 0), math.MaxInt-1)
	content, meta, err := d.handle.readFile(name, buf[:0], limit)
	if err != nil && err != ErrLarge {
		return content, meta, d.fail(name, err)
	}
	return content, meta, err
}

// OpenDir opens a directory of the directory.
func (d *Dir) OpenDir(name string) (*Dir, error) {
	if err := checkEntryName(name); err != nil {
		return nil, err
	}
	child := &Dir{Path: join(d.Path, name)}
	var err error
	if child.Info, err = d.handle.openChild(name, &child.handle); err != nil {
		return nil, d.fail(name, err)
	}
	return child, nil
}

// Remove removes a file, a link or an empty directory of the directory.
func (d *Dir) Remove(name string) error {
	if err := checkEntryName(name); err != nil {
		return err
	}
	return Reason(d.handle.remove(name))
}

func (d *Dir) fail(name string, err error) error {
	return &StepError{Dir: d.Path, Name: name, Err: Reason(err)}
}

// checkEntryName returns an error unless a text is the name of one entry.
func checkEntryName(name string) error {
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
