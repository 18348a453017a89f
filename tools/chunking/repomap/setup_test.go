package repomap_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a project: the content of each file, by path.
type tree map[string]string

// files returns the indexed files of the project, sorted by path.
func (t tree) files(tb testing.TB) []*index.File {
	tb.Helper()
	parsers := builtin.Parsers(builtin.Options{})
	defer parsers.Close()
	var files []*index.File
	for path, src := range t {
		lang, ok := source.LanguageOf(path, []byte(src))
		if !ok {
			tb.Fatalf("%s is in no language", path)
		}
		parsed, err := parsers.Parse(tb.Context(), []byte(src), lang, source.Options{})
		if err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		files = append(files, index.Describe(path, []byte(src), parsed))
	}
	slices.SortFunc(files, func(a, b *index.File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

func (t tree) read(_ context.Context, f *index.File) ([]byte, error) {
	src, ok := t[f.Path]
	if !ok {
		return nil, fmt.Errorf("there is no %s", f.Path)
	}
	return []byte(src), nil
}

// rank ranks the declarations of the project with a new Maps.
func (t tree) rank(tb testing.TB, focus repomap.Focus) []repomap.Ranked {
	tb.Helper()
	ranked, err := new(repomap.Maps).Rank(tb.Context(), t.files(tb), t.read, focus)
	if err != nil {
		tb.Fatal(err)
	}
	return slices.Collect(ranked.All())
}

// names returns the names of the first declarations.
func names(ranked []repomap.Ranked, most int) []string {
	var all []string
	for _, r := range ranked[:min(most, len(ranked))] {
		all = append(all, r.File.ID(r.Chunk))
	}
	return all
}

// place returns the position of a declaration in a ranking.
func place(t *testing.T, ranked []repomap.Ranked, id string) int {
	t.Helper()
	at := slices.IndexFunc(ranked, func(r repomap.Ranked) bool { return r.File.ID(r.Chunk) == id })
	if at < 0 {
		t.Fatalf("%s is not ranked", id)
	}
	return at
}

// generatedTree returns a project of generated files; the first files have the most uses.
func generatedTree(files int) tree {
	t := make(tree, files)
	for i := range files {
		var b strings.Builder
		fmt.Fprintf(&b, "package p\n\n// Widget%d is one of many.\ntype Widget%d struct{ next *Widget%d }\n\n", i, i, i/2)
		for j := range 10 {
			fmt.Fprintf(&b, "func (w *Widget%d) Do%d(other *Widget%d) error {\n\treturn compute%d(other, %q)\n}\n\n", i, j, i/3, (i+j)/5, "a text")
		}
		fmt.Fprintf(&b, "func compute%d(w any, s string) error { return nil }\n", i)
		t[fmt.Sprintf("dir%d/file%d.go", i%20, i)] = b.String()
	}
	return t
}
