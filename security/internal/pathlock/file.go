package pathlock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	suffix   = ".lock"
	maxFiles = 10_000   // lock files of a state directory that are read
	maxNote  = 64 << 10 // bytes of a lock file
)

// Note is the content of a lock file: the directories that may hold temporary files of its writer.
type Note struct {
	Root string   `json:"root"` // absolute, every link resolved
	Dirs []string `json:"dirs"` // relative to Root, final; the first one is the parent of the locked path
}

// write replaces the note of a dead writer. A new file is not truncated, because some file systems flush a truncated file.
func (n Note) write(f *os.File) error {
	content, err := json.Marshal(n)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		if err := f.Truncate(0); err != nil {
			return err
		}
	}
	_, err = f.WriteAt(content, 0)
	return err
}

// readNote reads a lock file. Malformed content counts as an empty note.
func readNote(name string) (Note, error) {
	f, err := os.Open(name)
	if err != nil {
		return Note{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxNote))
	if err != nil {
		return Note{}, err
	}
	var n Note
	if json.Unmarshal(content, &n) != nil {
		return Note{}, nil
	}
	return n, nil
}

// TryFile opens and locks a lock file. The result is nil if another process has the file, or has just removed it.
func TryFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if isRemoving(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	locked, err := rootfs.TryLock(f)
	if err == nil && locked && stillNamed(f, name) {
		return f, nil
	}
	f.Close()
	return nil, err
}

// stillNamed reports whether a name still belongs to an open file.
func stillNamed(f *os.File, name string) bool {
	mine, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(name)
	return err == nil && os.SameFile(mine, named)
}

// RemoveFile removes a lock file while it is still locked. Windows removes no open file, but there no other process can
// have opened the file when removing it succeeds.
func RemoveFile(f *os.File) {
	if runtime.GOOS != "windows" {
		os.Remove(f.Name())
	}
	f.Close()
	if runtime.GOOS == "windows" {
		os.Remove(f.Name())
	}
}

// Taken reports whether a process has a lock file. It makes no file.
func Taken(name string) (bool, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission), isRemoving(err): // on Windows, while it is being removed
		return true, nil
	case err != nil:
		return false, err
	}
	defer f.Close()
	free, err := rootfs.TryLock(f)
	return !free, err
}

// OwnerLives reports whether a process has a lock file that this process may only be able to read.
func OwnerLives(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	locked, err := rootfs.TryLock(f)
	return err == nil && !locked
}

// Sweep removes the lock files of dead writers from a state directory. For each note, find returns the function that cleans up after
// its writer, or nil to leave the lock file in place. The note of a writer that died early is empty. The function runs while the lock
// file is locked, and only if the writer is dead. A state directory that is missing or cannot be opened is no error.
func Sweep(state string, find func(Note) (clean func())) error {
	dir, err := os.Open(state)
	if err != nil {
		return nil // no process has written yet
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxFiles)
	for _, name := range names {
		if strings.HasSuffix(name, suffix) {
			sweepFile(filepath.Join(state, name), find)
		}
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("list lock files: %w", err)
	}
	return nil
}

func sweepFile(name string, find func(Note) func()) {
	n, err := readNote(name)
	if err != nil {
		return
	}
	clean := find(n)
	if clean == nil {
		return
	}
	f, err := TryFile(name)
	if f == nil || err != nil {
		return // the writer lives
	}
	clean()
	RemoveFile(f)
}
