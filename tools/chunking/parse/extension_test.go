package parse_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// sixteenth is a parser of languages that this package does not know.
type sixteenth struct {
	languages  []parse.Language
	extensions map[string]parse.Language
}

func (sixteenth) Name() string                            { return "sixteenth" }
func (s sixteenth) Languages() []parse.Language           { return s.languages }
func (s sixteenth) Extensions() map[string]parse.Language { return s.extensions }
func (s sixteenth) Parse(_ context.Context, src []byte, lang parse.Language, _ parse.Options) (*parse.File, error) {
	return parse.NewBuilder(src, lang).File("sixteenth"), nil
}

func TestLanguagesOfOtherParsers(t *testing.T) {
	parsers := parse.NewParsers(
		sixteenth{[]parse.Language{"zig", "Nim"}, map[string]parse.Language{".zig": "zig", ".nim": "Nim", ".h": "zig", ".py": "lua"}},
		sixteenth{[]parse.Language{"lua", parse.Ruby}, map[string]parse.Language{".lua": "lua", ".zig": "lua"}},
	)
	for name, want := range map[string]parse.Language{
		"a.zig": "zig", "dir/A.ZIG": "zig", "a.nim": "Nim", "a.lua": "lua", // as the parsers say
		"a.h":  "zig",                                  // before what is known of it
		"a.py": parse.Python,                           // which the parser does not read
		"a.rb": parse.Ruby, "zig": "", "a.zig.txt": "", // as it is known without them
	} {
		if got, ok := parsers.LanguageOf(name, nil); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v, want %q", name, got, ok, want)
		}
	}
	if got, ok := parsers.LanguageOf("script", []byte("#!/usr/bin/ruby\n")); got != parse.Ruby || !ok {
		t.Errorf("a script is %q, %v", got, ok)
	}
	for name, want := range map[string]parse.Language{"zig": "zig", "ZIG": "zig", "Nim": "Nim", "lua": "lua", "rb": parse.Ruby, "python": "", "nim": "", "": ""} {
		if got, ok := parsers.LanguageNamed(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s names %q, %v, want %q", name, got, ok, want)
		}
	}
	var none parse.Parsers
	if got, ok := none.LanguageOf("a.go", nil); got != parse.Go || !ok {
		t.Errorf("without parsers a.go is %q, %v", got, ok)
	}
}

func TestLanguageNames(t *testing.T) {
	if got := parse.LanguageNames([]parse.Language{parse.Go, "zig"}); got != "go, zig" {
		t.Errorf("%q", got)
	}
}
