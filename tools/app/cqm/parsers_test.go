package cqm

import (
	"context"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/source"
)

// paragraphs is a parser of an added language, in which each paragraph is a function that its first line names.
type paragraphs struct{}

func (paragraphs) Name() string                 { return "paragraphs" }
func (paragraphs) Languages() []source.Language { return []source.Language{"paragraphs"} }
func (paragraphs) Definitions() []source.Definition {
	return []source.Definition{{Language: "paragraphs", Extensions: []string{".par"}}}
}

func (paragraphs) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	at := 0
	for part := range strings.SplitAfterSeq(string(src), "\n\n") {
		if name, _, ok := strings.Cut(part, "\n"); ok && name != "" {
			b.Add(source.Chunk{Kind: source.Function, Name: name, Parent: -1, Decl: int32(at), Ident: int32(at), Body: int32(at + len(name) + 1), End: int32(at + len(part))})
		}
		at += len(part)
	}
	return b.File("paragraphs"), nil
}

// A search returns the functions that an additional parser finds.
func TestOptions_Parsers(t *testing.T) {
	dir := library(t)
	apptest.Write(t, dir, map[string]string{"a.par": "opening\nthe door\nthe window\n\nclosing\nthe cupboard\nthe drawer\n"})
	extended := apptest.Program(func() *app.App {
		return newApp(func() []string { return nil }, Options{Parsers: func() []source.Parser { return []source.Parser{paragraphs{}} }})
	})
	flags := []string{"-root", dir, "-plugins-enabled", "filesystem"}
	apptest.Contains(t, extended.MustRun(t, append(append([]string{"search"}, flags...), "cupboard")...), "a.par:5-7  function closing")
	if out := in().MustRun(t, append(append([]string{"search"}, flags...), "cupboard")...); strings.Contains(out, "function closing") {
		t.Errorf("without the parser there is a function:\n%s", out)
	}
}
