// Package aferofs offers a [security.Root] as an afero file system, for code that is written against that interface.
package aferofs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/spf13/afero"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
)

// New returns the Root as an afero file system. All rules of the Root hold. Writes go to a buffer; Close or Sync replaces the
// file with the buffer at once, so no reader sees half of the new content. The end of the context ends every operation.
//
// Remove and RemoveAll put the removed entry into the trash, and Rename the overwritten one: see [security.TrashDir],
// [security.Root.Trash] and [security.Root.Move]. For a path that names a link, they act on the link itself, not on its target. Renaming over a directory fails,
// even an empty one. Chmod, Chown and Chtimes fail with errors.ErrUnsupported.
//
// Errors are *fs.PathError. One that wraps a *[security.Error] can be found with errors.As. Errors about a missing or an existing file
// wrap fs.ErrNotExist and fs.ErrExist, because functions of afero compare with these.
func New(ctx context.Context, root *security.Root) afero.Fs {
	return &fileSystem{ctx: ctx, root: root}
}

// fileSystem implements afero.Fs. Its files are a directory, a reader, or a buffer for writing. It keeps a context because none of the interface's methods takes one.
type fileSystem struct {
	ctx  context.Context
	root *security.Root
}

var _ afero.Lstater = (*fileSystem)(nil)

func (f *fileSystem) Name() string { return "security.Root" }

func (f *fileSystem) Open(name string) (afero.File, error) { return f.OpenFile(name, os.O_RDONLY, 0) }

func (f *fileSystem) Create(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile opens a directory or a file to read (openRead). With a flag for writing it opens a buffer whose content replaces the file
// later (openWrite).
func (f *fileSystem) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
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

func (f *fileSystem) openRead(name string) (afero.File, error) {
	file, err := f.root.Open(f.ctx, name)
	if security.CodeOf(err) == security.IsDirectory {
		dir, err := f.root.OpenDir(f.ctx, name)
		if err != nil {
			return nil, err
		}
		return &directory{unsupportedFile: unsupportedFile{name: name}, fs: f, dir: dir}, nil
	}
	if err != nil {
		return nil, err
	}
	return &reader{unsupportedFile: unsupportedFile{name: name}, File: file}, nil
}

func (f *fileSystem) Stat(name string) (fs.FileInfo, error) {
	info, err := f.root.Stat(f.ctx, name)
	if err != nil {
		return nil, pathError("stat", name, err)
	}
	return info.Sys(), nil
}

// LstatIfPossible describes a link itself, so that afero.Walk does not walk through it.
func (f *fileSystem) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := f.root.Lstat(f.ctx, name)
	if err != nil {
		return nil, true, pathError("lstat", name, err)
	}
	return info.Sys(), true, nil
}

// MkdirAll makes a directory and its missing parents. It returns nil for an existing directory.
func (f *fileSystem) MkdirAll(name string, perm fs.FileMode) error {
	if info, err := f.root.Stat(f.ctx, name); err == nil && info.Kind == security.Directory {
		return nil // even if the rules do not permit a new directory there
	}
	_, err := f.root.MakeDirMode(f.ctx, name, true, perm)
	return pathError("mkdir", name, err)
}

func (f *fileSystem) Mkdir(name string, perm fs.FileMode) error {
	made, err := f.root.MakeDirMode(f.ctx, name, false, perm)
	if err == nil && !made.Created {
		err = fs.ErrExist
	}
	return pathError("mkdir", name, err)
}

// Remove removes a file, a link or an empty directory.
func (f *fileSystem) Remove(name string) error {
	_, err := f.root.Trash(f.ctx, name, security.TrashOptions{})
	return pathError("remove", name, err)
}

// RemoveAll removes an entry with everything below it. It returns nil for a missing entry.
func (f *fileSystem) RemoveAll(name string) error {
	_, err := f.root.Trash(f.ctx, name, security.TrashOptions{Recursive: true})
	if security.CodeOf(err) == security.FileNotFound {
		return nil
	}
	return pathError("remove", name, err)
}

func (f *fileSystem) Rename(from, to string) error {
	_, err := f.root.Move(f.ctx, from, to, security.MoveOptions{Overwrite: true})
	return pathError("rename", from, err)
}

func (f *fileSystem) Chmod(name string, _ fs.FileMode) error    { return unsupported("chmod", name) }
func (f *fileSystem) Chown(name string, _, _ int) error         { return unsupported("chown", name) }
func (f *fileSystem) Chtimes(name string, _, _ time.Time) error { return unsupported("chtimes", name) }

// unsupported returns a *fs.PathError with errors.ErrUnsupported. It does not look at the path.
func unsupported(op, name string) error {
	return pathError(op, name, errors.ErrUnsupported)
}

// pathError makes the error that the os package would return. os.IsNotExist and os.IsExist compare with fs.ErrNotExist and fs.ErrExist
// without unwrapping.
func pathError(op, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case security.CodeOf(err) == security.FileNotFound:
		err = fs.ErrNotExist
	case security.CodeOf(err) == security.AlreadyExists:
		err = fs.ErrExist
	}
	return &fs.PathError{Op: op, Path: shorten(name), Err: err}
}

func isDirectory(name string) error { return problem(security.IsDirectory, name, "is a directory") }

func notDirectory(name string) error { return problem(security.NotDirectory, name, "is a file") }

// problem returns an error whose message is the quoted path followed by fault, for example "is a directory".
func problem(code security.Code, name, fault string) error {
	return &security.Error{Code: code, AttemptedPath: shorten(name), Message: strconv.Quote(shorten(name)) + " " + fault + "."}
}

// shorten limits a path in an error message to 300 bytes.
func shorten(name string) string { return truncate.Cut(name, 300) }
