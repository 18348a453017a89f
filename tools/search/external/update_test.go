package external_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// pagedFeed is a wiki whose changes come in given pages. The cursor is always the same, except that of the last page.
type pagedFeed struct {
	*wiki
	pages []plugin.Changes // reported once
}

func (f *pagedFeed) Changes(_ context.Context, cursor string) (plugin.Changes, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cursor == "" || len(f.pages) == 0 {
		return plugin.Changes{Cursor: "0"}, nil
	}
	c := f.pages[0]
	f.pages = f.pages[1:]
	c.Cursor, c.More = fmt.Sprint(len(f.pages)), len(f.pages) > 0
	return c, nil
}

// TestRefresh_ChangesOnPages checks documents that change several times on the pages of one update: the last change counts.
func TestRefresh_ChangesOnPages(t *testing.T) {
	old := plugin.Document{ID: "old", Text: "kettle", Version: "1"}
	newer := plugin.Document{ID: "old", Text: "toaster", Version: "2"}
	added := plugin.Document{ID: "new", Text: "lamp", Version: "1"}
	changed := func(d plugin.Document) plugin.Changes { return plugin.Changes{Changed: []plugin.Document{d}} }
	removed := func(id string) plugin.Changes { return plugin.Changes{Removed: []string{id}} }
	both := []string{"wiki:/new", "wiki:/old"}
	for _, test := range []struct {
		name                               string
		changes                            []plugin.Changes
		paths                              []string
		added, updated, removed, unchanged int
	}{
		{"added, removed", []plugin.Changes{changed(added), removed("new")}, []string{"wiki:/old"}, 0, 0, 0, 0},
		{"added, removed, added", []plugin.Changes{changed(added), removed("new"), changed(added)}, both, 1, 0, 0, 0},
		{"changed, removed", []plugin.Changes{changed(newer), removed("old")}, []string{}, 0, 0, 1, 0},
		{"removed, restored", []plugin.Changes{removed("old"), changed(old)}, []string{"wiki:/old"}, 0, 0, 0, 1},
		{"changed, removed, restored", []plugin.Changes{changed(newer), removed("old"), changed(old)}, []string{"wiki:/old"}, 0, 1, 0, 0},
		{"removed and restored on one page", []plugin.Changes{{Removed: []string{"old"}, Changed: []plugin.Document{old}}}, []string{"wiki:/old"}, 0, 0, 0, 1},
		{"removed twice", []plugin.Changes{removed("old"), removed("old"), removed("none")}, []string{}, 0, 0, 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &pagedFeed{wiki: newWiki()}
			f.put(old)
			d := open(t, f, external.Options{})
			refresh(t, d)
			f.pages = test.changes
			r := refresh(t, d)
			if got := paths(t, d); !slices.Equal(got, test.paths) || f.lists != 1 {
				t.Errorf("indexed are %q, want %q (%d lists)", got, test.paths, f.lists)
			}
			if r.Added != test.added || r.Updated != test.updated || r.Removed != test.removed || r.Unchanged != test.unchanged {
				t.Errorf("the report is %+v", r)
			}
			if found := find(t, d, "toaster"); len(found) != 0 {
				t.Errorf("the version that was replaced is found in %q", found)
			}
		})
	}
}

// TestRefresh_ListAfterChanges checks an update whose changes fail after the first page, so that the source is listed.
func TestRefresh_ListAfterChanges(t *testing.T) {
	f := &feed{wiki: newWiki()}
	for _, id := range []string{"a", "b", "c"} {
		f.put(plugin.Document{ID: id, Text: "kettle"})
	}
	d := open(t, &brokenFeed{feed: f}, external.Options{})
	refresh(t, d)
	for _, id := range []string{"a", "b", "c"} {
		f.put(plugin.Document{ID: id, Text: "toaster"})
	}
	f.remove("a") // is changed on the page before
	r := refresh(t, d)
	if got := find(t, d, "toaster"); !slices.Equal(got, []string{"wiki:/b", "wiki:/c"}) || len(find(t, d, "kettle")) != 0 {
		t.Errorf("found %q", got)
	}
	if r.Updated != 2 || r.Removed != 1 || len(r.Skipped) != 0 {
		t.Errorf("the report is %+v", r)
	}
}

// brokenFeed fails after the first page of changes.
type brokenFeed struct {
	*feed
	last string
}

func (f *brokenFeed) Changes(ctx context.Context, cursor string) (plugin.Changes, error) {
	if f.last != "" && f.last == cursor {
		return plugin.Changes{}, errors.New("the log was deleted")
	}
	c, err := f.feed.Changes(ctx, cursor)
	if c.More {
		f.last = c.Cursor
	}
	return c, err
}

