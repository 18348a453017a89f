package chunking_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// wordRenamer is a References and a Renamer that renames every word of a name in files.
type wordRenamer struct {
	dir, old   string
	files      map[string]string
	incomplete string
	failure    error
}

func (w *wordRenamer) References(context.Context, chunking.Declaration) (chunking.Uses, error) {
	return chunking.Uses{}, errors.New("not used here")
}

func (w *wordRenamer) Rename(_ context.Context, _ chunking.Declaration, name string) (chunking.Renaming, error) {
	if w.failure != nil {
		return chunking.Renaming{}, w.failure
	}
	r := chunking.Renaming{Incomplete: w.incomplete}
	for path, text := range w.files {
		edits := chunking.FileEdits{Path: filepath.Join(w.dir, path)}
		for i, line := range strings.Split(text, "\n") {
			for from := 0; ; {
				n := strings.Index(line[from:], w.old)
				if n < 0 {
					break
				}
				start := from + n + 1
				edits.Edits = append(edits.Edits, chunking.RangeEdit{Start: chunking.Position{Line: i + 1, Column: start}, End: chunking.Position{Line: i + 1, Column: start + len(w.old)}, New: name})
				from = start
			}
		}
		if len(edits.Edits) > 0 {
			r.Files = append(r.Files, edits)
		}
	}
	return r, nil
}

func TestRenameChunk_ByServer(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\n// Old does.\nfunc Old() {}\n", "b.go": "package p\n\nfunc g() {\n\tOld()\n\tOld()\n}\n"}
	w := &wordRenamer{old: "Old", files: files}
	p := newProject(t, chunking.Options{InMemory: true, References: w}, files)
	p.put(t, "c.go", "package p\n\n// Old is a comment.\nvar c = \"Old\"\n")
	w.dir = p.dir
	r, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "a.go#Old", NewName: "New", DryRun: true})
	if err != nil || p.read(t, "a.go") != files["a.go"] || !strings.Contains(r.TextContent(), "+\tNew()") {
		t.Fatalf("%v: %s", err, r.TextContent())
	}
	r, err = p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "a.go#Old", NewName: "New"})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if got, want := p.read(t, name), strings.ReplaceAll(content, "Old", "New"); got != want {
			t.Errorf("%s is\n%s", name, got)
		}
	}
	if len(r.Files) != 2 || len(r.Chunks) != 1 || r.Chunks[0].ID != "a.go#New" || len(r.Notes) != 1 || r.Notes[0] != `the name Old is still at c.go:4 var c = "Old"` {
		t.Errorf("%+v", r)
	}
}

func TestRenameChunk_ServerIncomplete(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc Old() {}\n"}
	w := &wordRenamer{old: "Old", files: files, incomplete: "the server has no go.mod"}
	p := newProject(t, chunking.Options{InMemory: true, References: w}, files)
	w.dir = p.dir
	p.put(t, "b.go", "package p\n\nvar b = Old\n")
	_, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "a.go#Old", NewName: "New"})
	toolsettest.WantError(t, err, "SYMBOL_IN_USE")
	if !strings.Contains(err.Error(), "the server has no go.mod") || !strings.Contains(err.Error(), "b.go:3 var b = Old") || p.read(t, "a.go") != files["a.go"] {
		t.Error(err)
	}
	w.incomplete, w.files = "", map[string]string{"b.go": files["a.go"]}
	_, err = p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "a.go#Old", NewName: "New"})
	toolsettest.WantError(t, err, "STALE_CHUNK")
}

func TestRenameChunk_ByName(t *testing.T) {
	const before = "package p\n\n// Old does. Older does not.\nfunc Old() {}\n\nfunc Older() {}\n"
	p := newProject(t, chunking.Options{InMemory: true, References: &wordRenamer{failure: errors.New("no server")}}, map[string]string{"a.go": before, "b.py": "Old = 1\n"})
	r, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "a.go#Old", NewName: "New"})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.read(t, "a.go"); got != "package p\n\n// New does. Older does not.\nfunc New() {}\n\nfunc Older() {}\n" {
		t.Errorf("the file is\n%s", got)
	}
	if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "no server") || r.Chunks[0].ID != "a.go#New" {
		t.Errorf("%+v", r)
	}
}

func TestRenameChunk_Refused(t *testing.T) {
	files := map[string]string{"a.go": "package p\n\nfunc Old() {}\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc (T) N() {}\n", "b.go": "package p\n\nfunc b() { Old() }\n\nfunc Other() {}\n", "c.go": "package p\n\nfunc unused() {}\n"}
	p := newProject(t, chunking.Options{InMemory: true}, files)
	p.analyze(t)
	for _, tc := range []struct{ id, name, code, says string }{
		{"a.go#Old", "New", "SYMBOL_IN_USE", "b.go:3 func b() { Old() }"},
		{"c.go#unused", "Other", "INVALID_PARAMS", `"b.go" declares "Other" already`},
		{"a.go#T.M", "N", "INVALID_PARAMS", `"a.go" declares "T.N" already`},
		{"c.go#unused", "func", "INVALID_PARAMS", "reserved word of go"},
		{"c.go#unused", "a.b", "INVALID_PARAMS", "no name"},
		{"c.go#unused", "1a", "INVALID_PARAMS", "no name"},
		{"c.go#gone", "x", "CHUNK_NOT_FOUND", ""},
	} {
		_, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: tc.id, NewName: tc.name})
		toolsettest.WantError(t, err, tc.code)
		if !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	for name, content := range files {
		if p.read(t, name) != content {
			t.Errorf("%s was changed", name)
		}
	}
}

// Places that only resemble comments, and names behind a dollar sign, are uses.
func TestRenameChunk_Uses(t *testing.T) {
	files := map[string]string{
		"a.kt": "fun total() = 1\n\nval text = \"sum $total\"\n",
		"b.c":  "int total(void) { return 1; }\n\nint b(int a) {\n  return a\n  * total();\n}\n",
		"c.c":  "int other(void) { return 1; }\n\nint c(void) {\n  /* c */ return other();\n}\n",
	}
	p := newProject(t, chunking.Options{InMemory: true}, files)
	for _, id := range []string{"a.kt#total", "b.c#total", "c.c#other"} {
		_, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: id, NewName: "sum2"})
		toolsettest.WantError(t, err, "SYMBOL_IN_USE")
	}
	p.put(t, "b.c", "int total(void) { return 1; }\n/* total is\n * total */\n// total\n")
	if _, err := p.RenameChunk(t.Context(), chunking.RenameChunkArgs{ChunkID: "b.c#total", NewName: "sum2"}); err != nil {
		t.Error(err)
	}
}
