package search_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// gapCases are indexes without the files of library, with the beginning of the notice.
var gapCases = map[string]struct {
	state  plugin.Status
	broken error
	said   string
}{
	"missing":         {state: plugin.Status{State: plugin.Empty}, said: "the index has not been built"},
	"being built":     {state: plugin.Status{State: plugin.Building, Done: 1, Total: 9}, said: "the index is being built (1 of 9 files have been read)"},
	"full disk":       {state: plugin.Status{State: plugin.Failed, Error: "no space left on device"}, said: "the index could not be brought up to date (no space left on device)"},
	"empty but ready": {state: plugin.Status{State: plugin.Ready, Checked: noon}, said: "the index has no files"},
	"failing":         {state: plugin.Status{State: plugin.Ready, Checked: noon}, broken: errors.New("a part is damaged"), said: "the index failed (the plugin shelf failed: a part is damaged)"},
}

// TestSearchDocuments_IndexGaps searches a project whose index is missing, being built, broken or on a full disk.
func TestSearchDocuments_IndexGaps(t *testing.T) {
	for name, c := range gapCases {
		t.Run(name, func(t *testing.T) {
			shelf := newShelf(t, nil)
			shelf.set(func(s *plugin.Status) { *s = c.state })
			shelf.fail(c.broken)
			p := newProject(t, library(), search.Options{}, shelf)
			for query, want := range map[string]string{
				"Enqueue": "queue/queue.go:Queue.Enqueue", `"adds an item"`: "queue/queue.go:Queue.Enqueue", `/first-in\s/`: "queue/queue.go:Queue", "nqueu": "queue/queue.go:Queue.Enqueue",
			} {
				if c.broken != nil && strings.HasPrefix(query, "/") {
					continue // the test's index fails in Search alone
				}
				got := toolsettest.Call(t, p, "searchDocuments", fmt.Sprintf(`{"query":%q}`, query))
				if blocks := texts(got); !strings.HasPrefix(blocks[0], "["+c.said+": the 3 files that it lacks were searched directly]") {
					t.Errorf("%s: the first block is %q", query, blocks[0])
				}
				if r := toolsettest.Structured[search.DocumentsResult](t, got); !slices.Contains(places(r), want) {
					t.Errorf("%s: found %v, want %s", query, places(r), want)
				}
			}
		})
	}
}

// TestSearchDocuments_FailedUpdate searches files that have changed since the last successful update.
func TestSearchDocuments_FailedUpdate(t *testing.T) {
	shelf := newShelf(t, library())
	shelf.set(func(s *plugin.Status) { s.State, s.Error = plugin.Failed, "no space left on device" })
	p := newProject(t, library(), search.Options{}, shelf)
	p.write(t, "stack/stack.go", stackSource+"\n// Peek looks.\nfunc (s *Stack) Peek() int { return 0 }\n")
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Peek"})
	if err != nil || !slices.Contains(places(r), "stack/stack.go:Stack.Peek") || !strings.Contains(r.Notice, "no space left") {
		t.Errorf("found %v, %q, %v", places(r), r.Notice, err)
	}
}

// TestSearchDocuments_FailedIndexRepaired checks that a failing index is refreshed in the background.
func TestSearchDocuments_FailedIndexRepaired(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, library(), search.Options{}, shelf)
	shelf.fail(errors.New("a part is damaged"))
	if _, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Pop"}); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the index is refreshed", func() bool {
		shelf.mu.Lock()
		defer shelf.mu.Unlock()
		return slices.Contains(shelf.refreshs, plugin.RefreshOptions{})
	})
}

// TestSearchDocuments_PartOfWord searches for parts of words, and for misspelled names.
func TestSearchDocuments_PartOfWord(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for query, want := range map[string]string{"nqueu": "queue/queue.go:Queue.Enqueue", "rrEmp": "stack/stack.go:ErrEmpty", "nstallatio": "docs/guide.md:Guide > Installation"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil || !slices.Contains(places(r), want) {
			t.Errorf("%s: found %v, %+v, %v", query, places(r), r.Metadata, err)
			continue
		}
		if r.Metadata.Mode != "substring" || !strings.Contains(strings.Join(r.Metadata.Notes, " "), "within longer words") || r.Results[0].Why == "" {
			t.Errorf("%s: %+v", query, r.Metadata)
		}
	}
}