// slowSource needs a minute for each document.
type slowSource struct{ *wiki }

func (s slowSource) Get(ctx context.Context, id string) (plugin.Document, error) {
	select {
	case <-time.After(time.Minute):
	case <-ctx.Done():
	}
	return s.wiki.Get(ctx, id)
}

// TestRefresh_Timeout checks that an update that ends because of its time limit keeps the documents that it has read.
func TestRefresh_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWiki()
		for i := range 100 {
			w.put(plugin.Document{ID: fmt.Sprintf("p%02d", i), Text: "kettle"})
		}
		d := open(t, slowSource{w}, external.Options{Workers: 1, Timeout: time.Hour})
		_, err := d.Refresh(t.Context(), plugin.RefreshOptions{})
		toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "longer than 1h")
		if n := len(paths(t, d)); n < 50 || n > 60 {
			t.Errorf("after an hour %d documents are indexed", n)
		}
		refresh(t, d)
		if n := len(paths(t, d)); n != 100 {
			t.Errorf("after the second update %d documents are indexed", n)
		}
	})
}

// waitingSource waits for the end of the context in Get of one document.
type waitingSource struct {
	*wiki
	id      string
	waiting chan struct{}
}

func (s *waitingSource) Get(ctx context.Context, id string) (plugin.Document, error) {
	if id == s.id {
		close(s.waiting)
		<-ctx.Done()
	}
	return s.wiki.Get(ctx, id)
}

// TestClose_KeepsReadDocuments checks that Close during an update keeps the documents that were read.
func TestClose_KeepsReadDocuments(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Text: "kettle"})
	w.put(plugin.Document{ID: "b", Text: "kettle"})
	dir := t.TempDir()
	stored, err := segment.Open(t.Context(), dir, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &waitingSource{w, "b", make(chan struct{})}
	d := open(t, s, external.Options{Index: stored, Workers: 1, Interval: time.Hour})
	<-s.waiting
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err = segment.Open(t.Context(), dir, segment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d = open(t, w, external.Options{Index: stored})
	if got := paths(t, d); !slices.Equal(got, []string{"wiki:/a"}) {
		t.Errorf("indexed are %q", got)
	}
}

// TestClose_Twice checks that a second call waits for the first one.
func TestClose_Twice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closing := &slowClose{segment.NewMemory(), make(chan struct{})}
		d, err := external.New(newWiki(), external.Options{Index: closing, Interval: -1})
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for call := range 2 {
			if err := d.Close(short); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("call %d: the error is %v before the index is closed", call, err)
			}
		}
		close(closing.release)
		for call := range 2 {
			if err := d.Close(t.Context()); err == nil || err.Error() != "disk full" {
				t.Errorf("call %d: the error is %v, want that of the index", call, err)
			}
		}
	})
}

// slowClose is an index whose Close waits, and fails.
type slowClose struct {
	index.Index
	release chan struct{}
}

func (s *slowClose) Close(ctx context.Context) error {
	<-s.release
	return errors.Join(errors.New("disk full"), s.Index.Close(ctx))
}

// failingIndex is an index with failures.
type failingIndex struct {
	index.Index
	lookup, commit error
	panics         bool // whether Put panics
}

func (i *failingIndex) Lookup(ctx context.Context, path string) (index.Known, bool, error) {
	if i.lookup != nil {
		return index.Known{}, false, i.lookup
	}
	return i.Index.Lookup(ctx, path)
}

func (i *failingIndex) Begin(ctx context.Context, o index.WriteOptions) (index.Writer, error) {
	w, err := i.Index.Begin(ctx, o)
	return &failingWriter{w, i}, err
}

type failingWriter struct {
	index.Writer
	index *failingIndex
}

func (w *failingWriter) Put(ctx context.Context, f index.File) error {
	if w.index.panics {
		panic("nil map")
	}
	return w.Writer.Put(ctx, f)
}

func (w *failingWriter) Commit(ctx context.Context) error {
	if w.index.commit != nil {
		return w.index.commit
	}
	return w.Writer.Commit(ctx)
}

// TestRefresh_WriterPanics checks that a panic in all workers ends the update, whose changes are made by the next one.
func TestRefresh_WriterPanics(t *testing.T) {
	w := newWiki()
	for i := range 10 {
		w.put(plugin.Document{ID: fmt.Sprint("p", i), Text: "kettle"})
	}
	failing := &failingIndex{Index: segment.NewMemory(), panics: true}
	d := open(t, w, external.Options{Index: failing, Workers: 2})
	_, err := d.Refresh(t.Context(), plugin.RefreshOptions{})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "panicked")
	failing.panics = false
	if r := refresh(t, d); r.Added != 10 {
		t.Errorf("after the panic: %+v", r)
	}
}

