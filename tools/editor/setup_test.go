package editor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

var _ tools.Watcher = (*editor.Editor)(nil)

// project is a directory with the editor tools.
type project struct {
	*editor.Editor
	dir   string
	audit *audit.Log
}

// setup contains the options of a test project.
type setup struct {
	options  editor.Options
	limits   tools.Limits
	readOnly bool
	seen     *tools.Ledger
}

func with(adapters ...adapter.Adapter) setup {
	return setup{options: editor.Options{Adapters: adapters}}
}

// newProject creates a directory with files.
func newProject(t testing.TB, s setup, files map[string]string) project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := project{dir: dir, audit: new(audit.Log)}
	for name, content := range files {
		p.put(t, name, content)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process, ReadOnly: s.readOnly, Audit: p.audit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	p.Editor, err = editor.New(t.Context(), tools.Env{Root: root, Limits: s.limits, Audit: p.audit, Seen: s.seen}, s.options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p project) put(t testing.TB, name, content string) {
	t.Helper()
	full := p.path(name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantFile checks the content of a file on the disk.
func (p project) wantFile(t testing.TB, name, want string) {
	t.Helper()
	got, err := os.ReadFile(p.path(name))
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, want %q (%v)", name, got, want, err)
	}
}

// wantAbsent checks that a file does not exist.
func (p project) wantAbsent(t testing.TB, name string) {
	t.Helper()
	if _, err := os.Lstat(p.path(name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is there (%v)", name, err)
	}
}

func codeOf(err error) string { return string(security.CodeOf(err)) }

// must returns a result and fails the test on an error.
func must[T any](t testing.TB) func(result T, err error) T {
	return func(result T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatalf("%v", err)
		}
		return result
	}
}

// call returns the result of a tool and fails the test on an error.
func call[A, R any](t testing.TB, f func(context.Context, A) (R, error), args A) R {
	t.Helper()
	return must[R](t)(f(t.Context(), args))
}
