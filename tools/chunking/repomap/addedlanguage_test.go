package repomap_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
)

// added is a parser of a language with one declaration a line, "def name".
type added struct{}

func (added) Name() string                 { return "added" }
func (added) Languages() []source.Language { return []source.Language{"added"} }
func (added) Definitions() []source.Definition {
	return []source.Definition{{Language: "added", Extensions: []string{".added"}, Syntax: source.Syntax{
		LineComments: []string{"--"}, Strings: []source.Delimiters{{Open: "|", Close: "|"}},
	}}}
}

func (added) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	at := 0
	for line := range strings.Lines(string(src)) {
		if name, ok := strings.CutPrefix(line, "def "); ok {
			b.Add(source.Chunk{Kind: source.Function, Name: strings.TrimSpace(name), Parent: -1, Decl: int32(at), Ident: int32(at + 4), End: int32(at + len(line))})
		}
		at += len(line)
	}
	return b.File("added"), nil
}

// Words in the comments and strings that a definition describes are not uses; words after other marks are.
func TestRank_AddedLanguage(t *testing.T) {
	files := tree{"a.added": "def Used\ndef Word\n"}
	for i := range 3 {
		files[fmt.Sprintf("b%d.added", i)] = "x // Used\n"
	}
	for i := range 30 {
		files[fmt.Sprintf("c%d.added", i)] = "-- Word\nx = |Word Word| -- Word\n"
	}
	parsers := source.NewParsers(added{})
	var indexed []*index.File
	for path, src := range files {
		parsed, err := parsers.Parse(t.Context(), []byte(src), "added", source.Options{})
		if err != nil {
			t.Fatal(err)
		}
		indexed = append(indexed, index.Describe(path, []byte(src), parsed))
	}
	slices.SortFunc(indexed, func(a, b *index.File) int { return strings.Compare(a.Path, b.Path) })
	ranked, err := (&repomap.Maps{Parsers: parsers}).Rank(t.Context(), indexed, files.read, repomap.Focus{})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(slices.Collect(ranked.All()), 1); got[0] != "a.added#Used" {
		t.Errorf("the first is %q", got)
	}
}
