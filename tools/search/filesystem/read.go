package filesystem

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/security"
)

// racyWindow is the time before reading within which a modification makes a file racy: a later change could leave the same
// modification time. The coarsest file systems have a resolution of two seconds.
const racyWindow = 2 * time.Second

// maxKeptBuffer is the maximum size of a buffer that is reused.
const maxKeptBuffer = 4 << 20

var (
	errLarge = errors.New("the file is too large")
	errMoved = errors.New("the file was replaced by a link")
)

// fileContent is the content of a file with its metadata.
type fileContent struct {
	info    security.FileInfo // before it was read
	content []byte
	racy    bool // whether a later change could leave the same modification time
}

// indexTime returns the modification time to store in the index. For a racy file it is one nanosecond earlier, so that the next
// update compares the content.
func (r *fileContent) indexTime() time.Time {
	if r.racy {
		return r.info.ModTime.Add(-1)
	}
	return r.info.ModTime
}

// indexFile reads a file and writes it to the index. It returns buf, or a larger buffer for reuse.
func (b *batch) indexFile(ctx context.Context, t target, buf []byte) []byte {
	w := b.work
	got, err := w.f.readFile(ctx, t.path, buf)
	if cap(got.content) > cap(buf) && cap(got.content) <= maxKeptBuffer {
		buf = got.content
	}
	if err == nil && got.info.Path != t.path {
		err = errMoved
	}
	if err != nil {
		b.recordSkip(ctx, t, got, err)
		return buf
	}
	hash := sha256.Sum256(got.content)
	if t.indexed && !w.full && t.known.Hash == hash && w.f.cutter.isCurrent(t.known) {
		b.recordTouch(t, got)
		return buf
	}
	file, err := w.f.cutter.cut(ctx, t.path, got.content)
	if err != nil {
		b.recordSkip(ctx, t, got, err)
		return buf
	}
	file.Path, file.Hash, file.Size, file.ModTime = t.path, hash, got.info.Size, got.indexTime()
	b.recordPut(ctx, t, b.writer.Put(ctx, file))
	return buf
}

// recordPut records the outcome of Writer.Put.
func (b *batch) recordPut(ctx context.Context, t target, err error) {
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

// recordTouch records a file whose content is unchanged.
func (b *batch) recordTouch(t target, got fileContent) {
	now := t.known
	now.Size, now.ModTime = got.info.Size, got.indexTime()
	b.mu.Lock()
	defer b.mu.Unlock()
	if now.Size == t.known.Size && now.ModTime.Equal(t.known.ModTime) {
		b.unchanged++
		return
	}
	b.touched = append(b.touched, now)
}

// recordSkip records a file that cannot be indexed, with the reason.
func (b *batch) recordSkip(ctx context.Context, t target, got fileContent, err error) {
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
		reason = skipReason(err)
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

// readFile reads a file into buf, which may be nil.
func (f *Filesystem) readFile(ctx context.Context, path string, buf []byte) (fileContent, error) {
	began := time.Now()
	file, err := f.root.Open(ctx, path)
	if err != nil {
		return fileContent{}, err
	}
	defer file.Close()
	r := fileContent{info: file.Info()}
	r.racy = began.Sub(r.info.ModTime) <= racyWindow
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

// Read implements plugin.Documents. Files outside of the indexed directories have the error FILE_NOT_FOUND, files above
// Options.MaxFile FILE_TOO_LARGE.
func (f *Filesystem) Read(ctx context.Context, path string) (text []byte, modified time.Time, err error) {
	got, err := f.readFile(ctx, path, nil)
	switch {
	case errors.Is(err, errLarge):
		return nil, time.Time{}, &security.Error{Code: security.FileTooLarge, AttemptedPath: path, Message: fmt.Sprintf("%s is larger than the limit of %d bytes for indexed files.", path, f.maxFile)}
	case err != nil:
		return nil, time.Time{}, err
	case !f.isCovered(got.info.Path):
		return nil, time.Time{}, &security.Error{Code: security.FileNotFound, AttemptedPath: path, Message: path + " is not indexed.", Next: "get_index_status lists the indexed directories (covered)."}
	}
	text, err = f.cutter.text(ctx, got.info.Path, got.content)
	if err != nil {
		return nil, time.Time{}, &security.Error{Code: security.InvalidParams, AttemptedPath: path, Message: path + " cannot be read as text: " + err.Error() + ".", Err: err}
	}
	return text, got.info.ModTime, nil
}