// TestSearchDocuments_Misspelled searches for names with a wrong, a missing and a doubled letter.
func TestSearchDocuments_Misspelled(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for query, want := range map[string]string{"Enqeue": "Enqueue", "Instalation": "Installation", "xnqueue": "Enqueue"} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		note := fmt.Sprintf("no match for %q; these results are for %q", query, want)
		if err != nil || len(r.Results) == 0 || !strings.HasSuffix(r.Results[0].Name, want) || !slices.Contains(r.Metadata.Notes, note) {
			t.Errorf("%s: %v, notes %q, %v", query, places(r), r.Metadata.Notes, err)
		}
	}
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "stakc Enqeue"})
	if err != nil || len(r.Results) == 0 || !slices.Contains(r.Metadata.Notes, `no match for "stakc Enqeue"; these results are for "Stack Enqueue"`) {
		t.Errorf("two words: %v, notes %q, %v", places(r), r.Metadata.Notes, err)
	}
	first, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "stakc", Limit: 1})
	if err != nil || first.NextCursor == "" {
		t.Fatalf("the first page: %+v, %v", first, err)
	}
	second, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "stakc", Limit: 1, Cursor: first.NextCursor})
	if err != nil || len(second.Results) != 1 || second.Results[0].Name == first.Results[0].Name {
		t.Errorf("the second page: %v after %v, %v", places(second), places(first), err)
	}
}

// TestSearchDocuments_UnfitFilter searches with filters that exclude every file.
func TestSearchDocuments_UnfitFilter(t *testing.T) {
	files := library()
	files[".gitignore"] = "hidden/\n"
	files["hidden/x.go"] = "package hidden\n"
	p := newProject(t, files, search.Options{}, newShelf(t, library()))
	for name, c := range map[string]struct {
		filters search.DocumentFilters
		said    string
	}{
		"a typo in the path":    {search.DocumentFilters{Path: "stakc/"}, `did you mean "stack"?`},
		"an ignored directory":  {search.DocumentFilters{Path: "hidden"}, "it exists, but is ignored, skipped or not indexed yet: call get_index_status with this path for the reason"},
		"a misspelled language": {search.DocumentFilters{FileTypes: []string{"goo"}}, `no indexed file matches the fileTypes "goo", so no file was searched; did you mean "go"?; indexed are go 2`},
		"a foreign language":    {search.DocumentFilters{FileTypes: []string{"rs"}}, `no indexed file matches the fileTypes "rs", so no file was searched; indexed are go 2`},
		"a time in the future":  {search.DocumentFilters{ModifiedAfter: "2999-01-01"}, "no indexed file matches modifiedAfter"},
		"two filters":           {search.DocumentFilters{Path: "stack/", FileTypes: []string{"md"}}, "no file matches all of them"},
	} {
		for _, query := range []string{"stack", `"stack"`} {
			r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Filters: &c.filters})
			if err != nil || len(r.Results) != 0 || !strings.Contains(r.Notice, c.said) {
				t.Errorf("%s: %v, %q, %v", name, places(r), r.Notice, err)
			}
		}
	}
}

// TestSearchDocuments_FilterMeans searches with filters that can mean one thing only.
func TestSearchDocuments_FilterMeans(t *testing.T) {
	p := newProject(t, nil, search.Options{}, newShelf(t, library()))
	for name, c := range map[string]struct {
		filters search.DocumentFilters
		note    string
	}{
		"a slash in front":    {search.DocumentFilters{Path: "/stack"}, `no indexed file matches the path "/stack"; these results are from "stack"`},
		"a path further down": {search.DocumentFilters{Path: "stack.go"}, `no indexed file matches the path "stack.go"; these results are from "stack/stack.go"`},
		"an alias of Go":      {search.DocumentFilters{FileTypes: []string{"golang"}}, ""},
		"a capital letter":    {search.DocumentFilters{FileTypes: []string{"Go", "ts"}}, ""},
	} {
		for _, query := range []string{"stack", `"stack"`} {
			r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query, Filters: &c.filters})
			if err != nil || len(r.Results) == 0 || r.Notice != "" || strings.Join(r.Metadata.Notes, "") != c.note {
				t.Errorf("%s: %v, %q, %q, %v", name, places(r), r.Notice, r.Metadata.Notes, err)
			}
			for _, d := range r.Results {
				if !strings.HasPrefix(d.Path, "stack/") && !strings.HasSuffix(d.Path, ".go") {
					t.Errorf("%s: found %s", name, d.Path)
				}
			}
		}
	}
}

// TestFindSimilarCode_IndexGaps compares code with files that the index lacks.
func TestFindSimilarCode_IndexGaps(t *testing.T) {
	for name, c := range gapCases {
		if c.broken != nil {
			continue // the test's index fails in Search alone
		}
		t.Run(name, func(t *testing.T) {
			shelf := newShelf(t, nil)
			shelf.set(func(s *plugin.Status) { *s = c.state })
			p := newProject(t, library(), search.Options{}, shelf)
			got := toolsettest.Call(t, p, "findSimilarCode", fmt.Sprintf(`{"code":%q,"language":"python"}`, strings.ReplaceAll(popSource, "v :=", "last :=")))
			if blocks := texts(got); !strings.HasPrefix(blocks[0], "["+c.said+": of the 3 files that it lacks") {
				t.Errorf("the first block is %q", blocks[0])
			}
			if r := toolsettest.Structured[search.SimilarResult](t, got); len(r.Results) == 0 || r.Results[0].Name != "Stack.Pop" {
				t.Errorf("found %+v", r.Results)
			}
		})
	}
}

