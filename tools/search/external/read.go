package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Read implements plugin.Documents. It returns the text of the last update if that is in memory, and otherwise reads the document
// from the source. Only indexed documents are read, because the source may have documents that it does not list.
func (d *Documents) Read(ctx context.Context, path string) ([]byte, time.Time, error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	id, ok := d.id(path)
	if !ok {
		return nil, time.Time{}, d.missing(path)
	}
	d.mu.Lock()
	closed, commits := d.closed, d.commits
	d.mu.Unlock()
	if closed {
		return nil, time.Time{}, d.Health(ctx)
	}
	known, ok, err := d.index.Lookup(ctx, path)
	switch {
	case err != nil:
		return nil, time.Time{}, d.readError(ctx, path, err)
	case !ok:
		return nil, time.Time{}, d.missing(path)
	}
	if text, ok := d.cachedText(textKey{path, known.Hash}); ok {
		return text, modifiedTime(known), nil
	}
	doc, err := d.get(ctx, plugin.Document{ID: id})
	if err != nil {
		return nil, time.Time{}, d.readError(ctx, path, err)
	}
	p, err := d.makePage(ctx, doc)
	if err != nil {
		return nil, time.Time{}, d.readError(ctx, path, err)
	}
	d.remember(p, commits)
	return p.file.Text, p.modified, nil
}

// cachedText returns a text that is in memory.
func (d *Documents) cachedText(key textKey) ([]byte, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.texts.Get(key)
}

// cacheText keeps the text of a document in memory. The caller holds mu.
func (d *Documents) cacheText(p page) {
	d.texts.Put(textKey{p.file.Path, p.file.Hash}, p.file.Text, len(p.file.Text)+len(p.file.Path))
}

// modifiedTime returns page.modified of an indexed document.
func modifiedTime(known index.Known) time.Time {
	if known.ModTime.Equal(unknownTime) {
		return time.Time{}
	}
	return known.ModTime.UTC()
}

// remember keeps the text, the title and the URL of a document that was read after a number of committed updates. It keeps
// nothing after a further one, which may have removed the document.
func (d *Documents) remember(p page, commits int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.commits != commits {
		return
	}
	d.cacheText(p)
	before := d.descriptions[p.file.Path]
	d.descriptions[p.file.Path] = plugin.Description{Title: cmp.Or(p.Title, before.Title), URL: cmp.Or(p.URL, before.URL)}
}

// readError converts an error of reading a document.
func (d *Documents) readError(ctx context.Context, path string, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("reading %s: %w", path, context.Cause(ctx))
	case errors.Is(err, fs.ErrNotExist):
		return d.missing(path)
	}
	return &unavailableError{d.name, fmt.Errorf("reading %s: %w", truncate.Line(path, 200), err)}
}

// missing is the error of a document that does not exist.
func (d *Documents) missing(path string) error {
	return &security.Error{
		Code: security.FileNotFound, AttemptedPath: path, Message: fmt.Sprintf("%s has no document %s.", d.name, truncate.Quote(path, 200)),
		Next: "Use a path from the results of searchDocuments.", Err: fs.ErrNotExist,
	}
}

// get reads a document from the source, within the timeout. listed has the fields that the source may leave out.
func (d *Documents) get(ctx context.Context, listed plugin.Document) (doc plugin.Document, err error) {
	limited, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	defer d.catchPanic("Get", &err)
	doc, err = d.source.Get(limited, listed.ID)
	switch {
	case err == nil:
		return merge(doc, listed), nil
	case ctx.Err() == nil && limited.Err() != nil && !errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("the source did not return the document within %v: %w", d.timeout, err)
	}
	return doc, err
}

// catchPanic is deferred by calls of the source and converts their panics to errors.
func (d *Documents) catchPanic(method string, err *error) {
	if v := recover(); v != nil {
		d.log.Error("a source panicked", "source", d.name, "method", method, "panic", v, "stack", string(debug.Stack()))
		*err = fmt.Errorf("%s: %w", method, errPanic)
	}
}
