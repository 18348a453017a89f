package search_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/external"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// articles is a source in memory, by ID.
type articles struct {
	name  string
	mu    sync.Mutex
	pages map[string]plugin.Document
	err   error // of List
}

func (a *articles) Name() string { return a.name }

func (a *articles) set(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

func (a *articles) List(context.Context) iter.Seq2[plugin.Document, error] {
	return func(yield func(plugin.Document, error) bool) {
		a.mu.Lock()
		pages, err := maps.Clone(a.pages), a.err
		a.mu.Unlock()
		for _, id := range slices.Sorted(maps.Keys(pages)) {
			if !yield(pages[id], nil) {
				return
			}
		}
		if err != nil {
			yield(plugin.Document{}, err)
		}
	}
}

func (a *articles) Get(_ context.Context, id string) (plugin.Document, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	doc, ok := a.pages[id]
	if !ok {
		return doc, fmt.Errorf("article %s: %w", id, fs.ErrNotExist)
	}
	return doc, nil
}

// newArticles returns a source and its plugin, which updates only on Refresh.
func newArticles(t *testing.T, name string, pages ...plugin.Document) (*articles, plugin.Plugin) {
	t.Helper()
	a := &articles{name: name, pages: make(map[string]plugin.Document)}
	for _, p := range pages {
		a.pages[p.ID] = p
	}
	indexed, err := external.New(a, external.Options{Interval: -1})
	if err != nil {
		t.Fatal(err)
	}
	return a, indexed
}

func refreshAll(t *testing.T, p *project) {
	t.Helper()
	if _, err := p.Refresh(t.Context(), search.RefreshArgs{}); err != nil {
		t.Fatal(err)
	}
}

// TestExternal_Results searches the files of a project and two sources at once.
func TestExternal_Results(t *testing.T) {
	_, wiki := newArticles(t, "wiki",
		plugin.Document{ID: "Deploy/Rollback", Title: "Roll back", URL: "https://wiki.example.com/rollback", Version: "1", Text: "## Steps\n\nEmpty the stack of requests.\n"},
		plugin.Document{ID: "Home", Title: "Welcome", Version: "1", Text: "See the guide.\n"})
	_, manual := newArticles(t, "manual", plugin.Document{ID: "4711", Title: "Stack of plates", URL: "https://example.com/4711", Version: "1", Format: "html", Text: "<p>Put the plates on the stack.</p>"})
	p := newProject(t, nil, search.Options{}, newShelf(t, library()), wiki, manual)
	refreshAll(t, p)

	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "stack"})
	if err != nil || r.Notice != "" || r.Metadata.Index != "ready" || r.Metadata.Searched.Files != 6 {
		t.Fatalf("%+v, %v", r, err)
	}
	from := make(map[string]search.Document)
	for _, d := range slices.Backward(r.Results) {
		from[d.Path] = d
	}
	if d := from["wiki:/Deploy/Rollback"]; d.Title != "Roll back" || d.URL != "https://wiki.example.com/rollback" || d.Name != "Roll back > Steps" || !strings.Contains(d.Content, "Empty the stack") {
		t.Errorf("the document of the wiki is %+v", d)
	}
	if d := from["manual:/4711"]; d.Title != "Stack of plates" || !strings.Contains(d.Content, "Put the plates") {
		t.Errorf("the document of the manual is %+v", d)
	}
	if d := from["stack/stack.go"]; d.Title != "" || d.URL != "" || d.Content == "" {
		t.Errorf("the file of the project is %+v", d)
	}
	for query, want := range map[string]string{`"Put the plates"`: "manual:/4711", `/Empty the \w+/`: "wiki:/Deploy/Rollback", "roll back": "wiki:/Deploy/Rollback", "Stack.Push": "stack/stack.go"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Limit: 1})
		if err != nil || len(r.Results) != 1 || r.Results[0].Path != want {
			t.Errorf("%s: %+v, %v", query, r.Results, err)
		}
	}
	got := toolsettest.Call(t, p, "searchDocuments", `{"query":"roll back","limit":1}`)
	if text := texts(got)[0]; !strings.HasPrefix(text, "wiki:/Deploy/Rollback:") || !strings.Contains(text, "\nhttps://wiki.example.com/rollback\n") {
		t.Errorf("%q", text)
	}
	for path, want := range map[string]string{"wiki:": "wiki:/Deploy/Rollback", "wiki:/Deploy/": "wiki:/Deploy/Rollback", "manual:/": "manual:/4711", "stack/": "stack/stack.go"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "stack", Filters: &search.DocumentFilters{Path: path}})
		if err != nil || len(r.Results) == 0 {
			t.Errorf("in %s: %+v, %v", path, r, err)
			continue
		}
		for _, d := range r.Results {
			if d.Path != want {
				t.Errorf("in %s: %s", path, d.Path)
			}
		}
	}
	c, err := p.ProjectContext(t.Context(), search.ContextArgs{IncludeFiles: true, IncludeGitStatus: new(false), IncludeIssues: new(false)})
	if err != nil || c.TotalFiles != 3 || len(c.Warnings) != 0 {
		t.Errorf("the project has %d files: %+v, %v", c.TotalFiles, c.Warnings, err)
	}
}

