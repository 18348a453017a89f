package security

import (
	"errors"
	"io/fs"
	"os"
	"strconv"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// auditFile is a file of lines that is set aside when it grows too large. Every line is written by one call at the end of the
// file, so that processes may share it.
type auditFile struct {
	path string
	max  int64
	keep int
	sync bool

	file   *os.File // nil after a failure: the next line opens it again
	closed bool
}

// open opens or makes the file. A line that a crash cut off is closed, so that the next one stands alone.
func (a *auditFile) open() error {
	if info, err := os.Stat(a.path); err == nil && !info.Mode().IsRegular() {
		return rootfs.ErrIrregular // opening a FIFO would wait for its reader
	}
	f, err := os.OpenFile(a.path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := closeLine(f); err != nil {
		f.Close()
		return err
	}
	a.file = f
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

// append writes one line. After a failure the file is opened anew, and a line that was cut off is closed.
func (a *auditFile) append(line []byte) error {
	if a.closed {
		return os.ErrClosed
	}
	err := a.write(line)
	if err != nil && a.file != nil {
		a.file.Close()
		a.file = nil
	}
	return err
}

func (a *auditFile) write(line []byte) error {
	if a.file == nil {
		if err := a.open(); err != nil {
			return err
		}
	}
	if err := a.makeRoom(int64(len(line))); err != nil {
		return err
	}
	if _, err := a.file.Write(line); err != nil {
		return err
	}
	if a.sync {
		return a.file.Sync()
	}
	return nil
}

// makeRoom sets the file aside when the line would make it too large, and opens the new one when another process has done so.
func (a *auditFile) makeRoom(n int64) error {
	info, err := a.file.Stat()
	if err != nil {
		return err
	}
	if !a.current(info) {
		return a.reopen()
	}
	if info.Size() == 0 || info.Size()+n <= a.max {
		return nil
	}
	// When another process is just setting the file aside, this line may still go into it.
	if locked, err := rootfs.TryLock(a.file); err == nil && !locked {
		return nil
	}
	if !a.current(info) {
		return a.reopen() // it has just done so
	}
	if err := a.shift(); err != nil {
		return err
	}
	return a.reopen()
}

// current reports whether the open file is the one that the path names.
func (a *auditFile) current(info fs.FileInfo) bool {
	named, err := os.Stat(a.path)
	return err == nil && os.SameFile(info, named)
}

// shift renames the file and those set aside before it, and drops the oldest.
func (a *auditFile) shift() error {
	for i := a.keep; i > 0; i-- {
		newer := a.path
		if i > 1 {
			newer += "." + strconv.Itoa(i-1)
		}
		if err := os.Rename(newer, a.path+"."+strconv.Itoa(i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (a *auditFile) reopen() error {
	a.file.Close()
	a.file = nil
	return a.open()
}

func (a *auditFile) close() error {
	a.closed = true
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}
