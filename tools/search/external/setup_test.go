package external_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// wiki is a source in memory.
type wiki struct {
	mu       sync.Mutex
	name     string
	pages    map[string]plugin.Document
	unlisted map[string]bool // pages that only Get returns
	revision int
	inline   bool                  // whether List returns texts
	listErr  error                 // ends List after all pages
	getErr   func(id string) error // nil for none
	gets     []string
	lists    int
}

func newWiki() *wiki {
	return &wiki{name: "wiki", pages: make(map[string]plugin.Document), unlisted: make(map[string]bool)}
}

func (w *wiki) put(doc plugin.Document) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revision++
	if doc.Version == "" && doc.Modified.IsZero() {
		doc.Version = strconv.Itoa(w.revision)
	}
	w.pages[doc.ID] = doc
}

func (w *wiki) remove(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.pages, id)
}

// set changes the wiki with f.
func (w *wiki) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// reads returns the IDs of the calls of Get since the last call.
func (w *wiki) reads() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := w.gets
	w.gets = nil
	slices.Sort(ids)
	return ids
}

func (w *wiki) Name() string { return w.name }

func (w *wiki) List(ctx context.Context) iter.Seq2[plugin.Document, error] {
	return func(yield func(plugin.Document, error) bool) {
		w.mu.Lock()
		w.lists++
		var pages []plugin.Document
		for _, id := range slices.Sorted(maps.Keys(w.pages)) {
			if doc := w.pages[id]; !w.unlisted[id] {
				if !w.inline {
					doc.Text = ""
				}
				pages = append(pages, doc)
			}
		}
		failed := w.listErr
		w.mu.Unlock()
		for _, doc := range pages {
			if ctx.Err() != nil {
				yield(plugin.Document{}, ctx.Err())
				return
			}
			if !yield(doc, nil) {
				return
			}
		}
		if failed = errOr(failed, ctx.Err()); failed != nil {
			yield(plugin.Document{}, failed)
		}
	}
}

func errOr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (w *wiki) Get(ctx context.Context, id string) (plugin.Document, error) {
	if err := ctx.Err(); err != nil {
		return plugin.Document{}, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gets = append(w.gets, id)
	if w.getErr != nil {
		if err := w.getErr(id); err != nil {
			return plugin.Document{}, err
		}
	}
	doc, ok := w.pages[id]
	if !ok {
		return doc, fmt.Errorf("page %q: %w", id, fs.ErrNotExist)
	}
	return doc, nil
}

// feed is a wiki that reports changes.
type feed struct {
	*wiki
	log []string // changed IDs; the cursor is a position
}

func (f *feed) put(doc plugin.Document) {
	f.wiki.put(doc)
	f.set(func() { f.log = append(f.log, doc.ID) })
}

func (f *feed) remove(id string) {
	f.wiki.remove(id)
	f.set(func() { f.log = append(f.log, id) })
}

func (f *feed) Changes(_ context.Context, cursor string) (plugin.Changes, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cursor == "" {
		return plugin.Changes{Cursor: strconv.Itoa(len(f.log))}, nil
	}
	from, err := strconv.Atoi(cursor)
	if err != nil || from > len(f.log) {
		return plugin.Changes{}, fmt.Errorf("unknown cursor %q", cursor)
	}
	to := min(from+2, len(f.log))
	c := plugin.Changes{Cursor: strconv.Itoa(to), More: to < len(f.log)}
	for _, id := range f.log[from:to] {
		if doc, ok := f.pages[id]; ok {
			c.Changed = append(c.Changed, doc)
		} else {
			c.Removed = append(c.Removed, id)
		}
	}
	return c, nil
}

// open returns the Documents of a source that update only on Refresh.
func open(t *testing.T, from plugin.Source, o external.Options) *external.Documents {
	t.Helper()
	if o.Interval == 0 {
		o.Interval = -1
	}
	d, err := external.New(from, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return d
}

// refresh updates the index and returns the report.
func refresh(t *testing.T, d *external.Documents) plugin.Report {
	t.Helper()
	r, err := d.Refresh(t.Context(), plugin.RefreshOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// paths returns the indexed paths.
func paths(t *testing.T, d *external.Documents) []string {
	t.Helper()
	all := []string{}
	for known, err := range d.Index().Files(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, known.Path)
	}
	return all
}

// find returns the paths of the documents with a word.
func find(t *testing.T, d *external.Documents, word string) []string {
	t.Helper()
	found, err := d.Index().Search(t.Context(), index.Query{Terms: []index.Term{{Words: []string{word}}}})
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, c := range found.Candidates {
		all = append(all, c.File.Path)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
