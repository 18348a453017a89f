package plugintest

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Pages is a source and the means to change its documents.
type Pages struct {
	// Source is the tested source. If it is a plugin.ChangeSource, its changes are tested as well.
	plugin.Source
	// Put adds or replaces a document. Its ID, Title, and Text (Markdown) are set.
	Put func(plugin.Document)
	// Remove removes a document.
	Remove func(id string)
}

// RunSource tests an implementation of plugin.Source, and also that package external can index it. open returns a source without
// documents.
func RunSource(t *testing.T, open func(t *testing.T) Pages) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pages)
	}{
		{"Accepted", sourceAccepted}, {"List", sourceList}, {"Get", sourceGet}, {"Versions", sourceVersions}, {"StopList", sourceStopList},
		{"Concurrent", sourceConcurrent}, {"Canceled", sourceCanceled}, {"Changes", sourceChanges},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, &pages{Pages: open(t), t: t}) })
	}
	t.Run("Indexed", func(t *testing.T) {
		RunDocuments(t, func(t *testing.T) Collection {
			source := open(t)
			indexed, err := external.New(source, external.Options{Interval: -1})
			if err != nil {
				t.Fatal(err)
			}
			put := func(name, text string) { source.Put(plugin.Document{ID: name, Text: text}) }
			return Collection{Documents: indexed, Put: put, Remove: source.Remove}
		})
	})
}

// pages is an opened source with the test that uses it.
type pages struct {
	Pages
	t *testing.T
}

// fill puts the documents that most tests begin with.
func (p *pages) fill() {
	p.Put(plugin.Document{ID: "Home", Title: "Welcome", Text: "The kettle is in the kitchen.\n"})
	p.Put(plugin.Document{ID: "Deploy/Rollback", Title: "Roll back", Text: "# Steps\n\nSwitch the toaster off.\n"})
	p.Put(plugin.Document{ID: "設定", Title: "設定", Text: "検索の設定\n"})
}

// list returns all documents by ID.
func (p *pages) list() map[string]plugin.Document {
	p.t.Helper()
	all := make(map[string]plugin.Document)
	for doc, err := range p.List(p.t.Context()) {
		if err != nil {
			p.t.Fatalf("List: %v", err)
		}
		if _, twice := all[doc.ID]; twice {
			p.t.Errorf("List returns %q twice", doc.ID)
		}
		all[doc.ID] = doc
	}
	return all
}

// get returns a document with its text.
func (p *pages) get(id string) plugin.Document {
	p.t.Helper()
	doc, err := p.Get(p.t.Context(), id)
	if err != nil {
		p.t.Fatalf("Get(%q): %v", id, err)
	}
	if doc.ID != id {
		p.t.Errorf("Get(%q) returns the document %q", id, doc.ID)
	}
	return doc
}

