package external_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/plugin/plugintest"
	"github.com/dougu-go/dougu/tools/search/segment"
)

func TestSource_Contract(t *testing.T) {
	t.Run("list", func(t *testing.T) {
		plugintest.RunSource(t, func(*testing.T) plugintest.Pages {
			w := newWiki()
			return plugintest.Pages{Source: w, Put: w.put, Remove: w.remove}
		})
	})
	t.Run("changes", func(t *testing.T) {
		plugintest.RunSource(t, func(*testing.T) plugintest.Pages {
			f := &feed{wiki: newWiki()}
			return plugintest.Pages{Source: f, Put: f.put, Remove: f.remove}
		})
	})
	t.Run("texts in the list", func(t *testing.T) {
		plugintest.RunSource(t, func(*testing.T) plugintest.Pages {
			w := newWiki()
			w.inline = true
			return plugintest.Pages{Source: w, Put: w.put, Remove: w.remove}
		})
	})
}

func TestNew_Names(t *testing.T) {
	for _, name := range []string{"", "w", "Wiki", "wi/ki", "wiki:", "1wiki", strings.Repeat("w", 33)} {
		w := newWiki()
		w.name = name
		if d, err := external.New(w, external.Options{Interval: -1}); err == nil {
			t.Errorf("the name %q is accepted", name)
			d.Close(t.Context())
		}
	}
	if _, err := external.New(nil, external.Options{}); err == nil {
		t.Error("a nil source is accepted")
	}
}

// TestRefresh_ReadsChangedDocuments checks that unchanged documents are not read again, also after a restart with an index on
// disk.
func TestRefresh_ReadsChangedDocuments(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Text: "kettle"})
	w.put(plugin.Document{ID: "b", Text: "toaster", Modified: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)})
	dir := t.TempDir()
	for start := range 2 {
		kept, err := segment.Open(t.Context(), dir, segment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := open(t, w, external.Options{Index: kept})
		refresh(t, d)
		want := []string{"a", "b"}
		if start == 1 {
			want = nil
		}
		if got := w.reads(); !slices.Equal(got, want) {
			t.Errorf("start %d: %q were read, want %q", start, got, want)
		}
		w.put(plugin.Document{ID: "a", Text: fmt.Sprint("kettle ", start)})
		if r := refresh(t, d); r.Updated != 1 || r.Unchanged != 1 {
			t.Errorf("start %d: %+v", start, r)
		}
		if got := w.reads(); !slices.Equal(got, []string{"a"}) {
			t.Errorf("start %d: %q were read after a change", start, got)
		}
		if err := d.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRefresh_Changes(t *testing.T) {
	f := &feed{wiki: newWiki()}
	for i := range 5 {
		f.put(plugin.Document{ID: fmt.Sprint("page", i), Text: "kettle"})
	}
	d := open(t, f, external.Options{})
	refresh(t, d)
	f.reads()
	for i := range 5 {
		f.put(plugin.Document{ID: fmt.Sprint("page", i), Text: "toaster"})
	}
	f.remove("page0")
	f.put(plugin.Document{ID: "new", Text: "toaster"})
	if r := refresh(t, d); r.Updated != 4 || r.Added != 1 || r.Removed != 1 || f.lists != 1 {
		t.Errorf("%+v after %d lists", r, f.lists)
	}
	if got := find(t, d, "toaster"); len(got) != 5 {
		t.Errorf("found %q", got)
	}
	f.set(func() { f.log = nil }) // the cursor expires
	f.put(plugin.Document{ID: "page1", Text: "lamp"})
	if r := refresh(t, d); r.Updated != 1 || r.Unchanged != 4 || f.lists != 2 {
		t.Errorf("with an expired cursor: %+v after %d lists", r, f.lists)
	}
}

// TestRefresh_Failures checks that a source that fails removes nothing from the index, and that the failure is reported.
func TestRefresh_Failures(t *testing.T) {
	w := newWiki()
	for i := range 30 {
		w.put(plugin.Document{ID: fmt.Sprintf("p%02d", i), Text: "kettle"})
	}
	d := open(t, w, external.Options{})
	refresh(t, d)

	w.put(plugin.Document{ID: "q", Text: "toaster"})
	w.remove("p00")
	w.set(func() { w.listErr = errors.New("the database is down") })
	_, err := d.Refresh(t.Context(), plugin.RefreshOptions{})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "wiki", "the database is down")
	s := d.Status()
	if s.State != plugin.Failed || !strings.Contains(s.Error, "the database is down") || d.Health(t.Context()) == nil {
		t.Errorf("the status is %+v", s)
	}
	if len(find(t, d, "kettle")) != 30 || len(find(t, d, "toaster")) != 1 {
		t.Errorf("indexed are %q", paths(t, d))
	}

	w.set(func() { w.listErr = nil; w.getErr = func(string) error { return errors.New("HTTP status 500") } })
	for i := range 30 {
		w.put(plugin.Document{ID: fmt.Sprintf("p%02d", i), Text: "lamp"})
	}
	_, err = d.Refresh(t.Context(), plugin.RefreshOptions{})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "in a row", "HTTP status 500")
	if got := len(w.reads()); got > 45 {
		t.Errorf("%d documents were requested from a source that fails", got)
	}

	w.set(func() {
		w.getErr = func(id string) error {
			if id == "p07" {
				return errors.New("HTTP status 500")
			}
			return nil
		}
	})
	if r := refresh(t, d); r.Updated != 29 || r.Unchanged != 1 {
		t.Errorf("with one unreadable document: %+v", r)
	}
	s = d.Status()
	if s.State != plugin.Ready || len(s.Skipped) != 1 || s.Skipped[0].Files != 1 || s.Skipped[0].Reason != "not readable" || !strings.Contains(s.Error, "HTTP status 500") {
		t.Errorf("the status is %+v", s)
	}
	if got := find(t, d, "kettle"); !slices.Equal(got, []string{"wiki:/p07"}) {
		t.Errorf("the old version is in %q", got)
	}
	w.set(func() { w.getErr = nil })
	if r, s := refresh(t, d), d.Status(); r.Updated != 1 || len(s.Skipped) != 0 || s.Error != "" || d.Health(t.Context()) != nil {
		t.Errorf("after the recovery: %+v, %+v", r, s)
	}
}

