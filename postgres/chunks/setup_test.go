package chunks_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/postgres"
	"github.com/dougu-go/dougu/postgres/chunks"
	"github.com/dougu-go/dougu/postgres/internal/pgtest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/golang"
	"github.com/dougu-go/dougu/tools/chunking/parse/outline"
)

var server pgtest.Server

func TestMain(m *testing.M) { os.Exit(server.Main(m)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a project as one server does.
func open(t testing.TB, address, name string) *chunks.Project {
	t.Helper()
	db, err := postgres.Open(t.Context(), address, postgres.Options{})
	must(t, err)
	t.Cleanup(db.Close)
	p, err := chunks.Open(t.Context(), db, name)
	must(t, err)
	return p
}

// tree is a directory with source files, and an index of it.
type tree struct {
	*index.Index
	t   testing.TB
	dir string
}

// newTree indexes files by their paths, with their calls.
func newTree(t testing.TB, store index.Store, files map[string]string) *tree {
	t.Helper()
	p := &tree{t: t, dir: t.TempDir()}
	p.put(files)
	return p.open(store)
}

// open is the same files with another store.
func (p *tree) open(store index.Store) *tree {
	p.t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: p.t.TempDir()})
	must(p.t, err)
	x, err := index.Open(p.t.Context(), root, index.Options{Parsers: parse.NewParsers(golang.Parser{}, outline.Parser{}), Store: store, Calls: true})
	must(p.t, err)
	p.t.Cleanup(func() {
		must(p.t, x.Close(context.Background()))
		root.Close()
	})
	return &tree{x, p.t, p.dir}
}

func (p *tree) put(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		must(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(p.t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func (p *tree) analyze() index.Report {
	p.t.Helper()
	r, err := p.Analyze(p.t.Context(), ".", index.AnalyzeOptions{}, nil)
	must(p.t, err)
	if r.NotSaved != "" {
		p.t.Fatalf("not saved: %s", r.NotSaved)
	}
	return r
}
