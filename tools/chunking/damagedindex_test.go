package chunking_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// damagedIndex is a project of two files whose saved index keeps only the first bytes.
func damagedIndex(t *testing.T, keep func(index string) int) *project {
	p := newProject(t, chunking.Options{}, map[string]string{"a.go": stack, "b.go": strings.ReplaceAll(stack, "Stack", "Queue")})
	p.analyze(t)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	const name = "data/chunks/chunks.jsonl"
	whole := p.read(t, name)
	p.put(t, name, whole[:keep(whole)])
	p.open(t, chunking.Options{})
	return p
}

func TestAnalyze_DamagedIndex(t *testing.T) {
	p := damagedIndex(t, func(index string) int { return len(index) - len(index)/4 })
	found, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "push"})
	if err != nil || len(found.Symbols) != 2 || !strings.Contains(found.Note, "1 entry of data/chunks/chunks.jsonl cannot be read") {
		t.Errorf("found: %+v: %v", found, err)
	}
	if r := p.analyze(t); r.Parsed != 1 || r.Unchanged != 1 || r.Damage == "" || !strings.Contains(r.TextContent(), "damaged") {
		t.Errorf("analyzed: %+v", r)
	}
	if found, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "push"}); err != nil || len(found.Symbols) != 4 || found.Note != "" {
		t.Errorf("found after the analysis: %+v: %v", found, err)
	}
}

func TestChunks_EmptyIndexFile(t *testing.T) {
	p := damagedIndex(t, func(string) int { return 0 })
	if info, err := os.Stat(filepath.Join(p.dir, "data/chunks/chunks.jsonl")); err != nil || info.Size() != 0 {
		t.Fatal(info, err)
	}
	found, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "push"})
	if err != nil || !strings.Contains(found.Note, "chunks.jsonl is empty") {
		t.Errorf("found: %+v: %v", found, err)
	}
	_, err = p.RepoMap(t.Context(), chunking.RepoMapArgs{})
	toolsettest.WantError(t, err, "NOT_ANALYZED")
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Error(err)
	}
}
