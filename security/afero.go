package security

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
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

// unsupportedFile has the methods of afero.File that a file opened for reading cannot serve.
type unsupportedFile struct{ name string }

func (f *unsupportedFile) Name() string { return f.name }

func (f *unsupportedFile) Write([]byte) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) WriteAt([]byte, int64) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) WriteString(string) (int, error) {
	return 0, pathError("write", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) Truncate(int64) error {
	return pathError("truncate", f.name, fs.ErrPermission)
}

func (f *unsupportedFile) Sync() error { return nil }

// aferoReader is a file opened for reading.
type aferoReader struct {
	unsupportedFile
	*File
}

func (f *aferoReader) Stat() (fs.FileInfo, error) { return f.info.sys, nil }

func (f *aferoReader) Readdir(int) ([]fs.FileInfo, error) {
	return nil, pathError("readdir", f.name, problem(NotDirectory, f.name, nil, "%s is a file.", quote(f.name)))
}

func (f *aferoReader) Readdirnames(int) ([]string, error) {
	_, err := f.Readdir(0)
	return nil, err
}

// aferoDir is a directory opened for listing.
type aferoDir struct {
	unsupportedFile
	fs  *aferoFS
	dir *Dir
}

func (f *aferoDir) Stat() (fs.FileInfo, error) { return f.dir.dir.Info, nil }

func (f *aferoDir) Close() error { return pathError("close", f.name, f.dir.Close()) }

func (f *aferoDir) isDirectory() error {
	return pathError("read", f.name, problem(IsDirectory, f.name, nil, "%s is a directory.", quote(f.name)))
}

func (f *aferoDir) Read([]byte) (int, error)          { return 0, f.isDirectory() }
func (f *aferoDir) ReadAt([]byte, int64) (int, error) { return 0, f.isDirectory() }
func (f *aferoDir) Seek(int64, int) (int64, error)    { return 0, f.isDirectory() }

// Readdirnames returns the next n names, or all that remain, sorted, when n is not positive, as os.File does.
func (f *aferoDir) Readdirnames(n int) ([]string, error) {
	infos, err := f.Readdir(n)
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name()
	}
	return names, err
}

