package security

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// File is a regular file that is open for reading, or the unsaved text of one; see Documents. Only ReadAt can be
// called concurrently.
type File struct {
	file fileContent
	info FileInfo
}

// fileContent is the content of a File.
type fileContent interface {
	io.ReadSeekCloser
	io.ReaderAt
}

// Open opens a regular file for reading. Links inside the project are followed, and the rules apply to the opened
// file. Open never blocks on a FIFO or a device. The caller must limit the bytes it reads: other programs can change
// the size at any time.
func (r *Root) Open(ctx context.Context, name string) (*File, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	t, err := r.locate(name)
	if err != nil {
		return nil, r.logRefusal(ctx, "open", err)
	}
	opened, err := t.tree.Open(t.rel)
	if errors.Is(err, fs.ErrNotExist) {
		if text, info := r.lookupMissing(ctx, t); text != nil {
			return &File{file: textFile{bytes.NewReader([]byte(text.Text))}, info: info}, nil
		}
	}
	if err != nil {
		return nil, r.logRefusal(ctx, "open", r.explain(t, err))
	}
	if err := r.admitOpened(t, opened); err != nil {
		opened.Close()
		return nil, r.logRefusal(ctx, "open", err)
	}
	return r.present(ctx, t.tree, &File{file: opened.File, info: t.tree.info(opened.Path, opened.Info)}, oneFile), nil
}

// admitOpened checks that tools may read an opened file.
func (r *Root) admitOpened(t target, opened *rootfs.Opened) error {
	if opened.Path != t.rel {
		if err := r.admit(t, opened.Path); err != nil {
			return err
		}
	}
	if opened.Info.IsDir() {
		return problem(IsDirectory, t.given, nil, "%s is a directory.", quote(t.given))
	}
	if rootfs.Links(opened.File, opened.Info) > 1 {
		others := t.tree.links.Find(r.blocked, path.Dir(opened.Path))
		if others.Hold(opened.Info) {
			return blocked(t.given)
		}
	}
	return nil
}

// ReadFile reads an entire file of at most limit bytes. A larger file is FILE_TOO_LARGE, also if the system reports a
// smaller size.
func (r *Root) ReadFile(ctx context.Context, name string, limit int64) ([]byte, FileInfo, error) {
	f, err := r.Open(ctx, name)
	if err != nil {
		return nil, FileInfo{}, err
	}
	defer f.Close()
	content, err := f.readAll(ctx, nil, limit)
	if _, known := errors.AsType[*Error](err); err != nil && !known {
		err = failure(name, err)
	}
	if err != nil {
		return nil, f.info, err
	}
	if int64(len(content)) > limit {
		return nil, f.info, tooLarge(name, limit)
	}
	return content, f.info, nil
}

// ReadAll reads the rest of the file. buf is a buffer to reuse; it may be nil, and its content is overwritten. More
// than limit bytes are FILE_TOO_LARGE.
func (f *File) ReadAll(ctx context.Context, buf []byte, limit int64) ([]byte, error) {
	content, err := f.readAll(ctx, buf, limit)
	if err == nil && int64(len(content)) > limit {
		err = tooLarge(f.info.Path, limit)
	}
	return content, err
}

func tooLarge(name string, limit int64) error {
	return problem(FileTooLarge, name, nil, "%s is larger than %d bytes.", quote(name), limit)
}

// readChunk is the most bytes of one read; the context is checked before each.
const readChunk = 256 << 10

// readAll reads up to limit+1 bytes into buf. The reported size only determines the initial capacity.
func (f *File) readAll(ctx context.Context, buf []byte, limit int64) ([]byte, error) {
	buf = slices.Grow(buf[:0], int(min(max(f.info.Size, 0), limit, 1<<20)+1))
	for int64(len(buf)) <= limit {
		if err := ctx.Err(); err != nil {
			return buf, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		room := min(int64(cap(buf)-len(buf)), limit+1-int64(len(buf)), readChunk)
		n, err := f.Read(buf[len(buf) : len(buf)+int(room)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return buf, err
		}
	}
	return buf, nil
}

// Stat describes the file or directory at a path. Links are followed.
func (r *Root) Stat(ctx context.Context, name string) (FileInfo, error) {
	return r.stat(ctx, name, (*tree).Stat)
}

// Lstat is Stat without following a link in the last name.
func (r *Root) Lstat(ctx context.Context, name string) (FileInfo, error) {
	return r.stat(ctx, name, (*tree).Lstat)
}

func (r *Root) stat(ctx context.Context, name string, look func(*tree, string) (os.FileInfo, string, error)) (FileInfo, error) {
	if err := contextError(ctx); err != nil {
		return FileInfo{}, err
	}
	t, err := r.locate(name)
	if err != nil {
		return FileInfo{}, r.logRefusal(ctx, "stat", err)
	}
	sys, final, err := look(t.tree, t.rel)
	if errors.Is(err, fs.ErrNotExist) {
		if text, info := r.lookupMissing(ctx, t); text != nil {
			return info, nil
		}
	}
	if err != nil {
		return FileInfo{}, r.logRefusal(ctx, "stat", r.explain(t, err))
	}
	if final != t.rel {
		if err := r.admit(t, final); err != nil {
			return FileInfo{}, r.logRefusal(ctx, "stat", err)
		}
	}
	return r.describe(ctx, t.tree, t.tree.info(final, sys), oneFile), nil
}

// Info describes the file at the time of its opening. Its Path is the final path.
func (f *File) Info() FileInfo { return f.info }

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	return n, f.explain(err)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.file.ReadAt(p, offset)
	return n, f.explain(err)
}

// Seek implements io.Seeker.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	n, err := f.file.Seek(offset, whence)
	return n, f.explain(err)
}

// Close closes the file.
func (f *File) Close() error { return f.explain(f.file.Close()) }

// explain removes the real path from an error of the system.
func (f *File) explain(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failure(f.info.Path, rootfs.Reason(err))
}
