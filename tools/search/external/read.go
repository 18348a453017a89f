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
	kept, ok := d.texts.Get(path)
	closed := d.closed
	d.mu.Unlock()
	switch {
	case closed:
		return nil, time.Time{}, d.Health(ctx)
	case ok:
		return kept.text, kept.modified, nil
	}
	if _, ok, err := d.index.Lookup(ctx, path); err != nil {
		return nil, time.Time{}, d.readError(ctx, path, err)
	} else if !ok {
		return nil, time.Time{}, d.missing(path)
	}
	doc, err := d.get(ctx, plugin.Document{ID: id})
	if err != nil {
		return nil, time.Time{}, d.readError(ctx, path, err)
	}
	p, err := d.makePage(ctx, doc)
	if err != nil {
		return nil, time.Time{}, d.readError(ctx, path, err)
	}
	d.remember(p)
	return p.file.Text, p.modified, nil
}

// remember keeps the text, the title and the URL of a document.
func (d *Documents) remember(p page) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.texts.Put(p.file.Path, cachedText{p.file.Text, p.modified}, len(p.file.Text)+len(p.file.Path))
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