// TestExternal_RefreshAndStatus checks that paths reach the plugin to which they belong.
func TestExternal_RefreshAndStatus(t *testing.T) {
	source, wiki := newArticles(t, "wiki", plugin.Document{ID: "Home", Version: "1", Text: "Kettle.\n"}, plugin.Document{ID: "Deploy/Back", Version: "1", Text: "Toaster.\n"})
	files := newShelf(t, library())
	p := newProject(t, library(), search.Options{}, files, wiki)
	refreshAll(t, p)
	files.refreshs = nil
	source.set(func() { source.pages["Home"] = plugin.Document{ID: "Home", Version: "2", Text: "Lamp.\n"} })
	r, err := p.Refresh(t.Context(), search.RefreshArgs{Path: "wiki:/Home"})
	if err != nil || r.Updated != 1 || r.Files != 1 || len(files.refreshs) != 0 {
		t.Errorf("%+v, %v; the files were refreshed with %+v", r, err, files.refreshs)
	}
	if _, err := p.Refresh(t.Context(), search.RefreshArgs{Path: "stack/stack.go"}); err != nil || len(files.refreshs) != 1 {
		t.Errorf("refreshing a file: %v", err)
	}
	_, err = p.Refresh(t.Context(), search.RefreshArgs{Path: "wiki:/None"})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND", "wiki")
	for path, want := range map[string]int{"wiki:/Home": 1, "wiki:/Deploy": 1, "wiki:": 2, "stack/stack.go": 1} {
		s, err := p.IndexStatus(t.Context(), search.StatusArgs{Path: path})
		if err != nil || s.Path == nil || !s.Path.Indexed || s.Path.Files != want || s.Path.Note != "" {
			t.Errorf("the status of %s is %+v, %v", path, s.Path, err)
		}
	}
	if s, err := p.IndexStatus(t.Context(), search.StatusArgs{Path: "wiki:/None"}); err != nil || s.Path.Indexed || s.Path.Note == "" {
		t.Errorf("the status of a document that does not exist is %+v, %v", s.Path, err)
	}
	s, err := p.IndexStatus(t.Context(), search.StatusArgs{})
	if err != nil || s.State != "ready" || s.Files != 5 || !slices.Contains(s.Covered, "wiki:/") || len(s.Plugins) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	read := func(path string) string {
		contents, err := p.Features().Templates[0].Read(t.Context(), "cqm://documents/"+path)
		if err != nil {
			return err.Error()
		}
		return contents.Contents[0].Text
	}
	if text := read("wiki:/Home"); text != "Lamp.\n" {
		t.Errorf("the resource of a document is %q", text)
	}
}

// TestExternal_Gaps checks that a source that is not indexed is not reported as one without matches.
func TestExternal_Gaps(t *testing.T) {
	source, wiki := newArticles(t, "wiki", plugin.Document{ID: "Home", Version: "1", Text: "Kettle.\n"})
	p := newProject(t, map[string]string{"a.md": "# Kettle\n\nA file of the project.\n"}, search.Options{}, newShelf(t, library()), wiki)
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "kettle"})
	if err != nil || len(r.Results) != 0 || !strings.Contains(r.Notice, "the index of wiki has not been built") {
		t.Errorf("before the first update: %+v, %v", r, err)
	}
	refreshAll(t, p)
	source.set(func() { source.err = errors.New("the database is down") })
	_, err = p.Refresh(t.Context(), search.RefreshArgs{})
	toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "the database is down")
	r, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "kettle"})
	if err != nil || len(r.Results) != 1 || !strings.Contains(r.Notice, "the index of wiki could not be brought up to date (") || !strings.Contains(r.Notice, "the database is down") {
		t.Errorf("after a failure: %+v, %v", r, err)
	}
	similar, err := p.FindSimilarCode(t.Context(), search.SimilarArgs{Code: "func (s *Stack) Push(v int) {\n\ts.values = append(s.values, v)\n}", Language: "go"})
	if err != nil || !strings.Contains(similar.Notice, "wiki") {
		t.Errorf("similar code: %+v, %v", similar, err)
	}
	only := newProject(t, nil, search.Options{}, first(newArticles(t, "manual")))
	if _, err := only.Refresh(t.Context(), search.RefreshArgs{Path: "a.md"}); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("refreshing a file without a plugin for files: %v", err)
	}
}

func first(_ *articles, p plugin.Plugin) plugin.Plugin { return p }

// TestExternal_Ranks checks that the size of an index does not decide the order: the same text in a large and in a small index
// has nearly the same score.
func TestExternal_Ranks(t *testing.T) {
	files := make(map[string]string)
	for i := range 300 {
		files[fmt.Sprintf("notes/n%03d.md", i)] = fmt.Sprintf("# Note %d\n\nSome words about nothing.\n", i)
	}
	const text = "The kettle boils water in the kitchen.\n"
	files["notes/large.md"] = "# Tea\n\n" + text
	_, wiki := newArticles(t, "wiki", plugin.Document{ID: "small.md", Title: "Tea", Version: "1", Text: text}, plugin.Document{ID: "other", Version: "1", Text: "The kettle.\n"})
	p := newProject(t, nil, search.Options{}, newShelf(t, files), wiki)
	refreshAll(t, p)
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "kettle water kitchen"})
	if err != nil || len(r.Results) < 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	scores := make(map[string]float64)
	for _, d := range r.Results {
		scores[d.Path] = d.Score
	}
	if large, small := scores["notes/large.md"], scores["wiki:/small.md"]; large == 0 || small < 0.8*large || small > 1.25*large {
		t.Errorf("the scores are %v and %v: %v", large, small, scores)
	}
}
