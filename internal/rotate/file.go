package rotate

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// Dir is the directory that a File lies in. A *os.Root is one, for names that
// must not lead out of it.
type Dir interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(oldname, newname string) error
}

// File is a file of lines that is set aside when it grows too large. Every line
// is written by one call at the end of the file, so that processes may share it.
// Its methods must not be called concurrently; between calls its limits may be
// changed. The file is opened by Open or by the first line.
type File struct {
	// Name is the name of the file, in Dir.
	Name string
	// Dir is the directory of the file. nil means that Name is a path of the
	// operating system, absolute or relative to the working directory.
	Dir Dir
	// Max is the size in bytes beyond which the file is set aside.
	Max int64
	// Keep is the number of files that are kept after they were set aside. With 0
	// none is: the file itself is emptied.
	Keep int
	// Sync flushes every line to the disk.
	Sync bool

	file   *os.File // nil after a failure: the next line opens it again
	closed bool
}

// system is the Dir for paths of the operating system.
type system struct{}

func (system) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (f *File) dir() Dir {
	if f.Dir == nil {
		return system{}
	}
	return f.Dir
}

// Open opens the file, or makes it, readable by its owner alone. A line that a
// crash cut off is closed, so that the next one stands alone.
func (f *File) Open() error {
	if info, err := f.dir().Stat(f.Name); err == nil && !info.Mode().IsRegular() {
		return rootfs.ErrIrregular // opening a FIFO would wait for its reader
	}
	opened, err := f.dir().OpenFile(f.Name, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := closeLine(opened); err != nil {
		opened.Close()
		return err
	}
	f.file = opened
	return nil
}

func closeLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return nil
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err != nil {
		return err
	}
	if last[0] == '\n' {
		return nil
	}
	_, err = f.WriteString("\n")
	return err
}

// Append writes one line, which ends with a line feed. After a failure the file
// is opened anew by the next one, and a line that was cut off is closed.
func (f *File) Append(line []byte) error {
	if f.closed {
		return os.ErrClosed
	}
	err := f.write(line)
	if err != nil && f.file != nil {
		f.file.Close()
		f.file = nil
	}
	return err
}

func (f *File) write(line []byte) error {
	if f.file == nil {
		if err := f.Open(); err != nil {
			return err
		}
	}
	if err := f.makeRoom(int64(len(line))); err != nil {
		return err
	}
	if _, err := f.file.Write(line); err != nil {
		return err
	}
	if f.Sync {
		return f.file.Sync()
	}
	return nil
}

// makeRoom sets the file aside if a line of n bytes would make it too large. It opens
// the new file if another process has set this one aside.
func (f *File) makeRoom(n int64) error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	if !f.current(info) {
		return f.reopen()
	}
	if info.Size() == 0 || info.Size()+n <= f.Max {
		return nil
	}
	// The lock lasts until reopen closes the file. If another process holds it, that process sets
	// the file aside now, and this line still goes into the old file. If the file system has no
	// locks (err != nil), the file is set aside without one.
	if locked, err := rootfs.TryLock(f.file); err == nil && !locked {
		return nil
	}
	if !f.current(info) {
		return f.reopen() // another process has set it aside before the lock was taken
	}
	if err := f.setAside(); err != nil {
		return err
	}
	return f.reopen()
}

// current reports whether the open file is the one that the name stands for.
func (f *File) current(info fs.FileInfo) bool {
	named, err := f.dir().Stat(f.Name)
	return err == nil && os.SameFile(info, named)
}

// setAside renames the file and the rotated files, over the oldest of them. With Keep 0 it
// empties the file in place.
func (f *File) setAside() error {
	if f.Keep <= 0 {
		return f.truncate()
	}
	for i := f.Keep; i > 0; i-- {
		newer := f.Name
		if i > 1 {
			newer += "." + strconv.Itoa(i-1)
		}
		if err := f.dir().Rename(newer, f.Name+"."+strconv.Itoa(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (f *File) reopen() error {
	f.file.Close()
	f.file = nil
	return f.Open()
}

// Close closes the file. Lines that come afterwards are refused.
func (f *File) Close() error {
	f.closed = true
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