// TestRefresh_IndexFails checks that changes are not lost if the index fails while they are applied.
func TestRefresh_IndexFails(t *testing.T) {
	for _, test := range []struct {
		name string
		fail func(*failingIndex, error)
	}{
		{"Lookup", func(i *failingIndex, err error) { i.lookup = err }},
		{"Commit", func(i *failingIndex, err error) { i.commit = err }},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &feed{wiki: newWiki()}
			f.put(plugin.Document{ID: "a", Text: "kettle"})
			f.put(plugin.Document{ID: "b", Text: "kettle"})
			failing := &failingIndex{Index: segment.NewMemory()}
			d := open(t, f, external.Options{Index: failing})
			refresh(t, d)
			f.remove("a")
			f.put(plugin.Document{ID: "b", Text: "toaster"})
			test.fail(failing, errors.New("input/output error"))
			_, err := d.Refresh(t.Context(), plugin.RefreshOptions{})
			toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "input/output error")
			test.fail(failing, nil)
			if text, _, err := d.Read(t.Context(), "wiki:/b"); err != nil || string(text) == "toaster" {
				t.Errorf("Read returns a text that is not indexed: %q, %v", text, err)
			}
			refresh(t, d)
			if got := paths(t, d); !slices.Equal(got, []string{"wiki:/b"}) || len(find(t, d, "toaster")) != 1 {
				t.Errorf("indexed are %q", got)
			}
		})
	}
}

// unorderedSource lists the documents in another order each time: rotated by one.
type unorderedSource struct {
	*wiki
	rotation int
}

func (s *unorderedSource) List(ctx context.Context) iter.Seq2[plugin.Document, error] {
	return func(yield func(plugin.Document, error) bool) {
		var all []plugin.Document
		for doc, err := range s.wiki.List(ctx) {
			if err != nil {
				yield(doc, err)
				return
			}
			all = append(all, doc)
		}
		s.rotation++
		for i := range all {
			if !yield(all[(i+s.rotation)%len(all)], nil) {
				return
			}
		}
	}
}

// TestRefresh_LimitKeepsIndexed checks that the maximum number of documents keeps the indexed ones, whatever the order of the list.
func TestRefresh_LimitKeepsIndexed(t *testing.T) {
	w := newWiki()
	for i := range 8 {
		w.put(plugin.Document{ID: fmt.Sprint("p", i), Text: "kettle"})
	}
	d := open(t, &unorderedSource{wiki: w}, external.Options{MaxDocuments: 4})
	refresh(t, d)
	first := paths(t, d)
	for range 8 {
		r := refresh(t, d)
		if got := paths(t, d); !slices.Equal(got, first) || r.Unchanged != 4 || len(r.Skipped) != 1 || r.Skipped[0].Files != 4 {
			t.Fatalf("%q are indexed after %q: %+v", got, first, r)
		}
	}
	w.remove("p3") // is indexed: the list begins with p1
	if r := refresh(t, d); r.Removed != 1 || r.Added != 1 || r.Unchanged != 3 || len(paths(t, d)) != 4 {
		t.Errorf("after a removal %q are indexed: %+v", paths(t, d), r)
	}
}

// changingSource calls a function before Get returns.
type changingSource struct {
	*wiki
	during func()
}

func (s *changingSource) Get(ctx context.Context, id string) (plugin.Document, error) {
	doc, err := s.wiki.Get(ctx, id)
	s.during()
	return doc, err
}

// TestRead_Removed checks that a document that an update removes while Read gets its text is forgotten.
func TestRead_Removed(t *testing.T) {
	dir := t.TempDir()
	s := &changingSource{wiki: newWiki(), during: func() {}}
	s.put(plugin.Document{ID: "a", Title: "Kettle", Text: "kettle"})
	for start := range 2 { // the second start has no texts in memory
		stored, err := segment.Open(t.Context(), dir, segment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, s, external.Options{Index: stored})
		if start == 0 {
			refresh(t, d)
			if err := d.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s.during = func() {
			s.remove("a")
			refresh(t, d)
		}
		if _, _, err := d.Read(t.Context(), "wiki:/a"); err != nil {
			t.Error(err)
		}
		if got, ok := d.Describe("wiki:/a"); ok {
			t.Errorf("the removed document is described as %+v", got)
		}
		_, _, err = d.Read(t.Context(), "wiki:/a")
		toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	}
}