func TestRefresh_Panic(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Text: "kettle"})
	w.getErr = func(string) error { panic("nil map") }
	d := open(t, w, external.Options{})
	if r := refresh(t, d); r.Added != 0 || d.Status().Error == "" {
		t.Errorf("%+v, %+v", r, d.Status())
	}
}

func TestRefresh_Limits(t *testing.T) {
	w := newWiki()
	for i := range 6 {
		w.put(plugin.Document{ID: fmt.Sprint("p", i), Text: strings.Repeat("kettle ", 10)})
	}
	w.put(plugin.Document{ID: "large", Text: strings.Repeat("kettle ", 1000)})
	w.put(plugin.Document{ID: "a.pdf", Text: "%PDF-1.4 kettle"})
	d := open(t, w, external.Options{MaxDocuments: 5, MaxText: 1000})
	r := refresh(t, d)
	want := map[string]int{"too large": 1, "binary": 1, "more documents than are indexed": 3}
	if r.Added != 3 || len(r.Skipped) != len(want) {
		t.Errorf("%+v", r)
	}
	for _, s := range r.Skipped {
		if want[s.Reason] != s.Files {
			t.Errorf("%d documents are %q", s.Files, s.Reason)
		}
	}
	w.reads()
	refresh(t, d)
	if got := w.reads(); len(got) != 0 {
		t.Errorf("skipped and unchanged documents are read again: %q", got)
	}
}

// TestDocuments_HostileIDs checks that an ID never becomes a path of the project or a pattern.
func TestDocuments_HostileIDs(t *testing.T) {
	w := newWiki()
	ids := []string{"../../etc/passwd", "/etc/passwd", "a//b", "a/./b", ".", "..", "C:\\x", "*.md", "a%2Fb", "a/b/", "設 定", "[x]{y}?", "%00", "a\u202eb"}
	for _, id := range ids {
		w.put(plugin.Document{ID: id, Title: "x", Text: "kettle " + id})
	}
	for _, id := range []string{"", "a\x00b", "a\nb", "\xff", strings.Repeat("a", 513)} {
		w.put(plugin.Document{ID: id, Text: "toaster"})
	}
	d := open(t, w, external.Options{})
	r := refresh(t, d)
	if r.Added != len(ids) || len(r.Skipped) != 1 || r.Skipped[0].Files != 5 {
		t.Errorf("%+v", r)
	}
	for _, id := range ids {
		path := d.Path(id)
		parts := strings.Split(path, "/")
		if parts[0] != "wiki:" || slices.Contains(parts, "..") || slices.Contains(parts, ".") || slices.Contains(parts, "") || strings.ContainsAny(path, `\*?[]{}`) {
			t.Errorf("the path of %q is %q", id, path)
		}
		text, _, err := d.Read(t.Context(), path)
		if err != nil || !strings.Contains(string(text), "kettle "+id) {
			t.Errorf("Read(%q): %q, %v", path, text, err)
		}
	}
	for _, path := range []string{"wiki:/../x", "wiki:/", "wiki:", "etc/passwd", "wiki:/%2e%2e", "wiki:/%zz", "wiki:/a%2Fb", "other:/Home"} {
		_, _, err := d.Read(t.Context(), path)
		toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	}
}

