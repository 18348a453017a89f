package filesystem

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/security"
)

// racy is how near to its reading a file may have been modified so that a change
// after the reading might leave the same time: the coarsest clocks of file systems
// tick every two seconds.
const racy = 2 * time.Second

// maxKept bounds the buffers that are used again.
const maxKept = 4 << 20

var (
	errLarge = errors.New("the file is too large")
	errMoved = errors.New("a link has taken the place of the file")
)

// reading is the content of a file at a moment.
type reading struct {
	info    security.FileInfo // before it was read
	content []byte
	racy    bool
}

// modified is the time that is noted of the file: if it is racy, one that it does not
// have, so that it is compared by its content the next time.
func (r *reading) modified() time.Time {
	if r.racy {
		return r.info.ModTime.Add(-1)
	}
	return r.info.ModTime
}

// one reads a file into buf, which it returns, and puts it into the index.
func (b *batch) one(ctx context.Context, t target, buf []byte) []byte {
	w := b.work
	got, err := w.f.read(ctx, t.path, buf)
	if cap(got.content) > cap(buf) && cap(got.content) <= maxKept {
		buf = got.content
	}
	if err == nil && got.info.Path != t.path {
		err = errMoved
	}
	if err != nil {
		b.unread(ctx, t, got, err)
		return buf
	}
	hash := sha256.Sum256(got.content)
	if t.indexed && !w.full && t.known.Hash == hash && w.f.cutter.current(t.known) {
		b.same(t, got)
		return buf
	}
	file, err := w.f.cutter.cut(ctx, t.path, got.content)
	if err != nil {
		b.unread(ctx, t, got, err)
		return buf
	}
	file.Path, file.Hash, file.Size, file.ModTime = t.path, hash, got.info.Size, got.modified()
	b.ended(ctx, t, b.writer.Put(ctx, file))
	return buf
}

// ended notes that a file was put.
func (b *batch) ended(ctx context.Context, t target, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		if b.err == nil && ctx.Err() == nil {
			b.err = fmt.Errorf("putting %s: %w", t.path, err)
		}
		return
	case t.indexed:
		b.updated++
	default:
		b.added++
	}
	b.put = append(b.put, t.path)
}

// same notes that only the time of a file has changed.
func (b *batch) same(t target, got reading) {
	now := t.known
	now.Size, now.ModTime = got.info.Size, got.modified()
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Size == t.known.Size && now.ModTime.Equal(t.known.ModTime) {
		b.unchanged++
		return
	}
	b.touched = append(b.touched, now)
}

// unread notes that a file is not indexed.
func (b *batch) unread(ctx context.Context, t target, got reading, err error) {
	if ctx.Err() != nil {
		return
	}
	reason := ""
	switch {
	case errors.Is(err, errMoved), security.CodeOf(err) == security.FileNotFound:
	case errors.Is(err, errLarge):
		reason = reasonLarge
	case security.CodeOf(err) != "" && got.content == nil:
		reason = reasonUnreadable
	default:
		reason = reasonOf(err)
	}
	if reason != "" {
		b.work.skip(t.path, skip{reason, got.info.Size, got.info.ModTime})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.indexed {
		b.dropped = append(b.dropped, t.path)
	}
}

// read reads a file into buf, which may be nil.
func (f *Filesystem) read(ctx context.Context, path string, buf []byte) (reading, error) {
	began := time.Now()
	file, err := f.root.Open(ctx, path)
	if err != nil {
		return reading{}, err
	}
	defer file.Close()
	r := reading{info: file.Info()}
	r.racy = began.Sub(r.info.ModTime) <= racy
	if r.info.Size > f.maxFile {
		return r, errLarge
	}
	content, err := file.ReadAll(ctx, buf, f.maxFile)
	switch {
	case security.CodeOf(err) == security.FileTooLarge:
		return r, errLarge
	case err != nil:
		return r, err
	}
	r.content = content
	r.racy = r.racy || int64(len(content)) != r.info.Size
	return r, nil
}

// Read implements plugin.Documents. What is not indexed by its place is
// FILE_NOT_FOUND, what is larger than is indexed FILE_TOO_LARGE.
func (f *Filesystem) Read(ctx context.Context, path string) (text []byte, modified time.Time, err error) {
	got, err := f.read(ctx, path, nil)
	switch {
	case errors.Is(err, errLarge):
		return nil, time.Time{}, &security.Error{Code: security.FileTooLarge, AttemptedPath: path, Message: fmt.Sprintf("%s is larger than the %d bytes that are indexed.", path, f.maxFile)}
	case err != nil:
		return nil, time.Time{}, err
	case !f.covers(got.info.Path):
		return nil, time.Time{}, &security.Error{Code: security.FileNotFound, AttemptedPath: path, Message: path + " is not indexed.", Next: "get_index_status tells which directories are (covered)."}
	}
	text, err = f.cutter.text(ctx, got.info.Path, got.content)
	if err != nil {
		return nil, time.Time{}, &security.Error{Code: security.InvalidParams, AttemptedPath: path, Message: path + " cannot be read as text: " + err.Error() + ".", Err: err}
	}
	return text, got.info.ModTime, nil
}