// sourceAccepted checks that package external accepts the name of the source and the IDs of all documents.
func sourceAccepted(t *testing.T, p *pages) {
	if name := p.Name(); name != p.Name() {
		t.Errorf("Name returns %q and then %q", name, p.Name())
	}
	p.fill()
	indexed, err := external.New(p.Source, external.Options{Interval: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := indexed.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	report, err := indexed.Refresh(t.Context(), plugin.RefreshOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, skipped := range report.Skipped {
		t.Errorf("%d documents are not indexed because they are %s: %q", skipped.Files, skipped.Reason, skipped.Examples)
	}
}

func sourceList(t *testing.T, p *pages) {
	if all := p.list(); len(all) != 0 {
		t.Errorf("an empty source lists %d documents", len(all))
	}
	p.fill()
	all := p.list()
	if len(all) != 3 {
		t.Fatalf("List returns %d documents, want 3", len(all))
	}
	for id, title := range map[string]string{"Home": "Welcome", "Deploy/Rollback": "Roll back", "設定": "設定"} {
		if got, ok := all[id]; !ok || got.Title != "" && got.Title != title {
			t.Errorf("List returns %+v for %q", got, id)
		}
	}
	p.Remove("Home")
	if all := p.list(); len(all) != 2 || all["Home"].ID != "" {
		t.Errorf("after the removal of Home the source lists %d documents", len(all))
	}
}

func sourceGet(t *testing.T, p *pages) {
	p.fill()
	for id, want := range map[string]string{"Home": "The kettle is in the kitchen.", "Deploy/Rollback": "Switch the toaster off.", "設定": "検索の設定"} {
		if doc := p.get(id); !strings.Contains(doc.Text, want) {
			t.Errorf("Get(%q) returns the text %q", id, doc.Text)
		}
	}
	p.Remove("Home")
	for _, id := range []string{"Home", "none", "home/../Home", "../../etc/passwd"} {
		if _, err := p.Get(t.Context(), id); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get(%q) without such a document returns %v, want fs.ErrNotExist", id, err)
		}
	}
}

// version returns the field that changes with a document.
func version(doc plugin.Document) string {
	if doc.Version == "" && !doc.Modified.IsZero() {
		return doc.Modified.UTC().String()
	}
	return doc.Version
}

// sourceVersions checks that the version of a document changes with its text, and only then.
func sourceVersions(t *testing.T, p *pages) {
	p.fill()
	before := p.list()
	for id, listed := range before {
		if got := p.get(id); version(got) != "" && version(listed) != "" && version(got) != version(listed) {
			t.Errorf("the version of %q is %q in List and %q in Get", id, version(listed), version(got))
		}
	}
	p.Put(plugin.Document{ID: "Home", Title: "Welcome", Text: "The kettle has moved.\n"})
	after := p.list()
	if v := version(after["Home"]); v != "" && v == version(before["Home"]) {
		t.Errorf("the version of a changed document is still %q", v)
	}
	if was, is := version(before["設定"]), version(after["設定"]); was != is {
		t.Errorf("the version of an unchanged document is %q and was %q", is, was)
	}
}

func sourceStopList(t *testing.T, p *pages) {
	p.fill()
	n := 0
	for _, err := range p.List(t.Context()) {
		if n++; err != nil {
			t.Errorf("List: %v", err)
		}
		break
	}
	if n != 1 || len(p.list()) != 3 {
		t.Errorf("after an iteration that was left List returns %d documents", len(p.list()))
	}
}

func sourceConcurrent(t *testing.T, p *pages) {
	p.fill()
	concurrently(8, func(n int) {
		for _, err := range p.List(t.Context()) {
			if err != nil {
				t.Errorf("List: %v", err)
			}
			if _, err := p.Get(t.Context(), "設定"); err != nil { // also within an iteration
				t.Errorf("Get: %v", err)
			}
		}
		if n == 0 {
			p.Put(plugin.Document{ID: "Home", Title: "Welcome", Text: "The kettle has moved.\n"})
		}
	})
}

func sourceCanceled(t *testing.T, p *pages) {
	p.fill()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	failed := false
	for _, err := range p.List(ctx) {
		failed = failed || err != nil
	}
	if !failed {
		t.Error("List with a context that has ended returns no error, so that missing documents seem to be removed")
	}
	if _, err := p.Get(ctx, "Home"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get with a context that has ended returns %v", err)
	}
}

// sourceChanges tests the changes of a plugin.ChangeSource. Other sources pass.
func sourceChanges(t *testing.T, p *pages) {
	source, ok := p.Source.(plugin.ChangeSource)
	if !ok {
		return
	}
	p.fill()
	now, err := source.Changes(t.Context(), "")
	if err != nil || now.Cursor == "" || len(now.Changed)+len(now.Removed) != 0 || now.More {
		t.Fatalf("Changes without a cursor returns %+v, %v; want a cursor alone", now, err)
	}
	p.Put(plugin.Document{ID: "Home", Title: "Welcome", Text: "The kettle has moved.\n"})
	p.Put(plugin.Document{ID: "New", Title: "New", Text: "News.\n"})
	p.Remove("設定")
	var changed, removed []string
	cursor := now.Cursor
	for range 100 {
		c, err := source.Changes(t.Context(), cursor)
		if err != nil {
			t.Fatalf("Changes: %v", err)
		}
		for _, doc := range c.Changed {
			changed = append(changed, doc.ID)
		}
		removed = append(removed, c.Removed...)
		if cursor = c.Cursor; !c.More {
			break
		}
	}
	slices.Sort(changed)
	if changed = slices.Compact(changed); !slices.Equal(changed, []string{"Home", "New"}) || !slices.Equal(removed, []string{"設定"}) {
		t.Errorf("Changes reports %q as changed and %q as removed", changed, removed)
	}
	if c, err := source.Changes(t.Context(), cursor); err != nil || len(c.Changed)+len(c.Removed) != 0 || c.More {
		t.Errorf("Changes after the last cursor returns %+v, %v", c, err)
	}
	if c, err := source.Changes(t.Context(), "not a cursor"); err == nil {
		t.Errorf("Changes with an unknown cursor returns %+v and no error", c)
	}
}
