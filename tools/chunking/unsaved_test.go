package chunking_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

// names returns the names that search_symbols finds.
func (p *project) names(t *testing.T, query string) (all []string) {
	t.Helper()
	got, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got.Symbols {
		all = append(all, s.ID)
	}
	return all
}

func TestChunks_UnsavedText(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": "package a\n\nfunc first() int { return 1 }\n"})
	p.analyze(t)
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.go", "package a\n\nfunc second() int { return 2 }\n")
	if got := p.names(t, "second"); len(got) != 1 || len(p.names(t, "first")) != 0 {
		t.Fatalf("found %q and %q", got, p.names(t, "first"))
	}
	id := p.names(t, "second")[0]
	got, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: id})
	if err != nil || got.Code != "func second() int { return 2 }" {
		t.Fatalf("%+v, %v", got, err)
	}
	done, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: id, NewCode: "func second() int { return 3 }"})
	if err != nil || editor.Text("a.go") != "package a\n\nfunc second() int { return 3 }\n" {
		t.Errorf("%+v, %v; %q", done, err, editor.Text("a.go"))
	}
	if got := p.read(t, "a.go"); got != "package a\n\nfunc first() int { return 1 }\n" {
		t.Errorf("the disk has %q", got)
	}
	editor.Type("a.go", "package a\n\nfunc third() {}\n")
	if len(p.names(t, "third")) != 1 || len(p.names(t, "second")) != 0 {
		t.Error("the text that was typed then is not found")
	}
	editor.Discard("a.go")
	if len(p.names(t, "first")) != 1 || len(p.names(t, "third")) != 0 {
		t.Error("the text of the disk is not found after the document was closed")
	}
}
