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

// maxSize is the size of the largest configuration that is read.
const maxSize = 16 << 20

// errChanged says that a file is no longer what it was when a change of it was
// made out.
var errChanged = errors.New("somebody else has changed the file at the same moment; nothing was written, try again")

// target is a configuration file, or the place for one.
type target struct {
	asked   string // as the client names it
	real    string // what that leads to through links
	exists  bool
	content []byte
	perm    fs.FileMode
	missing []string // directories that real needs, outermost first
}

// Read returns the content of a configuration file. A file that does not exist
// has none; its error is fs.ErrNotExist.
func Read(path string) ([]byte, error) {
	t, err := look(path)
	if err == nil && !t.exists {
		err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return t.content, err
}

// look finds a file, follows links to it, and reads it.
func look(path string) (target, error) {
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

// vacant finds the place of a file that does not exist.
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

// with opens the directory of the file for f.
func (t *target) with(f func(*rootfs.Place) error) error {
	err := t.open(f)
	if err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("%s: %w", t.asked, err)
	}
	return err
}

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

// content reads a regular file and nothing else.
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

// write replaces what the file has by text, as a whole or not at all, provided
// that the file still is what was read.
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

// removeEmpty removes directories, of which each lies in the one before, as far
// as there is nothing in them.
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

// remove removes the file if it still is what was read.
func (t *target) remove() error {
	return t.with(func(p *rootfs.Place) error {
		if err := t.unchanged(p); err != nil {
			return err
		}
		return os.Remove(t.real)
	})
}

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