// Readdir returns the next n entries, or all that remain when n is not positive, as os.File does. A batch is sorted by name.
func (f *aferoDir) Readdir(n int) ([]fs.FileInfo, error) {
	all := n <= 0
	if all {
		n = 256
	}
	infos := []fs.FileInfo{}
	for all || len(infos) == 0 {
		entries, err := f.dir.Next(f.fs.ctx, n)
		if err == io.EOF && all {
			break
		}
		if err == io.EOF {
			return infos, io.EOF
		}
		if err != nil {
			return infos, pathError("readdir", f.name, err)
		}
		for _, e := range entries {
			if info, err := f.dir.Lstat(f.fs.ctx, e.Name); err == nil {
				infos = append(infos, info.sys)
			}
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}

// maxBuffered bounds what a file that is opened for writing through FS may hold, in bytes.
const maxBuffered = 64 << 20

// aferoWriter is a file opened for writing: a buffer that becomes the file's content when it is synced or closed. Until then
// nobody sees it. A file that was read into the buffer and has changed meanwhile is STALE_FILE; one that is only appended to is
// not read at all.
type aferoWriter struct {
	fs      *aferoFS
	name    string
	flag    int
	buffer  []byte
	offset  int64
	sum     string // sha256 of the file that the buffer replaces; "" for any
	info    fs.FileInfo
	dirty   bool
	closed  bool
	options WriteOptions
}

func (f *aferoFS) openWrite(name string, flag int, perm fs.FileMode) (*aferoWriter, error) {
	w := &aferoWriter{fs: f, name: name, flag: flag, options: WriteOptions{Overwrite: true, Mode: perm.Perm()}}
	info, err := f.root.Stat(f.ctx, name)
	switch {
	case CodeOf(err) == FileNotFound && flag&os.O_CREATE != 0:
		return w, w.create()
	case err != nil:
		return nil, err
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, fs.ErrExist
	case info.Kind != RegularFile:
		return nil, problem(IsDirectory, name, nil, "%s is a directory.", quote(name))
	}
	w.info = info.sys
	if flag&os.O_APPEND != 0 && flag&os.O_RDWR == 0 && flag&os.O_TRUNC == 0 {
		return w, f.root.checkChange(f.ctx, name)
	}
	if flag&os.O_TRUNC != 0 {
		w.dirty = true
		return w, f.root.checkChange(f.ctx, name)
	}
	return w, w.load()
}

// create makes the file at once, empty, so that others find it and O_EXCL means what it says.
func (w *aferoWriter) create() error {
	result, err := w.fs.root.Write(w.fs.ctx, w.name, nil, WriteOptions{Mode: w.options.Mode})
	if err != nil {
		return err
	}
	w.sum = result.SHA256
	info, err := w.fs.root.Stat(w.fs.ctx, w.name)
	w.info = info.sys
	return err
}

// load reads the file into the buffer.
func (w *aferoWriter) load() error {
	if err := w.fs.root.checkChange(w.fs.ctx, w.name); err != nil {
		return err
	}
	content, info, err := w.fs.root.ReadFile(w.fs.ctx, w.name, maxBuffered)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	w.buffer, w.sum, w.info = content, hex.EncodeToString(sum[:]), info.sys
	return nil
}

// appends reports whether the buffer goes behind the file instead of replacing it.
func (w *aferoWriter) appends() bool {
	return w.flag&os.O_APPEND != 0 && w.flag&(os.O_RDWR|os.O_TRUNC) == 0
}

func (w *aferoWriter) Name() string { return w.name }

// Sync makes what was written so far the content of the file.
func (w *aferoWriter) Sync() error {
	if w.closed {
		return w.fail("sync", fs.ErrClosed)
	}
	if !w.dirty {
		return nil
	}
	o := w.options
	o.Append = w.appends()
	if !o.Append {
		o.ExpectedSHA256 = w.sum
	}
	result, err := w.fs.root.Write(w.fs.ctx, w.name, w.buffer, o)
	if err != nil {
		return w.fail("sync", err)
	}
	w.dirty = false
	if o.Append {
		w.buffer, w.offset = nil, 0
	} else {
		w.sum = result.SHA256
	}
	return nil
}

func (w *aferoWriter) Close() error {
	if w.closed {
		return w.fail("close", fs.ErrClosed)
	}
	err := w.Sync()
	w.closed = true
	w.buffer = nil
	return err
}

func (w *aferoWriter) Write(p []byte) (int, error) {
	if w.flag&os.O_APPEND != 0 {
		w.offset = int64(len(w.buffer))
	}
	n, err := w.put(p, w.offset)
	w.offset += int64(n)
	return n, err
}

func (w *aferoWriter) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *aferoWriter) WriteAt(p []byte, offset int64) (int, error) {
	if w.flag&os.O_APPEND != 0 {
		return 0, w.fail("write", fs.ErrInvalid)
	}
	return w.put(p, offset)
}

func (w *aferoWriter) put(p []byte, offset int64) (int, error) {
	if err := w.writable("write"); err != nil {
		return 0, err
	}
	if offset < 0 || offset > maxBuffered || int64(len(p)) > maxBuffered-offset {
		return 0, w.fail("write", tooLarge(w.name, maxBuffered))
	}
	if end := offset + int64(len(p)); end > int64(len(w.buffer)) {
		w.grow(end)
	}
	w.dirty = true
	return copy(w.buffer[offset:], p), nil
}

func (w *aferoWriter) grow(size int64) {
	w.buffer = append(w.buffer, bytes.Repeat([]byte{0}, int(size)-len(w.buffer))...)
}

func (w *aferoWriter) Truncate(size int64) error {
	if err := w.writable("truncate"); err != nil {
		return err
	}
	if size < 0 || size > maxBuffered || w.appends() {
		return w.fail("truncate", fs.ErrInvalid)
	}
	if size > int64(len(w.buffer)) {
		w.grow(size)
	}
	w.buffer, w.dirty = w.buffer[:size], true
	return nil
}

func (w *aferoWriter) Read(p []byte) (int, error) {
	n, err := w.ReadAt(p, w.offset)
	w.offset += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (w *aferoWriter) ReadAt(p []byte, offset int64) (int, error) {
	switch {
	case w.closed:
		return 0, w.fail("read", fs.ErrClosed)
	case w.flag&os.O_WRONLY != 0:
		return 0, w.fail("read", fs.ErrPermission)
	case offset < 0:
		return 0, w.fail("read", fs.ErrInvalid)
	case len(p) == 0:
		return 0, nil
	case offset >= int64(len(w.buffer)):
		return 0, io.EOF
	}
	n := copy(p, w.buffer[offset:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (w *aferoWriter) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += w.offset
	case io.SeekEnd:
		offset += int64(len(w.buffer))
	}
	if w.closed || offset < 0 {
		return 0, w.fail("seek", fs.ErrInvalid)
	}
	w.offset = offset
	return offset, nil
}

func (w *aferoWriter) Stat() (fs.FileInfo, error) {
	return bufferInfo{w.info, int64(len(w.buffer))}, nil
}

func (w *aferoWriter) Readdir(int) ([]fs.FileInfo, error) {
	return nil, w.fail("readdir", problem(NotDirectory, w.name, nil, "%s is a file.", quote(w.name)))
}

func (w *aferoWriter) Readdirnames(int) ([]string, error) {
	_, err := w.Readdir(0)
	return nil, err
}

func (w *aferoWriter) writable(op string) error {
	switch {
	case w.closed:
		return w.fail(op, fs.ErrClosed)
	case w.flag&(os.O_WRONLY|os.O_RDWR) == 0:
		return w.fail(op, fs.ErrPermission)
	}
	return nil
}

func (w *aferoWriter) fail(op string, err error) error { return pathError(op, w.name, err) }

// bufferInfo describes the file with the size that it is about to have.
type bufferInfo struct {
	fs.FileInfo
	size int64
}

func (i bufferInfo) Size() int64 { return i.size }
