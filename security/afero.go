package security

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/afero"
)

// FS offers the Root as an afero file system, for code that is written against that interface. All rules of the Root hold, and
// what is written appears as a whole when the file is closed or synced. The context ends every operation of the file system.
//
// Remove and RemoveAll put what they remove into the trash, and Rename what it overwrites: see TrashDir, Trash and Move. None of them
// follows a link at the end of a path. Renaming over a directory fails, even an empty one. Chmod, Chown and Chtimes fail with
// errors.ErrUnsupported.
//
// Errors are *fs.PathError; one that wraps an *Error can be found with errors.As, and those about a file that is missing, or is
// there already, wrap fs.ErrNotExist and fs.ErrExist, because afero's functions compare for them.
func (r *Root) FS(ctx context.Context) afero.Fs { return &aferoFS{ctx: ctx, root: r} }

// aferoFS keeps a context because none of the interface's methods takes one.
type aferoFS struct {
	ctx  context.Context
	root *Root
}

var _ afero.Lstater = (*aferoFS)(nil)

func (f *aferoFS) Name() string { return "security.Root" }

func (f *aferoFS) Open(name string) (afero.File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

func (f *aferoFS) Create(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile opens a directory or a file to read, or a buffer that becomes the file.
func (f *aferoFS) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	var file afero.File
	var err error
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) == 0 {
		file, err = f.openRead(name)
	} else {
		file, err = f.openWrite(name, flag, perm)
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return file, nil
}

func (f *aferoFS) openRead(name string) (afero.File, error) {
	file, err := f.root.Open(f.ctx, name)
	if CodeOf(err) == IsDirectory {
		dir, err := f.root.OpenDir(f.ctx, name)
		if err != nil {
			return nil, err
		}
		return &aferoDir{unsupportedFile: unsupportedFile{name: name}, fs: f, dir: dir}, nil
	}
	if err != nil {
		return nil, err
	}
	return &aferoReader{unsupportedFile: unsupportedFile{name: name}, File: file}, nil
}

func (f *aferoFS) Stat(name string) (fs.FileInfo, error) {
	info, err := f.root.Stat(f.ctx, name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return info.sys, nil
}

// LstatIfPossible describes a link itself, so that afero.Walk does not walk through it.
func (f *aferoFS) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := f.root.Lstat(f.ctx, name)
	if err != nil {
		return nil, true, pathError("lstat", name, err)
	}
	return info.sys, true, nil
}

// MkdirAll makes a directory and those on the way to it. One that is there already satisfies it.
func (f *aferoFS) MkdirAll(name string, perm fs.FileMode) error {
	if info, err := f.root.Stat(f.ctx, name); err == nil && info.Kind == Directory {
		return nil // also where nothing may be made
	}
	_, err := f.root.makeDir(f.ctx, name, true, perm)
	return pathError("mkdir", name, err)
}

func (f *aferoFS) Mkdir(name string, perm fs.FileMode) error {
	made, err := f.root.makeDir(f.ctx, name, false, perm)
	if err == nil && !made.Created {
		err = fs.ErrExist
	}
	return pathError("mkdir", name, err)
}

// Remove removes a file, a link or an empty directory.
func (f *aferoFS) Remove(name string) error {
	_, err := f.root.Trash(f.ctx, name, TrashOptions{})
	return pathError("remove", name, err)
}

// RemoveAll removes an entry with everything below it. One that is missing satisfies it.
func (f *aferoFS) RemoveAll(name string) error {
	_, err := f.root.Trash(f.ctx, name, TrashOptions{Recursive: true})
	if CodeOf(err) == FileNotFound {
		return nil
	}
	return pathError("remove", name, err)
}

func (f *aferoFS) Rename(from, to string) error {
	_, err := f.root.Move(f.ctx, from, to, MoveOptions{Overwrite: true})
	return pathError("rename", from, err)
}

func (f *aferoFS) Chmod(name string, _ fs.FileMode) error    { return unsupported("chmod", name) }
func (f *aferoFS) Chown(name string, _, _ int) error         { return unsupported("chown", name) }
func (f *aferoFS) Chtimes(name string, _, _ time.Time) error { return unsupported("chtimes", name) }

func unsupported(op, name string) error {
	return pathError(op, name, errors.ErrUnsupported)
}

// pathError makes the error that the os package would return. os.IsNotExist and os.IsExist look for two of them directly.
func pathError(op, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case CodeOf(err) == FileNotFound:
		err = fs.ErrNotExist
	case CodeOf(err) == AlreadyExists:
		err = fs.ErrExist
	}
	return &fs.PathError{Op: op, Path: shorten(name), Err: err}
}
