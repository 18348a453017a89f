package headless_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// helper is set by TestMain.
var helper sandbox.Helper

func TestMain(m *testing.M) {
	helper = sandbox.Main()
	process.Supervise()
	if lsptest.Serve() {
		return
	}
	if mode := os.Getenv(formatterVariable); mode != "" {
		fakeFormatter(mode)
		return
	}
	goleak.VerifyTestMain(m)
}

// project is a directory with files, and the editor that works on it.
type project struct {
	*headless.Headless
	t    testing.TB
	dir  string
	root *security.Root
}

// open makes a project of files, each after a line "-- name --".
func open(t testing.TB, archive string, o headless.Options) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t: t, dir: dir}
	for _, file := range strings.Split("\n"+archive, "\n-- ")[1:] {
		name, content, _ := strings.Cut(file, " --\n")
		p.write(name, strings.TrimSuffix(content, "\n")+"\n")
	}
	p.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p.Headless = headless.New(p.root, o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
		p.root.Close()
	})
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) write(name, content string) {
	p.t.Helper()
	path := p.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// doc returns the document of a file on disk.
func (p *project) doc(name string) adapter.Document {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		p.t.Fatal(err)
	}
	return adapter.Document{Path: p.path(name), Text: text.Content}
}

// at returns the position of a mark in a file. The mark is a text with | at the position.
func (p *project) at(name, mark string) adapter.Position {
	p.t.Helper()
	before, after, _ := strings.Cut(mark, "|")
	text := p.doc(name).Text
	offset := strings.Index(text, before+after)
	if offset < 0 {
		p.t.Fatalf("%s does not have %q", name, before+after)
	}
	return adapter.NewText(text).Position(offset + len(before))
}

// long returns a context with a timeout that is reached only on failure.
func long(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// diagnose repeats the request until the result is fresh.
func (p *project) diagnose(names ...string) []string {
	p.t.Helper()
	return p.show(p.diagnostics(names...))
}

func (p *project) diagnostics(names ...string) []adapter.Diagnostic {
	p.t.Helper()
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = p.path(name)
	}
	d, err := p.Diagnose(long(p.t), paths)
	if err != nil || !d.Fresh {
		p.t.Fatalf("diagnostics of %v: fresh %v, notes %q, %v", names, d.Fresh, d.Notes, err)
	}
	return d.Items
}

// show prints diagnostics as compilers do.
func (p *project) show(all []adapter.Diagnostic) []string {
	lines := []string{}
	for _, d := range all {
		message, _, _ := strings.Cut(d.Message, "\n")
		lines = append(lines, fmt.Sprintf("%s:%d:%d-%d: %s: %s [%s]", p.rel(d.Path), d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Column, d.Severity, message, d.Code))
	}
	return lines
}

func (p *project) rel(path string) string {
	if rel, err := filepath.Rel(p.dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// apply writes the edits to disk and returns the names of the changed files.
func (p *project) apply(edits []adapter.FileEdit) []string {
	p.t.Helper()
	var changed []string
	for _, e := range edits {
		name := p.rel(e.Path)
		changed = append(changed, name)
		switch e.Op {
		case adapter.ChangeFile:
			text, err := adapter.Apply(p.doc(name).Text, e.Edits)
			if err != nil {
				p.t.Fatal(err)
			}
			p.write(name, text)
		case adapter.RenameFile:
			if err := os.Rename(e.Path, e.NewPath); err != nil {
				p.t.Fatal(err)
			}
		default:
			p.t.Fatalf("an edit of %s that is not expected: %+v", name, e)
		}
		p.FilesChanged([]string{e.Path})
	}
	slices.Sort(changed)
	return changed
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// installed skips the test if a program is not installed. Programs from npm may be in DOUGU_LSP_NODE.
func installed(t testing.TB, program, remedy string) {
	t.Helper()
	if dir := os.Getenv("DOUGU_LSP_NODE"); dir != "" {
		t.Setenv("PATH", filepath.Join(dir, "node_modules", ".bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	_, err := exec.LookPath(program)
	testrequire.Deep(t, err == nil, program, remedy)
}

// nextStep returns the next step of an error.
func nextStep(err error) string {
	if e, ok := errors.AsType[*mcp.ToolError](err); ok {
		return e.Next
	}
	return ""
}

func code(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return coded.ErrorCode()
	}
	return ""
}
