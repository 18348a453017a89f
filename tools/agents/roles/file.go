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

// backupSuffix is appended to the name of the file for the backup of its previous content.
const backupSuffix = ".bak"

// errConcurrentChange reports that the file differs from the content that was read.
var errConcurrentChange = errors.New("another program is changing the file")

// file is a settings file.
type file struct {
	path      string // absolute
	isProject bool   // links must not leave the directory of the file
}

// read returns the content. It returns an error if the file is too large or not a regular file.
func (f file) read() ([]byte, error) {
	if f.isProject {
		return config.ReadProjectFile(f.path)
	}
	return config.ReadFile(f.path)
}

// write replaces the content atomically and keeps the old content as a backup. before is the
// expected old content, nil for a missing file. If the file differs from before, write changes
// nothing and returns errConcurrentChange.
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
		err := replaceFile(root, name, rootfs.Replacement{Perm: 0o644, New: true}, after)
		if errors.Is(err, fs.ErrExist) {
			return errConcurrentChange
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

// resolve returns the path after all links. missing permits a file that does not exist.
func (f file) resolve(missing bool) (string, error) {
	real, err := filepath.EvalSymlinks(f.path)
	if err == nil && f.isProject {
		err = f.checkInside(real)
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if !missing {
		return "", errConcurrentChange
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(f.path))
	return filepath.Join(dir, filepath.Base(f.path)), err
}

// checkInside returns an error if a path is outside the directory of the file.
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

// lock excludes other Books, also of other processes, from writing in a directory. If the system
// cannot lock directories, it succeeds without a lock.
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

// replace writes the backup and then the file, both with the permissions of the file.
func (f file) replace(root *rootfs.Root, name string, before, after []byte) error {
	opened, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return errConcurrentChange
	}
	if err != nil {
		return err
	}
	defer opened.Close()
	unchanged := func() error {
		now, err := f.read()
		if err == nil && !bytes.Equal(now, before) || errors.Is(err, fs.ErrNotExist) {
			return errConcurrentChange
		}
		return err
	}
	if err := unchanged(); err != nil {
		return err
	}
	if err := replaceFile(root, name+backupSuffix, rootfs.Replacement{Like: opened.File}, before); err != nil {
		return fmt.Errorf("writing the backup %s: %w", name+backupSuffix, err)
	}
	return replaceFile(root, name, rootfs.Replacement{Like: opened.File, Before: unchanged}, after)
}

func replaceFile(root *rootfs.Root, name string, r rootfs.Replacement, text []byte) error {
	_, err := root.ReplaceFile(name, r, rootfs.Content(text))
	return err
}

// absolutePath returns the absolute path of a settings file.
func absolutePath(path string) (string, error) {
	if path == "" {
		return "", errors.New("the path of the settings file is empty")
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a directory; name a file in it", path)
	}
	return filepath.Abs(path)
}
