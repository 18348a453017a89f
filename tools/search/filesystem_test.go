package search_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/japanese"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// openFiles returns the tools for a directory with files, and an index on disk.
func openFiles(t *testing.T, files map[string]string, o filesystem.Options) *project {
	t.Helper()
	p := &project{dir: t.TempDir()}
	for name, text := range files {
		p.write(t, name, text)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	env := tools.Env{Root: root}
	if o.Index, err = segment.Open(t.Context(), t.TempDir(), segment.Options{}); err != nil {
		t.Fatal(err)
	}
	o.Parsers = parsers()
	t.Cleanup(func() { o.Parsers.Close() })
	source, err := filesystem.New(env, o)
	if err != nil {
		t.Fatal(err)
	}
	p.root = root
	p.Search, err = search.New(env, search.Options{Plugins: []plugin.Plugin{source}, Parsers: o.Parsers, Ignore: o.Ignore, LiveScanTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return p
}

// TestSearchDocuments_FilesystemPlugin checks that new files are found at once, indexed or not, and deleted files are not.
func TestSearchDocuments_FilesystemPlugin(t *testing.T) {
	files := library()
	for i := range 100 {
		files[fmt.Sprintf("many/f%d.go", i)] = fmt.Sprintf("package many\n\n// Filler%d fills.\nfunc Filler%d() {}\n", i, i)
	}
	p := openFiles(t, files, filesystem.Options{})
	find := func(query string) []string {
		t.Helper()
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return places(r)
	}
	if got := find("Enqueue"); !slices.Contains(got, "queue/queue.go:Queue.Enqueue") { // at once
		t.Errorf("found %v", got)
	}
	if _, err := p.Refresh(t.Context(), search.RefreshArgs{}); err != nil {
		t.Fatal(err)
	}
	status, err := p.IndexStatus(t.Context(), search.StatusArgs{Path: "many"})
	if err != nil || status.Files != 103 || status.Path.Files != 100 {
		t.Errorf("%+v, %v", status, err)
	}
	waittest.Until(t, "the index is ready", func() bool {
		status, err := p.IndexStatus(t.Context(), search.StatusArgs{})
		return err == nil && status.State == "ready"
	})
	if got := find("設定"); len(got) == 0 || got[0] != "docs/guide.md:Guide > 設定" {
		t.Errorf("found %v", got)
	}

	p.write(t, "stack/stack.go", strings.ReplaceAll(stackSource, "Pop", "Remove"))
	if got := find("Pop"); slices.Contains(got, "stack/stack.go:Stack.Pop") {
		t.Errorf("what is gone is found: %v", got)
	}
	waittest.Until(t, "what was changed is found", func() bool { return slices.Contains(find("Stack.Remove"), "stack/stack.go:Stack.Remove") })

	if err := os.Remove(filepath.Join(p.dir, "queue", "queue.go")); err != nil {
		t.Fatal(err)
	}
	if got := find("Enqueue"); len(got) != 0 {
		t.Errorf("a file that is gone is found: %v", got)
	}
	r, err := p.FindSimilarCode(t.Context(), search.SimilarArgs{Code: strings.ReplaceAll(popSource, "values", "items"), Similarity: new(0.6)})
	if err != nil || len(r.Results) == 0 || r.Results[0].File != "stack/stack.go" {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSearchDocuments_ConvertedText searches files in other encodings and formats, and checks that the converted text is found
// and shown.
func TestSearchDocuments_ConvertedText(t *testing.T) {
	sjis, err := japanese.ShiftJIS.NewEncoder().String("見出し\n\n検索の設定について説明します。\n長い文章です。\n")
	if err != nil {
		t.Fatal(err)
	}
	p := openFiles(t, map[string]string{
		"page.html": "<!doctype html><title>Page</title><script>var hiddenWords</script><h1>Zebra &amp; co</h1>\n\n<p>Stripes are   black.</p><h2>Feeding</h2><p>Grass, mostly.</p>\n",
		"memo.txt":  sjis,
	}, filesystem.Options{})
	if _, err := p.Refresh(t.Context(), search.RefreshArgs{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ query, path, content string }{
		{"zebra stripes", "page.html", "Stripes are black."},
		{"grass", "page.html", "Grass, mostly."},
		{`"Grass, mostly"`, "page.html", "Grass, mostly."},
		{"設定", "memo.txt", "検索の設定について説明します。"},
		{`"検索の設定"`, "memo.txt", "検索の設定について説明します。"},
	} {
		r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: test.query})
		if err != nil || len(r.Results) == 0 || r.Results[0].Path != test.path || !strings.Contains(r.Results[0].Content, test.content) || r.Results[0].Note != "" {
			t.Errorf("%s: %+v, %v", test.query, r, err)
		}
	}
	if r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "hiddenWords"}); err != nil || len(r.Results) != 0 {
		t.Errorf("unreadable text is found: %+v, %v", r, err)
	}
	p.write(t, "page.html", "<h1>Zebra</h1><p>Stripes are white.</p>")
	r, err := p.SearchDocuments(t.Context(), search.DocumentsArgs{Query: "zebra stripes"})
	if err != nil || len(r.Results) > 0 && strings.Contains(r.Results[0].Content, "black") {
		t.Errorf("what is gone is shown: %+v, %v", r, err)
	}
}
