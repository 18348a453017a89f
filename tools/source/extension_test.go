package source_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// sixteenth is a parser of languages that this package does not know.
type sixteenth struct {
	languages  []source.Language
	extensions map[string]source.Language
}

func (sixteenth) Name() string                             { return "sixteenth" }
func (s sixteenth) Languages() []source.Language           { return s.languages }
func (s sixteenth) Extensions() map[string]source.Language { return s.extensions }
func (s sixteenth) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	return source.NewBuilder(src, lang).File("sixteenth"), nil
}

func TestExtender_Languages(t *testing.T) {
	parsers := source.NewParsers(
		sixteenth{[]source.Language{"zig", "Nim"}, map[string]source.Language{".zig": "zig", ".nim": "Nim", ".h": "zig", ".py": "lua"}},
		sixteenth{[]source.Language{"lua", source.Ruby}, map[string]source.Language{".lua": "lua", ".zig": "lua"}},
	)
	for name, want := range map[string]source.Language{
		"a.zig": "zig", "dir/A.ZIG": "zig", "a.nim": "Nim", "a.lua": "lua", // as the parsers say
		"a.h":  "zig",                                   // before what is known of it
		"a.py": source.Python,                           // which the parser does not read
		"a.rb": source.Ruby, "zig": "", "a.zig.txt": "", // as it is known without them
	} {
		if got, ok := parsers.LanguageOf(name, nil); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v, want %q", name, got, ok, want)
		}
	}
	if got, ok := parsers.LanguageOf("script", []byte("#!/usr/bin/ruby\n")); got != source.Ruby || !ok {
		t.Errorf("a script is %q, %v", got, ok)
	}
	for name, want := range map[string]source.Language{"zig": "zig", "ZIG": "zig", "Nim": "Nim", "lua": "lua", "rb": source.Ruby, "python": "", "nim": "", "": ""} {
		if got, ok := parsers.LanguageNamed(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s names %q, %v, want %q", name, got, ok, want)
		}
	}
	var none source.Parsers
	if got, ok := none.LanguageOf("a.go", nil); got != source.Go || !ok {
		t.Errorf("without parsers a.go is %q, %v", got, ok)
	}
}

func TestLanguageNames_Join(t *testing.T) {
	if got := source.LanguageNames([]source.Language{source.Go, "zig"}); got != "go, zig" {
		t.Errorf("%q", got)
	}
}
