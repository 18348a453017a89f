package source_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
)

// definer is a parser of languages that this package does not know.
type definer struct {
	languages   []source.Language
	definitions []source.Definition
}

func (definer) Name() string                       { return "definer" }
func (d definer) Languages() []source.Language     { return d.languages }
func (d definer) Definitions() []source.Definition { return d.definitions }
func (d definer) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	return source.NewBuilder(src, lang).File("definer"), nil
}

// newDefined returns the parsers of four added languages and Ruby.
func newDefined() *source.Parsers {
	return source.NewParsers(
		definer{[]source.Language{"zig", "Nim"}, []source.Definition{
			{Language: "zig", Extensions: []string{".zig", ".h"}, FileNames: []string{"Zigfile", "odd.py"}},
			{Language: "Nim", Extensions: []string{".nim"}, Aliases: []string{"nimrod"}},
			{Language: "cobol", Extensions: []string{".py"}, Aliases: []string{"cbl"}}, // not read by this parser
		}},
		definer{[]source.Language{"lua", source.Ruby}, []source.Definition{
			{Language: "lua", Extensions: []string{".lua", ".zig"}, Interpreters: []string{"lua"}, Syntax: source.Syntax{LineComments: []string{"--"}}},
		}},
	)
}

func TestParsers_LanguageOf(t *testing.T) {
	parsers := newDefined()
	for name, want := range map[string]source.Language{
		"a.zig": "zig", "dir/A.ZIG": "zig", "a.nim": "Nim", "a.lua": "lua", // as the parsers define
		"Zigfile": "zig", `dir\Zigfile`: "zig", "odd.py": "zig", "zigfile": "", // by the exact name
		"a.h":  "zig",         // before the built-in language
		"a.py": source.Python, // defined for a language that the parser does not read
		"a.rb": source.Ruby, "zig": "", "a.zig.txt": "",
	} {
		if got, ok := parsers.LanguageOf(name, nil); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v, want %q", name, got, ok, want)
		}
	}
	for head, want := range map[string]source.Language{
		"#!/usr/bin/ruby\n": source.Ruby, "#!/usr/bin/env lua5.4\nprint(1)": "lua", "#!/usr/bin/lua -i\n": "lua", "#!/bin/sh\n# lua\n": "", "": "",
	} {
		if got, ok := parsers.LanguageOf("script", []byte(head)); got != want || ok != (want != "") {
			t.Errorf("a script with %q is %q, %v", head, got, ok)
		}
	}
	var none source.Parsers
	if got, ok := none.LanguageOf("a.go", nil); got != source.Go || !ok {
		t.Errorf("without parsers a.go is %q, %v", got, ok)
	}
}

func TestParsers_LanguageNamed(t *testing.T) {
	parsers := newDefined()
	for name, want := range map[string]source.Language{
		"zig": "zig", "ZIG": "zig", "Nim": "Nim", "NimRod": "Nim", "lua": "lua", "rb": source.Ruby,
		"python": "", "nim": "", "cbl": "", "cobol": "", "": "",
	} {
		if got, ok := parsers.LanguageNamed(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s names %q, %v, want %q", name, got, ok, want)
		}
	}
}

func TestParsers_Definition(t *testing.T) {
	parsers := newDefined()
	if d, ok := parsers.Definition("lua"); !ok || !d.Syntax.IsComment([]byte("-- x")) || d.Syntax.IsComment([]byte("- x")) || d.Syntax.IsComment(nil) {
		t.Errorf("%+v, %v", d, ok)
	}
	for _, lang := range []source.Language{source.Ruby, "cobol", ""} {
		if d, ok := parsers.Definition(lang); ok {
			t.Errorf("%q has a definition: %+v", lang, d)
		}
	}
	if _, ok := (*source.Parsers)(nil).Definition("lua"); ok {
		t.Error("there is a definition without parsers")
	}
}

// Stored results are discarded if the definition of the language changes.
func TestParsers_Fingerprint(t *testing.T) {
	fingerprint := func(s source.Syntax) string {
		return source.NewParsers(definer{[]source.Language{"lua"}, []source.Definition{{Language: "lua", Syntax: s}}}).Fingerprint("lua")
	}
	one := fingerprint(source.Syntax{LineComments: []string{"--"}})
	if one != fingerprint(source.Syntax{LineComments: []string{"--"}}) || one == fingerprint(source.Syntax{LineComments: []string{"//"}}) {
		t.Errorf("the fingerprint %q does not depend on the syntax alone", one)
	}
}

func TestLanguageNames_Join(t *testing.T) {
	if got := source.LanguageNames([]source.Language{source.Go, "zig"}); got != "go, zig" {
		t.Errorf("%q", got)
	}
}
