package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// maxSize is the maximum size of a configuration file in bytes.
const maxSize = 16 << 20

// errChanged reports that the file was changed after the change was planned.
var errChanged = errors.New("another program changed the file at the same time; nothing was written, try again")

// target is a configuration file, which may not exist yet.
type target struct {
	asked   string      // the path that the client uses
	real    string      // the path after all symbolic links
	exists  bool        // real is an existing file
	content []byte      // as it was read; nil for a missing file
	perm    fs.FileMode // of an existing file
	missing []string    // missing parent directories of real, outermost first
}

// Read returns the content of a configuration file. The error of a missing file is fs.ErrNotExist.
func Read(path string) ([]byte, error) {
	t, err := resolveFile(path)
	if err == nil && !t.exists {
		err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return t.content, err
}

// resolveFile resolves the links of a path and reads the file.
func resolveFile(path string) (target, error) {
	t := target{asked: path}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, t.vacant()
	}
	if err != nil {
		return t, fmt.Errorf("finding %s: %w", path, err)
	}
	t.real, t.exists = real, true
	return t, t.with(func(p *rootfs.Place) error {
		if p.Info != nil {
			t.perm = p.Info.Mode().Perm()
		}
		t.content, err = content(p)
		return err
	})
}

// vacant resolves the path of a file that does not exist. A dangling link is an error.
func (t *target) vacant() error {
	if info, err := os.Lstat(t.asked); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a link to a file that does not exist; make that file, with {} in it, or remove the link", t.asked)
	}
	dir := filepath.Dir(t.asked)
	for {
		real, err := filepath.EvalSymlinks(dir)
		if err == nil {
			t.real = real
			break
		}
		parent := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || parent == dir {
			return fmt.Errorf("finding the directory of %s: %w", t.asked, err)
		}
		t.missing = append([]string{filepath.Base(dir)}, t.missing...)
		dir = parent
	}
	for i, name := range t.missing {
		t.real = filepath.Join(t.real, name)
		t.missing[i] = t.real
	}
	t.real = filepath.Join(t.real, filepath.Base(t.asked))
	return nil
}

// with opens the directory of the file for f and adds the path to errors.
func (t *target) with(f func(*rootfs.Place) error) error {
	err := t.open(f)
	if err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("%s: %w", t.asked, err)
	}
	return err
}

// open opens the directory of the file for f.
func (t *target) open(f func(*rootfs.Place) error) error {
	root, err := rootfs.Open(filepath.Dir(t.real))
	if err != nil {
		return err
	}
	defer root.Close()
	place, err := root.Place(filepath.Base(t.real), false)
	if err != nil {
		return err
	}
	defer place.Close()
	return f(place)
}

// content reads a regular file of at most maxSize bytes.
func content(p *rootfs.Place) ([]byte, error) {
	f, info, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.Mode().IsRegular() {
		return nil, errors.New("is a directory, not a file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(text) > maxSize {
		err = fmt.Errorf("is larger than %d MiB", maxSize>>20)
	}
	return text, err
}

// write replaces the content of the file atomically. It makes missing directories, and removes them
// after an error. It returns errChanged if the file was changed since it was read.
func (t *target) write(text []byte, perm fs.FileMode) error {
	var made []string
	for _, dir := range t.missing {
		err := os.Mkdir(dir, 0o755)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return errors.Join(err, removeEmpty(made))
		}
		if err == nil {
			made = append(made, dir)
		}
	}
	err := t.with(func(p *rootfs.Place) error { return t.put(p, text, perm) })
	if err != nil {
		return errors.Join(err, removeEmpty(made))
	}
	return nil
}

// put writes text in place of the file, with the attributes of an existing file.
func (t *target) put(p *rootfs.Place, text []byte, perm fs.FileMode) error {
	o := rootfs.Replacement{Perm: perm, New: !t.exists}
	if t.exists {
		like, _, err := p.Open()
		if err != nil {
			return err
		}
		defer like.Close()
		o.Like = like
		o.Before = func() error { return t.unchanged(p) }
	}
	_, err := p.Replace(o, rootfs.Content(text))
	if !t.exists && errors.Is(err, fs.ErrExist) {
		return errChanged
	}
	return err
}

// removeEmpty removes nested directories, given outermost first, as long as they are empty.
func removeEmpty(dirs []string) error {
	for _, dir := range slices.Backward(dirs) {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return nil
		}
		if err := os.Remove(dir); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the file, or returns errChanged if it was changed since it was read.
func (t *target) remove() error {
	return t.with(func(p *rootfs.Place) error {
		if err := t.unchanged(p); err != nil {
			return err
		}
		return os.Remove(t.real)
	})
}

// unchanged returns errChanged if the file no longer has the content that was read.
func (t *target) unchanged(p *rootfs.Place) error {
	if err := p.Refresh(); err != nil {
		return err
	}
	now, err := content(p)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !bytes.Equal(now, t.content) {
		return errChanged
	}
	return err
}
