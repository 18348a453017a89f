package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/golang"
	"github.com/dougu-go/dougu/tools/chunking/parse/outline"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
)

// The test binary is another process when it is told to be.
func TestMain(m *testing.M) {
	if file := os.Getenv("DOUGU_TEST_SQLITE"); file != "" {
		os.Exit(other(file))
	}
	goleak.VerifyTestMain(m)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openDB(t testing.TB, file string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), file)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

// project is a directory with source files, and an index of it.
type project struct {
	*index.Index
	t   testing.TB
	dir string
}

// newProject indexes files by their paths, with their calls.
func newProject(t testing.TB, store index.Store, files map[string]string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	p.put(files)
	return p.open(store)
}

func (p *project) open(store index.Store) *project {
	p.t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: p.t.TempDir()})
	must(p.t, err)
	x, err := index.Open(p.t.Context(), root, index.Options{Parsers: parse.NewParsers(golang.Parser{}, outline.Parser{}), Store: store, Calls: true})
	must(p.t, err)
	p.t.Cleanup(func() {
		must(p.t, x.Close(context.Background()))
		root.Close()
	})
	return &project{x, p.t, p.dir}
}

func (p *project) put(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		path := filepath.Join(p.dir, filepath.FromSlash(name))
		must(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(p.t, os.WriteFile(path, []byte(content), 0o644))
	}
}

func (p *project) analyze() index.Report {
	p.t.Helper()
	r, err := p.Analyze(p.t.Context(), ".", index.AnalyzeOptions{}, nil)
	must(p.t, err)
	if r.NotSaved != "" {
		p.t.Fatalf("not saved: %s", r.NotSaved)
	}
	return r
}
