package security

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// File is a regular file that was opened for reading. It is not safe for use by several goroutines, except ReadAt.
type File struct {
	file *os.File
	info FileInfo
}

// Open opens the file that a path leads to for reading. Links are followed inside the project; the rules apply to what was
// really opened. The call never blocks on a FIFO or a device. The caller bounds what it reads: neither the size in Info nor the
// end of the file is to be trusted while others write to it.
func (r *Root) Open(ctx context.Context, name string) (*File, error) {
	if err := ended(ctx); err != nil {
		return nil, err
	}
	t, err := r.locate(name)
	if err != nil {
		return nil, r.refused(ctx, "open", err)
	}
	opened, err := t.tree.Open(t.rel)
	if err != nil {
		return nil, r.refused(ctx, "open", r.explain(t, err))
	}
	if err := r.admitOpened(t, opened); err != nil {
		opened.Close()
		return nil, r.refused(ctx, "open", err)
	}
	return &File{file: opened.File, info: t.tree.info(opened.Path, opened.Info)}, nil
}

// admitOpened decides whether tools may read what was opened.
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

// ReadFile reads a whole file of at most limit bytes; a larger one is FILE_TOO_LARGE. What the system says about the size is
// not believed.
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

// ReadAll reads the rest of the file into buf, which grows as it must and can be used again for the next file; its length and what
// it holds do not matter, and it may be nil. More than limit bytes are FILE_TOO_LARGE.
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

const readChunk = 256 << 10

// readAll reads up to limit+1 bytes into buf. The size that the system tells only decides how much room is made at first.
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

// Stat describes the file or directory that a path leads to.
func (r *Root) Stat(ctx context.Context, name string) (FileInfo, error) {
	return r.stat(ctx, name, (*tree).Stat)
}

// Lstat is Stat without following a link in the last name: a link is described itself.
func (r *Root) Lstat(ctx context.Context, name string) (FileInfo, error) {
	return r.stat(ctx, name, (*tree).Lstat)
}

func (r *Root) stat(ctx context.Context, name string, look func(*tree, string) (os.FileInfo, string, error)) (FileInfo, error) {
	if err := ended(ctx); err != nil {
		return FileInfo{}, err
	}
	t, err := r.locate(name)
	if err != nil {
		return FileInfo{}, r.refused(ctx, "stat", err)
	}
	sys, final, err := look(t.tree, t.rel)
	if err != nil {
		return FileInfo{}, r.refused(ctx, "stat", r.explain(t, err))
	}
	if final != t.rel {
		if err := r.admit(t, final); err != nil {
			return FileInfo{}, r.refused(ctx, "stat", err)
		}
	}
	return t.tree.info(final, sys), nil
}

// Info describes the file as it was when it was opened, and tells its final path.
func (f *File) Info() FileInfo { return f.info }

// Read reads the next bytes.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	return n, f.explain(err)
}

// ReadAt reads the bytes at an offset.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.file.ReadAt(p, offset)
	return n, f.explain(err)
}

// Seek sets where Read goes on.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	n, err := f.file.Seek(offset, whence)
	return n, f.explain(err)
}

// Close releases the file.
func (f *File) Close() error { return f.explain(f.file.Close()) }

// explain takes the real path out of an error of the system.
func (f *File) explain(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return failure(f.info.Path, rootfs.Reason(err))
}
