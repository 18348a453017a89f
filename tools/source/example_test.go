package source_test

import (
	"context"
	"fmt"
	"log"
	"regexp"

	"github.com/dougu-go/dougu/tools/source"
)

// lines is a parser of Ruby that knows "def" at the beginning of a line, and the
// "end" that belongs to it.
type lines struct{}

func (lines) Name() string                 { return "lines" }
func (lines) Languages() []source.Language { return []source.Language{source.Ruby} }

func (lines) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	b := source.NewBuilder(src, lang)
	for _, at := range regexp.MustCompile(`(?ms)^def (\w+)[^\n]*\n(.*?)^end`).FindAllSubmatchIndex(src, -1) {
		b.Add(source.Chunk{
			Kind: source.Function, Name: string(src[at[2]:at[3]]), Parent: -1,
			Decl: int32(at[0]), Ident: int32(at[2]), Body: int32(at[4]), End: int32(at[1]),
		})
	}
	return b.File("lines"), nil
}

// A parser says where declarations are; the Builder does the rest.
func Example() {
	src := []byte("# Says hello.\ndef greet(name)\n  puts name\nend\n")
	parsers := source.NewParsers(lines{})
	defer parsers.Close()

	lang, _ := source.LanguageOf("hello.rb", src)
	file, err := parsers.Parse(context.Background(), src, lang, source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range file.Chunks {
		fmt.Printf("%s %s, lines %d to %d: %s\n", c.Kind, c.Path(), c.StartLine, c.EndLine, c.Signature)
	}
	// Output: function greet, lines 2 to 4: def greet(name)
}
