package chunking_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// project is a directory with source files and its chunk tools.
type project struct {
	*chunking.Chunks
	dir  string
	root *security.Root
}

// newProject creates a project with files, by path.
func newProject(t testing.TB, o chunking.Options, files map[string]string) *project {
	t.Helper()
	p := &project{dir: t.TempDir()}
	for name, content := range files {
		p.put(t, name, content)
	}
	p.open(t, o)
	return p
}

func (p *project) put(t testing.TB, name, content string) {
	t.Helper()
	name = filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (p *project) read(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// open opens the tools for the directory.
func (p *project) open(t testing.TB, o chunking.Options) {
	t.Helper()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	set, err := chunking.New(t.Context(), tools.Env{Root: root}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	p.root, p.Chunks = root, set
}

func (p *project) analyze(t testing.TB) chunking.AnalyzeResult {
	t.Helper()
	r, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: p.dir})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