// TestTools_MissingData makes calls that cannot be served completely. Each result is an error, or begins with the missing part.
func TestTools_MissingData(t *testing.T) {
	empty := func(state plugin.State) *project {
		shelf := newShelf(t, nil)
		shelf.set(func(s *plugin.Status) { s.State, s.Checked = state, time.Time{} })
		return newProject(t, nil, search.Options{}, shelf)
	}
	broken := newShelf(t, library())
	broken.fail(errors.New("a part is damaged"))
	full := newProject(t, map[string]string{".gitignore": "hidden/\n", "hidden/x.go": "package hidden\n", "a.png": "\x89PNG\x00", "a.pdf": "%PDF-1.4\n", "paper": "%PDF-1.4\n"}, search.Options{}, newShelf(t, library()))
	for name, c := range map[string]struct {
		p          *project
		tool, args string
		want       string // in the first block
	}{
		"no plugin":                {newProject(t, nil, search.Options{}), "searchDocuments", `{"query":"x1y2"}`, "INDEX_UNAVAILABLE"},
		"no plugin, similar code":  {newProject(t, nil, search.Options{}), "findSimilarCode", `{"code":"return a + b - c"}`, "INDEX_UNAVAILABLE"},
		"no plugin, refresh":       {newProject(t, nil, search.Options{}), "refresh_index", `{}`, "INDEX_UNAVAILABLE"},
		"no plugin, path":          {newProject(t, nil, search.Options{}), "get_index_status", `{"path":"a.go"}`, "INDEX_UNAVAILABLE"},
		"no plugin, issues":        {full, "searchIssues", `{"query":"x"}`, "ISSUES_UNAVAILABLE"},
		"index missing":            {empty(plugin.Empty), "searchDocuments", `{"query":"x1y2"}`, "[the index has not been built"},
		"index being built":        {empty(plugin.Building), "searchDocuments", `{"query":"x1y2"}`, "[the index is being built"},
		"index failed":             {empty(plugin.Failed), "searchDocuments", `{"query":"x1y2"}`, "[the index could not be brought up to date"},
		"no files":                 {empty(plugin.Ready), "searchDocuments", `{"query":"x1y2"}`, "[the index has no files"},
		"index broken":             {newProject(t, nil, search.Options{}, broken), "searchDocuments", `{"query":"x1y2"}`, "INDEX_UNAVAILABLE"},
		"missing, similar code":    {empty(plugin.Empty), "findSimilarCode", `{"code":"return a + b - c"}`, "[the index has not been built"},
		"ignored file":             {full, "searchDocuments", `{"query":"hidden","filters":{"path":"hidden/x.go"}}`, "[no indexed file matches the path"},
		"ignored file, exact":      {full, "searchDocuments", `{"query":"\"package\"","filters":{"path":"hidden/x.go"}}`, "[no indexed file matches the path"},
		"ignored file, status":     {full, "get_index_status", `{"path":"hidden/x.go"}`, "hidden/x.go: not indexed"},
		"binary file, status":      {full, "get_index_status", `{"path":"a.png"}`, "a.png: not indexed"},
		"PDF, status":              {full, "get_index_status", `{"path":"a.pdf"}`, "a.pdf: not indexed"},
		"unnamed PDF, status":      {full, "get_index_status", `{"path":"paper"}`, "paper: not indexed"},
		"no such file, status":     {full, "get_index_status", `{"path":"none.go"}`, "FILE_NOT_FOUND"},
		"foreign language":         {full, "searchDocuments", `{"query":"fn","filters":{"fileTypes":["rust"]}}`, "[no indexed file matches the fileTypes"},
		"filter outside":           {full, "searchDocuments", `{"query":"x","filters":{"path":"/etc"}}`, "[no indexed file matches the path"},
		"filter without files":     {full, "searchDocuments", `{"query":"x","filters":{"path":"stack/*.md"}}`, "[no indexed file matches the path"},
		"future":                   {full, "searchDocuments", `{"query":"x","filters":{"modifiedAfter":"2999-01-01"}}`, "[no indexed file matches modifiedAfter"},
		"meaning without a model":  {full, "searchDocuments", `{"query":"x","mode":"semantic"}`, "INVALID_PARAMS"},
		"unknown language of code": {full, "findSimilarCode", `{"code":"return a + b - c","language":"klingon"}`, "INVALID_PARAMS"},
	} {
		t.Run(name, func(t *testing.T) {
			got := toolsettest.Call(t, c.p, c.tool, c.args)
			first := texts(got)[0]
			if got.IsError {
				first = got.ErrorCode()
			}
			if strings.HasPrefix(c.want, "[") && !strings.HasPrefix(first, c.want) || !strings.Contains(first, c.want) {
				t.Errorf("the answer begins with %q, want %q", first, c.want)
			}
		})
	}
}
