// Package source makes a wiki searchable: a directory of Markdown files that a web server shows as pages.
//
// Copy it to search documents of another kind, for example the articles of a database: List then returns the keys and times of its rows,
// and Get the text of one row. The test runs the conformance kit of sources, and the example searches the wiki with the tools.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Wiki is the source of the pages in a directory. Its methods may be called concurrently.
type Wiki struct {
	dir  *os.Root // also keeps links within the directory
	base *url.URL
}

var _ plugin.Source = (*Wiki)(nil)

// Open returns the pages in dir. base is the address of the web server, for example "https://wiki.example.com/".
func Open(dir, base string) (*Wiki, error) {
	address, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("opening a wiki: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening a wiki: %w", err)
	}
	return &Wiki{root, address}, nil
}

// Close releases the directory.
func (w *Wiki) Close() error { return w.dir.Close() }

// Name implements plugin.Source.
func (w *Wiki) Name() string { return "wiki" }

// extension is that of the files of pages.
const extension = ".md"

// List implements plugin.Source. It reads no file.
func (w *Wiki) List(ctx context.Context) iter.Seq2[plugin.Document, error] {
	return func(yield func(plugin.Document, error) bool) {
		err := fs.WalkDir(w.dir.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil:
				return ctx.Err() // otherwise the remaining pages would count as removed
			case !entry.Type().IsRegular() || path.Ext(name) != extension:
				return nil
			}
			info, err := entry.Info()
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed during the walk
			}
			if err != nil {
				return err
			}
			if !yield(w.document(name, info), nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(plugin.Document{}, err)
		}
	}
}

// Get implements plugin.Source.
func (w *Wiki) Get(ctx context.Context, id string) (plugin.Document, error) {
	if err := ctx.Err(); err != nil {
		return plugin.Document{}, err
	}
	name := id + extension
	if !fs.ValidPath(name) {
		return plugin.Document{}, fmt.Errorf("page %q: %w", id, fs.ErrNotExist)
	}
	file, err := w.dir.Open(name)
	if err != nil {
		return plugin.Document{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return plugin.Document{}, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return plugin.Document{}, err
	}
	doc := w.document(name, info)
	doc.Text = string(text)
	if first, _, _ := strings.Cut(doc.Text, "\n"); strings.HasPrefix(first, "# ") {
		doc.Title = strings.TrimSpace(first[2:])
	}
	return doc, nil
}

// document returns the fields of a page that its directory entry gives.
func (w *Wiki) document(name string, info fs.FileInfo) plugin.Document {
	id := strings.TrimSuffix(name, extension)
	return plugin.Document{
		ID: id, URL: w.base.JoinPath(strings.Split(id, "/")...).String(), Modified: info.ModTime(),
		Version: fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano()),
	}
}
