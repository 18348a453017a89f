package plugintest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Collection is a plugin with documents and the means to change these.
type Collection struct {
	// Documents is the tested plugin. It updates its index only when Refresh is called.
	plugin.Documents
	// Put adds or replaces a document. name is a path such as "guide/start.md" or an ID of a source, text is Markdown.
	Put func(name, text string)
	// Remove removes a document.
	Remove func(name string)
}

// RunDocuments tests an implementation of plugin.Documents. open returns a plugin whose collection is empty and whose index is
// empty. Each test closes the plugin at its end, possibly a second time.
func RunDocuments(t *testing.T, open func(t *testing.T) Collection) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *library)
	}{
		{"Name", func(t *testing.T, l *library) { checkName(t, l) }},
		{"Empty", documentsEmpty}, {"Refresh", documentsRefresh}, {"RefreshChanges", documentsRefreshChanges}, {"RefreshPath", documentsRefreshPath},
		{"RefreshFull", documentsRefreshFull}, {"Read", documentsRead}, {"Texts", documentsTexts}, {"Changed", documentsChanged},
		{"Concurrent", documentsConcurrent}, {"Canceled", documentsCanceled}, {"Closed", documentsClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := &library{t: t, Collection: open(t)}
			t.Cleanup(func() { closePlugin(t, l) })
			test.run(t, l)
		})
	}
}

// library is an opened collection with the test that uses it.
type library struct {
	Collection
	t *testing.T
}

// path returns the path of a document in the index.
func (l *library) path(name string) string {
	if _, ok := l.Documents.(plugin.External); ok {
		return l.Name() + ":/" + name
	}
	return name
}

// fill puts the documents that most tests begin with.
func (l *library) fill() {
	l.Put("guide/start.md", "# Start\n\nThe installer writes the kettle file.\n")
	l.Put("guide/stop.md", "# Stop\n\nThe toaster ends by itself.\n")
	l.Put("faq.md", "# Questions\n\nWhy does the lamp flicker?\n")
}

// refresh updates the index and checks the figures of the report.
func (l *library) refresh(o plugin.RefreshOptions, added, updated, removed, unchanged int) {
	l.t.Helper()
	r, err := l.Refresh(l.t.Context(), o)
	if err != nil {
		l.t.Fatalf("Refresh(%+v): %v", o, err)
	}
	if r.Added != added || r.Updated != updated || r.Removed != removed || r.Unchanged != unchanged || r.Files != added+updated+unchanged {
		l.t.Errorf("Refresh(%+v) reports %d files: %d added, %d updated, %d removed, %d unchanged; want %d, %d, %d, %d", o, r.Files,
			r.Added, r.Updated, r.Removed, r.Unchanged, added, updated, removed, unchanged)
	}
}

