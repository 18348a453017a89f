package roles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/config"
)

// backupSuffix follows the name of a file in that of its backup: what it was before the last change.
const backupSuffix = ".bak"

// errMeanwhile says that the file is another than the one that was read.
var errMeanwhile = errors.New("somebody else is changing the file at the same moment")

// file is the settings file.
type file struct {
	path      string // absolute
	ofProject bool   // links must not lead out of its directory
}

// read reads the file, unless it is too large or no regular file.
func (f file) read() ([]byte, error) {
	if f.ofProject {
		return config.ReadProjectFile(f.path)
	}
	return config.ReadFile(f.path)
}

// write puts a text into the place of another, as a whole or not at all, and keeps the other beside it. before is nil
// for a file that is not there. errMeanwhile says that the file has something else in it, and that nothing was
// written.
func (f file) write(ctx context.Context, before, after []byte) error {
	real, err := f.resolve(before == nil)
	if err != nil {
		return err
	}
	root, err := rootfs.Open(filepath.Dir(real))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(real)
	if before == nil {
		err := put(root, name, rootfs.Replacement{Perm: 0o644, New: true}, after)
		if errors.Is(err, fs.ErrExist) {
			return errMeanwhile
		}
		return err
	}
	unlock, err := lock(ctx, root)
	if err != nil {
		return err
	}
	defer unlock()
	return f.replace(root, name, before, after)
}

// resolve is where the links of the path lead; a file that is to be made need not be there.
func (f file) resolve(missing bool) (string, error) {
	real, err := filepath.EvalSymlinks(f.path)
	if err == nil && f.ofProject {
		err = f.checkInside(real)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if !missing {
		return "", errMeanwhile
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(f.path))
	return filepath.Join(dir, filepath.Base(f.path)), err
}

// checkInside refuses a place outside of the directory of the file.
func (f file) checkInside(real string) error {
	dir, err := filepath.EvalSymlinks(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is a link that leads out of the project", f.path)
	}
	return nil
}

// lock keeps other Books, of other programs too, from writing in a directory at the same moment. Where directories cannot be
// locked, nobody is kept.
func lock(ctx context.Context, root *rootfs.Root) (unlock func(), err error) {
	dir, err := root.Open(".")
	if err != nil {
		return func() {}, nil
	}
	for {
		locked, err := rootfs.TryLock(dir.File)
		if locked || err != nil {
			return func() { dir.Close() }, nil
		}
		if err := wait.Sleep(ctx, 5*time.Millisecond); err != nil {
			dir.Close()
			return nil, err
		}
	}
}

// replace writes the backup and then the file, both with the rights that the file has.
func (f file) replace(root *rootfs.Root, name string, before, after []byte) error {
	opened, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return errMeanwhile
	}
	if err != nil {
		return err
	}
	defer opened.Close()
	unchanged := func() error {
		now, err := f.read()
		if err == nil && !bytes.Equal(now, before) || errors.Is(err, fs.ErrNotExist) {
			return errMeanwhile
		}
		return err
	}
	if err := unchanged(); err != nil {
		return err
	}
	if err := put(root, name+backupSuffix, rootfs.Replacement{Like: opened.File}, before); err != nil {
		return fmt.Errorf("keeping %s: %w", name+backupSuffix, err)
	}
	return put(root, name, rootfs.Replacement{Like: opened.File, Before: unchanged}, after)
}

func put(root *rootfs.Root, name string, r rootfs.Replacement, text []byte) error {
	_, err := root.ReplaceFile(name, r, rootfs.Content(text))
	return err
}

// absolute is the absolute name of a settings file.
func absolute(path string) (string, error) {
	if path == "" {
		return "", errors.New("the settings file has no name")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a directory; name a file in it", path)
	}
	return filepath.Abs(path)
}
