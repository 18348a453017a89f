package chunking_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
)

func TestSearchSymbols_ComparesFilesBeforeAGuess(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package p\n\nfunc ReadConfig() {}\n"})
	p.analyze(t)
	p.put(t, "new.go", "package p\n\nfunc Zebra() {}\n")
	r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Zebra"})
	if err != nil || len(r.Symbols) != 1 || r.Symbols[0].ID != "new.go#Zebra" || r.Match != "" {
		t.Errorf("a new name: %+v, %v", r, err)
	}
	p.put(t, "later.go", "package p\n\nfunc Later() {}\n")
	if found, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "Later"}); err != nil || found.ID != "later.go#Later" {
		t.Errorf("a new name without a path: %+v, %v", found, err)
	}
	if err := os.Remove(filepath.Join(p.dir, "later.go")); err != nil {
		t.Fatal(err)
	}
	if r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Laters"}); err != nil || len(r.Symbols) != 0 {
		t.Errorf("a removed name: %+v, %v", r, err)
	}
}

// On a file system that ignores case, the path has the letter case of the caller.
func TestChunk_OtherLetterCaseOfThePath(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"cur.py": "class A:\n    def m(self):\n        return 1\n"})
	p.analyze(t)
	r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "CUR.PY#A.m"})
	if err != nil || !strings.EqualFold(r.ID, "cur.py#A.m") || r.Moved || strings.Contains(r.TextNote(), "moved") {
		t.Errorf("%+v, %v, note %q", r, err, r.TextNote())
	}
}

func TestListFunctions_PathWithHash(t *testing.T) {
	const name = "a#b~2.go"
	p := newProject(t, chunking.Options{InMemory: true, ShortLists: true}, map[string]string{name: "package p\n\ntype T struct{}\n\nfunc (T) Hash() {}\n"})
	p.analyze(t)
	list, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: name})
	if text := list.TextContent(); err != nil || strings.Contains(text, "b~2.go#T") || strings.Contains(text, "b~2.go.T") {
		t.Errorf("list %q, %v", text, err)
	}
	found, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "Hash"})
	if text := found.TextContent(); err != nil || !strings.Contains(text, "\n"+name+"\n "+name+"#T.Hash ") {
		t.Errorf("search %q, %v", text, err)
	}
}

func TestMoveChunk_ToANewPathWithHash(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"})
	p.analyze(t)
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.py#f", To: "new#file.py"}); err != nil {
		t.Fatal(err)
	}
	if text := p.read(t, "new#file.py"); text != "def f():\n    return 1\n" {
		t.Errorf("new file %q", text)
	}
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "a.py#g", To: "new#file.py"}); err != nil || !strings.Contains(p.read(t, "new#file.py"), "def g()") {
		t.Errorf("to the existing file: %v", err)
	}
	if _, err := p.MoveChunk(t.Context(), chunking.MoveChunkArgs{ChunkID: "new#file.py#g", To: "missing.py#x.py"}); err == nil {
		t.Error("a chunk of a missing file became a file")
	}
}
