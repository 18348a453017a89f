package aferofs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dougu-go/dougu/security"
)

// maxBuffered is the largest size of a file that is opened for writing, in bytes.
const maxBuffered = 64 << 20

// writer is a file opened for writing: a buffer that becomes the file's content when it is synced or closed, and is invisible
// until then. A file that was read into the buffer and has changed meanwhile is STALE_FILE; one that is only appended to is
// not read at all.
type writer struct {
	fs      *fileSystem
	name    string
	flag    int
	buffer  []byte
	offset  int64
	sum     string // sha256 of the file that the buffer replaces; "" for any
	info    fs.FileInfo
	dirty   bool
	closed  bool
	options security.WriteOptions
}

func (f *fileSystem) openWrite(name string, flag int, perm fs.FileMode) (*writer, error) {
	w := &writer{fs: f, name: name, flag: flag, options: security.WriteOptions{Overwrite: true, Mode: perm.Perm()}}
	info, err := f.root.Stat(f.ctx, name)
	switch {
	case security.CodeOf(err) == security.FileNotFound && flag&os.O_CREATE != 0:
		return w, w.create()
	case err != nil:
		return nil, err
	case flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, fs.ErrExist
	case info.Kind != security.RegularFile:
		return nil, isDirectory(name)
	}
	w.info = info.Sys()
	if flag&os.O_APPEND != 0 && flag&os.O_RDWR == 0 && flag&os.O_TRUNC == 0 {
		return w, f.root.CheckWrite(f.ctx, name)
	}
	if flag&os.O_TRUNC != 0 {
		w.dirty = true
		return w, f.root.CheckWrite(f.ctx, name)
	}
	return w, w.load()
}

// create makes the file at once, empty, so that other callers find it and O_EXCL holds.
func (w *writer) create() error {
	result, err := w.fs.root.Write(w.fs.ctx, w.name, nil, security.WriteOptions{Mode: w.options.Mode})
	if err != nil {
		return err
	}
	w.sum = result.SHA256
	info, err := w.fs.root.Stat(w.fs.ctx, w.name)
	w.info = info.Sys()
	return err
}

// load reads the file into the buffer.
func (w *writer) load() error {
	if err := w.fs.root.CheckWrite(w.fs.ctx, w.name); err != nil {
		return err
	}
	content, info, err := w.fs.root.ReadFile(w.fs.ctx, w.name, maxBuffered)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	w.buffer, w.sum, w.info = content, hex.EncodeToString(sum[:]), info.Sys()
	return nil
}

// appends reports whether the buffer goes behind the file instead of replacing it.
func (w *writer) appends() bool {
	return w.flag&os.O_APPEND != 0 && w.flag&(os.O_RDWR|os.O_TRUNC) == 0
}

func (w *writer) Name() string { return w.name }

// Sync makes the buffer the content of the file.
func (w *writer) Sync() error {
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

func (w *writer) Close() error {
	if w.closed {
		return w.fail("close", fs.ErrClosed)
	}
	err := w.Sync()
	w.closed = true
	w.buffer = nil
	return err
}

func (w *writer) Write(p []byte) (int, error) {
	if w.flag&os.O_APPEND != 0 {
		w.offset = int64(len(w.buffer))
	}
	n, err := w.put(p, w.offset)
	w.offset += int64(n)
	return n, err
}

func (w *writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *writer) WriteAt(p []byte, offset int64) (int, error) {
	if w.flag&os.O_APPEND != 0 {
		return 0, w.fail("write", fs.ErrInvalid)
	}
	return w.put(p, offset)
}

func (w *writer) put(p []byte, offset int64) (int, error) {
	if err := w.writable("write"); err != nil {
		return 0, err
	}
	if offset < 0 || offset > maxBuffered || int64(len(p)) > maxBuffered-offset {
		return 0, w.fail("write", problem(security.FileTooLarge, w.name, fmt.Sprintf("is larger than %d bytes", maxBuffered)))
	}
	if end := offset + int64(len(p)); end > int64(len(w.buffer)) {
		w.grow(end)
	}
	w.dirty = true
	return copy(w.buffer[offset:], p), nil
}

func (w *writer) grow(size int64) {
	w.buffer = append(w.buffer, bytes.Repeat([]byte{0}, int(size)-len(w.buffer))...)
}

func (w *writer) Truncate(size int64) error {
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

func (w *writer) Read(p []byte) (int, error) {
	n, err := w.ReadAt(p, w.offset)
	w.offset += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (w *writer) ReadAt(p []byte, offset int64) (int, error) {
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

func (w *writer) Seek(offset int64, whence int) (int64, error) {
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

func (w *writer) Stat() (fs.FileInfo, error) {
	return bufferInfo{w.info, int64(len(w.buffer))}, nil
}

func (w *writer) Readdir(int) ([]fs.FileInfo, error) {
	return nil, w.fail("readdir", notDirectory(w.name))
}

func (w *writer) Readdirnames(int) ([]string, error) {
	_, err := w.Readdir(0)
	return nil, err
}

func (w *writer) writable(op string) error {
	switch {
	case w.closed:
		return w.fail(op, fs.ErrClosed)
	case w.flag&(os.O_WRONLY|os.O_RDWR) == 0:
		return w.fail(op, fs.ErrPermission)
	}
	return nil
}

func (w *writer) fail(op string, err error) error { return pathError(op, w.name, err) }

// bufferInfo describes the file with the size that it is about to have.
type bufferInfo struct {
	fs.FileInfo
	size int64
}

func (i bufferInfo) Size() int64 { return i.size }