func TestDocuments_HostileTexts(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Title: "Line\none\x1b[31m" + strings.Repeat("x", 1000), URL: "javascript:alert(1)", Text: "kettle \x00\x1b[2J \xff end", Modified: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), Format: "../x"})
	w.put(plugin.Document{ID: "b", Title: "<b>", URL: "https://user:secret@example.com/", Text: "<p>toaster", Format: "html"})
	d := open(t, w, external.Options{})
	if r := refresh(t, d); r.Added != 2 {
		t.Fatalf("%+v", r)
	}
	text, modified, err := d.Read(t.Context(), "wiki:/a")
	if err != nil || strings.ContainsAny(string(text), "\x00\x1b") || !utf8.Valid(text) || !modified.IsZero() || !strings.HasSuffix(string(text), "kettle \ufffd\ufffd[2J \ufffd end") {
		t.Errorf("%q, %v, %v", text, modified, err)
	}
	for _, path := range []string{"wiki:/a", "wiki:/b"} {
		if got, ok := d.Describe(path); !ok || got.URL != "" || len(got.Title) > 310 || strings.ContainsAny(got.Title, "\n\x1b") {
			t.Errorf("%s is described as %+v", path, got)
		}
	}
}

// TestRead_Unlisted checks that documents that the source does not list are neither read nor indexed.
func TestRead_Unlisted(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Text: "kettle"})
	w.put(plugin.Document{ID: "secret", Text: "password"})
	w.unlisted["secret"] = true
	d := open(t, w, external.Options{})
	refresh(t, d)
	_, _, err := d.Read(t.Context(), "wiki:/secret")
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	_, err = d.Refresh(t.Context(), plugin.RefreshOptions{Path: "wiki:/secret"})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
	if got := paths(t, d); !slices.Equal(got, []string{"wiki:/a"}) {
		t.Errorf("indexed are %q", got)
	}
}

// TestRead_Memory checks that texts beyond MaxMemory come from the source.
func TestRead_Memory(t *testing.T) {
	w := newWiki()
	w.put(plugin.Document{ID: "a", Title: "Kettle", Text: "The kettle.\n"})
	for _, test := range []struct{ memory, reads int }{{0, 0}, {-1, 1}} {
		d := open(t, w, external.Options{MaxMemory: test.memory})
		refresh(t, d)
		w.reads()
		text, _, err := d.Read(t.Context(), "wiki:/a")
		if err != nil || string(text) != "# Kettle\n\nThe kettle.\n" {
			t.Errorf("%q, %v", text, err)
		}
		if got := w.reads(); len(got) != test.reads {
			t.Errorf("with MaxMemory %d the source was read %d times", test.memory, len(got))
		}
	}
	d := open(t, w, external.Options{MaxMemory: -1})
	refresh(t, d)
	w.set(func() { w.getErr = func(string) error { return errors.New("down") } })
	_, _, err := d.Read(t.Context(), "wiki:/a")
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "down")
	w.set(func() { w.getErr = func(string) error { return fs.ErrNotExist } })
	_, _, err = d.Read(t.Context(), "wiki:/a")
	toolsettest.WantError(t, err, "FILE_NOT_FOUND")
}

// TestDocuments_Interval checks the updates that start by themselves.
func TestDocuments_Interval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWiki()
		w.put(plugin.Document{ID: "a", Text: "kettle"})
		d := open(t, w, external.Options{Interval: time.Minute})
		synctest.Wait()
		if s := d.Status(); s.State != plugin.Ready || s.Files != 1 {
			t.Errorf("after the start the status is %+v", s)
		}
		w.put(plugin.Document{ID: "b", Text: "kettle"})
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := paths(t, d); len(got) != 2 {
			t.Errorf("after a minute %q are indexed", got)
		}
	})
}
