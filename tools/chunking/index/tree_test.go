package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

// Real files come out of the binary form and out of JSON as they went in, and describe
// their sources.
func TestRealFiles(t *testing.T) {
	tree := filepath.Join(goTree(t), "net")
	if testing.Short() {
		tree = filepath.Join(goTree(t), "os")
	}
	p := &project{TB: t, dir: t.TempDir()}
	if err := os.CopyFS(p.dir, os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	p.root = p.openDefault()
	parsers := source.NewParsers(golang.Parser{})
	x := p.index(index.Options{Parsers: parsers, Store: p.store(), Calls: true})
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Failed > 0 || report.Parsed < 100 || report.NotSaved != "" {
		t.Fatalf("%+v", report)
	}
	for _, f := range x.Snapshot().Files() {
		src, err := os.ReadFile(p.path(f.Path))
		if err != nil {
			t.Fatal(err)
		}
		if err := parsertest.Invariants(src, whole(t, f)); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		again, err := index.ParseJSON(text(t, f))
		if err != nil && !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", f.Path, err)
		}
		if err == nil {
			if diff := cmp.Diff(factOf(f), factOf(again)); diff != "" {
				t.Errorf("%s: %s", f.Path, diff)
			}
		}
	}
	p.close(x)
	loaded := p.index(index.Options{Parsers: parsers, Store: p.store(), Calls: true})
	p.same(loaded, x)
	if report := p.analyze(loaded, ".", index.AnalyzeOptions{}); report.Parsed != 0 {
		t.Errorf("%+v", report)
	}
}
