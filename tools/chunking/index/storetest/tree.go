package storetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// Tree is a directory of source files with an index that records calls.
type Tree struct {
	*index.Index
	t     testing.TB
	dir   string
	saves bool
}

// NewTree creates a directory with files, by path, and opens an index of it. The test
// closes the index at its end. store may be nil for an index in memory.
func NewTree(t testing.TB, store index.Store, files map[string]string) *Tree {
	t.Helper()
	p := &Tree{t: t, dir: t.TempDir()}
	p.Put(files)
	return p.Open(store)
}

// Open opens another index of the same directory.
func (p *Tree) Open(store index.Store) *Tree {
	p.t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: p.t.TempDir()})
	must(p.t, err)
	p.t.Cleanup(func() { root.Close() })
	x, err := index.Open(p.t.Context(), root, index.Options{Parsers: source.NewParsers(golang.Parser{}, outline.Parser{}), Store: store, Calls: true})
	must(p.t, err)
	p.t.Cleanup(func() { must(p.t, x.Close(context.Background())) })
	return &Tree{x, p.t, p.dir, store != nil}
}

// Put creates or replaces files.
func (p *Tree) Put(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		must(p.t, os.MkdirAll(filepath.Dir(p.path(name)), 0o755))
		must(p.t, os.WriteFile(p.path(name), []byte(content), 0o644))
	}
}

// Remove removes a file.
func (p *Tree) Remove(name string) {
	p.t.Helper()
	must(p.t, os.Remove(p.path(name)))
}

func (p *Tree) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// Analyze analyzes the directory. The test fails if the result is not saved.
func (p *Tree) Analyze() index.Report {
	p.t.Helper()
	r, err := p.Index.Analyze(p.t.Context(), ".", index.AnalyzeOptions{}, nil)
	must(p.t, err)
	if p.saves && r.NotSaved != "" {
		p.t.Fatalf("not saved: %s", r.NotSaved)
	}
	return r
}

// Parsed returns the index entry of a Go file with its calls.
func Parsed(t testing.TB, path, src string) *index.File {
	t.Helper()
	f, err := golang.Parser{}.Parse(t.Context(), []byte(src), source.Go, source.Options{Calls: true})
	must(t, err)
	return index.Describe(path, []byte(src), f)
}

// Load returns the files of a store by path.
func Load(t testing.TB, s index.Store) map[string]*index.File {
	t.Helper()
	files, err := s.Load(t.Context())
	must(t, err)
	by := make(map[string]*index.File, len(files))
	for _, f := range files {
		if by[f.Path] != nil {
			t.Errorf("%q is there twice", f.Path)
		}
		by[f.Path] = f
	}
	return by
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
