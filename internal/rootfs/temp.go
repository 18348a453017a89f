package rootfs

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
)

const (
	tempPrefix = ".dougu-tmp-"
	tempDigits = 32 // hexadecimal
)

// IsTemp reports whether a name has the form of a temporary file of this package: ".dougu-tmp-" and 32 hexadecimal
// digits, in any case. Callers that walk directories omit these files.
func IsTemp(name string) bool {
	if len(name) != len(tempPrefix)+tempDigits || !strings.EqualFold(name[:len(tempPrefix)], tempPrefix) {
		return false
	}
	return strings.Trim(strings.ToLower(name[len(tempPrefix):]), "0123456789abcdef") == ""
}

// temp is a temporary file that this process writes. Its lock shows other processes that the writer is alive.
type temp struct {
	*os.File
	dir  *os.Root
	name string
}

// createTemp creates a temporary file in a directory.
func createTemp(dir *os.Root, perm fs.FileMode) (*temp, error) {
	for range maxRaces {
		var random [tempDigits / 2]byte
		rand.Read(random[:])
		t := &temp{dir: dir, name: tempPrefix + hex.EncodeToString(random[:])}
		f, err := dir.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, Reason(err)
		}
		t.File = f
		if t.claim() {
			return t, nil
		}
		t.discard()
	}
	return nil, ErrChanged
}

// claim locks the file. It returns false if a sweeper has locked or removed the file first. On a file system without
// locks it returns true, and sweepers get no lock either.
func (t *temp) claim() bool {
	locked, err := TryLock(t.File)
	if err != nil {
		return true
	}
	if !locked {
		return false
	}
	mine, err := t.Stat()
	if err != nil {
		return false
	}
	named, err := t.dir.Lstat(t.name)
	return err == nil && os.SameFile(mine, named)
}

// discard closes and removes the file.
func (t *temp) discard() {
	t.File.Close()
	t.dir.Remove(t.name)
}

// SweepTemps removes the temporary files of dead writers in a directory, but not below it, and returns their number.
// name is the final path of the directory.
func (r *Root) SweepTemps(name string) (int, error) {
	dir, err := r.OpenDir(name)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	if dir.Path != name {
		return 0, &StepError{Dir: ".", Name: name, Err: ErrLink}
	}
	removed := 0
	for {
		e, err := dir.handle.read()
		if err == io.EOF {
			return removed, nil
		}
		if err != nil {
			return removed, Reason(err)
		}
		if IsTemp(e.Name) && e.Type.IsRegular() && sweepTemp(dir, e.Name) {
			removed++
		}
	}
}

// sweepTemp removes one temporary file, unless its writer holds the lock.
func sweepTemp(dir *Dir, name string) bool {
	f, info, err := dir.handle.openEntry(name, os.O_RDWR)
	if err != nil {
		return false
	}
	defer f.Close()
	if locked, err := TryLock(f); !locked || err != nil || !info.Mode().IsRegular() {
		return false
	}
	return dir.Remove(name) == nil
}