// find returns the sorted paths of the documents with a word.
func (l *library) find(word string) []string {
	l.t.Helper()
	found, err := l.Index().Search(l.t.Context(), index.Query{Terms: []index.Term{{Words: []string{word}}}})
	if err != nil {
		l.t.Fatalf("searching %q: %v", word, err)
	}
	paths := []string{}
	for _, c := range found.Candidates {
		paths = append(paths, c.File.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// wantFound checks which documents have a word.
func (l *library) wantFound(word string, names ...string) {
	l.t.Helper()
	want := []string{}
	for _, name := range names {
		want = append(want, l.path(name))
	}
	if got := l.find(word); !slices.Equal(got, want) {
		l.t.Errorf("the word %q is in %q, want %q", word, got, want)
	}
}

func documentsEmpty(t *testing.T, l *library) {
	if s := l.Status(); s.State == plugin.Ready && !s.Checked.IsZero() || s.Files != 0 {
		t.Errorf("before the first Refresh the status is %+v", s)
	}
	l.refresh(plugin.RefreshOptions{}, 0, 0, 0, 0)
	if s := l.Status(); s.State != plugin.Ready || s.Checked.IsZero() || s.Error != "" {
		t.Errorf("after a Refresh of no documents the status is %+v", s)
	}
}

func documentsRefresh(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	l.wantFound("kettle", "guide/start.md")
	l.wantFound("toaster", "guide/stop.md")
	s := l.Status()
	if s.State != plugin.Ready || s.Files != 3 || s.Checked.IsZero() || s.Pending != 0 || s.Error != "" {
		t.Errorf("the status is %+v", s)
	}
	l.refresh(plugin.RefreshOptions{}, 0, 0, 0, 3)
	if err := l.Health(t.Context()); err != nil {
		t.Errorf("Health: %v", err)
	}
}

func documentsRefreshChanges(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	l.Put("faq.md", "# Questions\n\nWhy does the fan rattle, and for how long?\n")
	l.Put("guide/new.md", "# New\n\nThe doorbell rings.\n")
	l.Remove("guide/stop.md")
	l.wantFound("lamp", "faq.md") // the index changes only with Refresh
	l.refresh(plugin.RefreshOptions{}, 1, 1, 1, 1)
	l.wantFound("lamp")
	l.wantFound("rattle", "faq.md")
	l.wantFound("doorbell", "guide/new.md")
	l.wantFound("toaster")
	if _, ok, err := l.Index().Lookup(t.Context(), l.path("guide/stop.md")); ok || err != nil {
		t.Errorf("a removed document is in the index: %v, %v", ok, err)
	}
	l.refresh(plugin.RefreshOptions{}, 0, 0, 0, 3)
}

func documentsRefreshPath(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	l.Put("faq.md", "# Questions\n\nWhy does the fan rattle, and for how long?\n")
	l.Put("guide/start.md", "# Start\n\nThe installer writes two buckets.\n")
	l.refresh(plugin.RefreshOptions{Path: l.path("faq.md")}, 0, 1, 0, 0)
	l.wantFound("rattle", "faq.md")
	l.wantFound("kettle", "guide/start.md") // not part of the path
	l.Remove("faq.md")
	l.refresh(plugin.RefreshOptions{Path: l.path("faq.md")}, 0, 0, 1, 0)
	l.wantFound("rattle")
	if _, err := l.Refresh(t.Context(), plugin.RefreshOptions{Path: l.path("none.md")}); err == nil {
		t.Error("Refresh of a document that does not exist returns no error")
	} else if errorCode(err) == "" {
		t.Errorf("Refresh of a document that does not exist returns an error without a code: %v", err)
	}
}

func documentsRefreshFull(_ *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	l.refresh(plugin.RefreshOptions{Full: true}, 0, 3, 0, 0)
	l.wantFound("kettle", "guide/start.md")
}

// documentsRead checks that Read returns the text that the index refers to.
func documentsRead(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	path := l.path("guide/start.md")
	text, modified, err := l.Read(t.Context(), path)
	if err != nil || !bytes.Contains(text, []byte("the kettle file")) {
		t.Fatalf("Read(%s): %q, %v", path, text, err)
	}
	known, ok, err := l.Index().Lookup(t.Context(), path)
	if err != nil || !ok {
		t.Fatalf("Lookup(%s): %v, %v", path, ok, err)
	}
	// A file that has just been written may be recorded one nanosecond earlier.
	if d := modified.Sub(known.ModTime); !modified.IsZero() && (d < 0 || d > 1) {
		t.Errorf("Read returns the time %v, and the index has %v", modified, known.ModTime)
	}
	pieces, err := l.Index().Pieces(t.Context(), path)
	if err != nil || len(pieces) == 0 {
		t.Fatalf("Pieces(%s): %v, %v", path, pieces, err)
	}
	for _, p := range pieces {
		if p.Range.Start < 0 || p.Range.End < p.Range.Start || int(p.Range.End) > len(text) {
			t.Errorf("the piece %q has the range %v, and the text has %d bytes", p.Name, p.Range, len(text))
		} else if p.Name != "" && !bytes.Contains(text[p.Range.Start:p.Range.End], []byte(p.Name)) {
			t.Errorf("the piece %q is not at %v", p.Name, p.Range)
		}
	}
	_, _, err = l.Read(t.Context(), l.path("none.md"))
	wantCode(t, "Read of a document that does not exist", err, "FILE_NOT_FOUND")
}

// documentsTexts checks texts that are not plain UTF-8. Each is either indexed or counted as skipped.
func documentsTexts(t *testing.T, l *library) {
	texts := map[string]string{
		"empty.md": "", "binary.md": "before\x00after kettle", "invalid.md": "kettle \xff\xfe", "japanese.md": "# 設定\n\n検索の設定 doorbell\n", "long.md": strings.Repeat("kettle\n", 100_000),
	}
	for name, text := range texts {
		l.Put(name, text)
	}
	r, err := l.Refresh(t.Context(), plugin.RefreshOptions{})
	if err != nil {
		t.Fatalf("Refresh: %v", err)
	}
	skipped := 0
	for _, s := range l.Status().Skipped {
		if s.Reason == "" {
			t.Errorf("documents are skipped without a reason: %+v", s)
		}
		skipped += s.Files
	}
	if r.Files+skipped != len(texts) {
		t.Errorf("of %d documents %d are indexed and %d skipped", len(texts), r.Files, skipped)
	}
	l.wantFound("doorbell", "japanese.md")
}

func documentsChanged(t *testing.T, l *library) {
	var mu sync.Mutex
	changed := make(map[string]bool)
	calls, stopped := 0, 0
	stop := l.Changed(func(paths []string) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		for _, p := range paths {
			changed[p] = true
		}
	})
	l.Changed(func([]string) {
		mu.Lock()
		defer mu.Unlock()
		stopped++
	})()
	check := func(what string, names ...string) {
		t.Helper()
		mu.Lock()
		defer mu.Unlock()
		if calls == 0 || len(changed) != len(names) {
			t.Errorf("%s: Changed was called %d times with %v, want %q", what, calls, changed, names)
		}
		for _, name := range names {
			if !changed[l.path(name)] {
				t.Errorf("%s: %s was not reported", what, name)
			}
		}
		calls, changed = 0, make(map[string]bool)
	}
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	check("after the first Refresh", "guide/start.md", "guide/stop.md", "faq.md")
	l.Put("faq.md", "# Questions\n\nWhy does the fan rattle, and for how long?\n")
	l.Remove("guide/stop.md")
	l.refresh(plugin.RefreshOptions{}, 0, 1, 1, 1)
	check("after changes", "faq.md", "guide/stop.md")
	stop()
	l.Put("faq.md", "# Questions\n\nNone.\n")
	l.refresh(plugin.RefreshOptions{}, 0, 1, 0, 1)
	mu.Lock()
	defer mu.Unlock()
	if calls != 0 || stopped != 0 {
		t.Errorf("a function was called after its end: %d and %d times", calls, stopped)
	}
}

// documentsConcurrent reads while documents change.
func documentsConcurrent(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	var ended atomic.Bool
	var readers group.Group
	for range 3 {
		readers.Go(func() {
			for !ended.Load() && !t.Failed() {
				if _, _, err := l.Read(t.Context(), l.path("guide/start.md")); err != nil {
					t.Errorf("Read: %v", err)
				}
				if _, err := l.Index().Search(t.Context(), index.Query{Terms: []index.Term{{Words: []string{"kettle"}}}}); err != nil {
					t.Errorf("Search: %v", err)
				}
				_ = l.Status()
			}
		})
	}
	for n := range 5 {
		l.Put("faq.md", fmt.Sprintf("# Questions\n\nThe %d. question%s?\n", n, strings.Repeat(" again", n)))
		concurrently(3, func(int) {
			if _, err := l.Refresh(t.Context(), plugin.RefreshOptions{}); err != nil {
				t.Errorf("Refresh: %v", err)
			}
		})
	}
	ended.Store(true)
	readers.Wait()
	l.refresh(plugin.RefreshOptions{}, 0, 0, 0, 3)
	l.wantFound("again", "faq.md")
}

func documentsCanceled(t *testing.T, l *library) {
	l.fill()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Refresh(ctx, plugin.RefreshOptions{}); err == nil {
		t.Error("Refresh with a context that has ended returns no error")
	}
	if _, _, err := l.Read(ctx, l.path("faq.md")); err == nil {
		t.Error("Read with a context that has ended returns no error")
	}
	if _, err := l.Refresh(t.Context(), plugin.RefreshOptions{}); err != nil {
		t.Errorf("Refresh after a cancelled call: %v", err)
	}
	l.wantFound("kettle", "guide/start.md")
}

func documentsClosed(t *testing.T, l *library) {
	l.fill()
	l.refresh(plugin.RefreshOptions{}, 3, 0, 0, 0)
	closePlugin(t, l)
	_, err := l.Refresh(t.Context(), plugin.RefreshOptions{})
	wantCode(t, "Refresh after Close", err, "INDEX_UNAVAILABLE")
	if l.Health(t.Context()) == nil {
		t.Error("Health after Close returns nil")
	}
	_ = l.Status()
}
