package search_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// nothing is a plugin without documents and issues.
type nothing struct{}

func (nothing) Name() string                 { return "nothing" }
func (nothing) Health(context.Context) error { return nil }
func (nothing) Close(context.Context) error  { return nil }

func TestNew_AllProblems(t *testing.T) {
	if _, err := search.New(tools.Env{}, search.Options{}); err == nil {
		t.Error("no error without a root")
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = search.New(tools.Env{Root: root}, search.Options{Plugins: []plugin.Plugin{nil, nothing{}, newTracker(), newTracker()}})
	for _, want := range []string{"is nil", "nothing has neither", `the plugin name "tracker" is empty or duplicate`, "both have issues"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not say %q", err, want)
		}
	}
}

func TestClose_Plugins(t *testing.T) {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	shelf := newShelf(t, library())
	s, err := search.New(tools.Env{Root: root}, search.Options{Plugins: []plugin.Plugin{shelf}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil || !shelf.closed || len(shelf.watchers) != 0 {
		t.Errorf("%v, closed %v, %d watchers", err, shelf.closed, len(shelf.watchers))
	}
}

// TestSearchDocuments_SeveralPlugins checks that working plugins are searched while another one fails.
func TestSearchDocuments_SeveralPlugins(t *testing.T) {
	first, second := newShelf(t, library()), newShelf(t, map[string]string{"other/other.go": "package other\n\n// Push pushes elsewhere.\nfunc Push() {}\n", "stack/stack.go": stackSource})
	second.name = "second"
	p := newProject(t, nil, search.Options{}, first, second)
	ask := func() (search.DocumentsResult, error) {
		return p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "Push"})
	}
	r, err := ask()
	if err != nil || len(r.Results) != 2 {
		t.Errorf("%v, %v", places(r), err)
	}
	first.fail(errors.New("the disk is gone"))
	p.Refresh(t.Context(), search.RefreshArgs{}) // so that the cache does not answer
	r, err = ask()
	if err != nil || len(r.Results) != 2 || !strings.Contains(r.Notice, "the plugin shelf failed: the disk is gone") || !strings.HasSuffix(r.Notice, "its files were not searched") {
		t.Errorf("%v, %q, %v", places(r), r.Notice, err)
	}
	second.fail(errors.New("the disk is gone"))
	for _, query := range []string{"Pop", `"Pop"`} {
		_, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		toolsettest.WantError(t, err, "INDEX_UNAVAILABLE", "the disk is gone")
	}
}

// TestSearch_ConcurrentClients searches concurrently while files change.
func TestSearch_ConcurrentClients(t *testing.T) {
	shelf := newShelf(t, library())
	p := newProject(t, library(), search.Options{Cache: search.CacheOptions{MaxEntries: 3}}, shelf, newTracker())
	var clients sync.WaitGroup
	for n := range 8 {
		clients.Go(func() {
			for i := range 20 {
				var err error
				switch (n + i) % 6 {
				case 0:
					_, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: fmt.Sprint("stack ", i)})
				case 1:
					_, err = p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: `"list"`})
				case 2:
					_, err = p.FindSimilarCode(t.Context(), search.SimilarArgs{Code: popSource})
				case 3:
					_, err = p.SearchIssues(t.Context(), search.IssuesArgs{Query: "crash"})
				case 4:
					_, err = p.ProjectContext(t.Context(), search.ContextArgs{IncludeFiles: true, IncludeGitStatus: new(false)})
				case 5:
					shelf.put("queue/queue.go", fmt.Sprintf("package queue\n\nfunc Queue%d() {}\n", i), noon)
					shelf.tell("queue/queue.go")
					_, err = p.IndexStatus(t.Context(), search.StatusArgs{Path: "stack"})
				}
				if err != nil {
					t.Errorf("client %d, call %d: %v", n, i, err)
				}
			}
		})
	}
	clients.Wait()
}
