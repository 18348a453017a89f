package source_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/source"
)

func TestLanguageOf(t *testing.T) {
	for _, tc := range []struct {
		name, head string
		want       source.Language
	}{
		{"Sources/App/Main.swift", "", source.Swift},
		{"build.gradle.kts", "", source.Kotlin},
		{`src\A.KT`, "", source.Kotlin},
		{"a.d.mts", "", source.TypeScript},
		{"View.tsx", "", source.TSX},
		{"index.jsx", "", source.JavaScript},
		{"a.h", "int f(void);\n", source.C},
		{"a.h", "", source.C},
		{"a.h", "#pragma once\nnamespace a { int f(); }\n", source.CPP},
		{"a.h", "struct classy;\nint class_of(int);\n", source.C},
		{"a.h", "  template<class T> struct S;\n", source.CPP},
		{"Podfile", "", source.Ruby},
		{"run", "#!/usr/bin/env python3\nprint(1)\n", source.Python},
		{"run", "#!/usr/bin/node\n", source.JavaScript},
		{"run", "#!/usr/bin/env -S node --harmony\n", source.JavaScript},
		{"run", "#!/bin/sh\npython\n", ""},
		{"run", "python", ""},
		{"README.md", "", ""},
		{"swift", "", ""},
	} {
		got, ok := source.LanguageOf(tc.name, []byte(tc.head))
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s with %q is %q, %v; want %q", tc.name, tc.head, got, ok, tc.want)
		}
	}
}

func TestLanguageNamed(t *testing.T) {
	for name, want := range map[string]source.Language{"Swift": source.Swift, "c++": source.CPP, "C#": source.CSharp, "golang": source.Go, "kt": source.Kotlin, "cobol": "", "": ""} {
		if got, ok := source.LanguageNamed(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", name, got, ok, want)
		}
	}
	for _, lang := range source.Languages() {
		if got, ok := source.LanguageNamed(string(lang)); !ok || got != lang {
			t.Errorf("%q is not found by its name", lang)
		}
	}
}

func TestKind_Names(t *testing.T) {
	seen := 0
	for k := source.Function; ; k++ {
		name := k.String()
		if strings.Contains(name, "(") {
			break
		}
		seen++
		if got, ok := source.KindNamed(name); !ok || got != k {
			t.Errorf("%s is read as %v", name, got)
		}
		var back source.Kind
		if text, _ := k.MarshalText(); back.UnmarshalText(text) != nil || back != k {
			t.Errorf("%s comes back as %v", name, back)
		}
	}
	if seen != 22 {
		t.Errorf("there are %d kinds", seen)
	}
	var k source.Kind
	if err := k.UnmarshalText([]byte("invalid")); err == nil {
		t.Error("invalid was read as a kind")
	}
}

// words is a parser for a language of one-word declarations: every word that
// ends with a colon.
type words struct {
	name  string
	doubt bool
	fault error
	// invalid and nothing make the result one that no caller can use.
	invalid, nothing bool
}

func (w words) Name() string                 { return w.name }
func (w words) Languages() []source.Language { return []source.Language{source.Ruby} }
func (w words) Parse(_ context.Context, src []byte, lang source.Language, _ source.Options) (*source.File, error) {
	if w.fault != nil {
		return nil, w.fault
	}
	b := source.NewBuilder(src, lang)
	switch {
	case w.nothing:
		return nil, nil
	case w.invalid:
		f := b.File(w.name)
		f.Chunks = []source.Chunk{{Name: "self", Kind: source.Function, End: int32(len(src)), Parent: 0}}
		return f, nil
	}
	if w.doubt {
		return b.File(w.name), &source.UnsureError{Line: 3, Reason: "nothing is as it was"}
	}
	return b.File(w.name), nil
}

func TestParsers_Parse_Order(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		about   string
		parsers []source.Parser
		want    string
	}{
		{"the first that is sure", []source.Parser{words{name: "a"}, words{name: "b"}}, "a"},
		{"the next where one is unsure", []source.Parser{words{name: "a", doubt: true}, words{name: "b"}}, "b"},
		{"the next where one fails", []source.Parser{words{name: "a", fault: broken}, words{name: "b"}}, "b"},
		{"the guess where the next fails", []source.Parser{words{name: "a", doubt: true}, words{name: "b", fault: broken}}, "a, line 3: nothing is as it was"},
		{"the error where there is no guess", []source.Parser{words{name: "a", fault: broken}}, "error: a: broken"},
		{"the next where a result is invalid", []source.Parser{words{name: "a", invalid: true}, words{name: "b"}}, "b"},
		{"the error of an invalid result", []source.Parser{words{name: "a", invalid: true}}, "error: the parser a made a mistake: chunk 0: lines 0, 0, 0, 0"},
		{"the error of no result", []source.Parser{words{name: "a", nothing: true}}, "error: the parser a made a mistake: it returned neither a result nor an error"},
		{"no parser", nil, `error: no parser knows the language "ruby"`},
	} {
		f, err := source.NewParsers(tc.parsers...).Parse(context.Background(), []byte("x"), source.Ruby, source.Options{})
		got := fmt.Sprintf("error: %v", err)
		if err == nil {
			got = f.Parser
			for _, p := range f.Problems {
				got += fmt.Sprintf(", line %d: %s", p.Line, p.Message)
			}
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", tc.about, got, tc.want)
		}
	}
}

func TestParsers_Parse_Errors(t *testing.T) {
	p := source.NewParsers(words{name: "a"})
	if _, err := p.Parse(context.Background(), []byte("a\x00b"), source.Ruby, source.Options{}); !errors.Is(err, source.ErrBinary) {
		t.Errorf("NUL bytes: %v", err)
	}
	if _, err := p.Parse(context.Background(), make([]byte, source.MaxSource+1), source.Ruby, source.Options{}); !errors.Is(err, source.ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if !p.Supports(source.Ruby) || p.Supports(source.Go) || len(p.Languages()) != 1 {
		t.Errorf("it knows %v", p.Languages())
	}
}

func TestBuilder_File(t *testing.T) {
	const src = "# says\nclass A\n  def  f(\n    x)\n  end\nend\nf\n"
	at := func(part string) int32 { return int32(strings.Index(src, part)) }
	b := source.NewBuilder([]byte(src), source.Ruby)
	// In any order: the inner one is seen first.
	f := b.Add(source.Chunk{Kind: source.Method, Name: "f", Decl: at("def"), Ident: at("f("), Body: at("\n  end"), End: at("\nend\nf"), Parent: 1})
	c := b.Add(source.Chunk{Kind: source.Class, Name: "A", Decl: at("class"), Ident: at("A"), Doc: 0, DocEnd: 6, Parent: -1})
	b.Close(c, int(at("\nf\n")))
	b.Call("f", int(at("x)")), f)
	b.Import("a", 0)
	b.Problem("odd", len(src))
	got := b.File("test")
	want := &source.File{
		Language: source.Ruby, Parser: "test",
		Chunks: []source.Chunk{
			{Kind: source.Class, Name: "A", Signature: "class A def f( x) end end", Start: 0, DocEnd: 6, Decl: 7, Sig: 7, Ident: 13, End: at("\nf\n"), StartLine: 1, Line: 2, IdentLine: 2, EndLine: 6, Parent: -1},
			{Kind: source.Method, Name: "f", Container: "A", Signature: "def f( x)", Start: 17, Decl: 17, Sig: 17, Ident: 22, Body: at("\n  end"), End: at("\nend\nf"), StartLine: 3, Line: 3, IdentLine: 3, EndLine: 5, Parent: 0},
		},
		Imports:  []source.Import{{Path: "a", Line: 1}},
		Calls:    []source.Call{{Name: "f", Line: 4, Chunk: 1}},
		Problems: []source.Problem{{Line: 8, Message: "odd"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if path := got.Chunks[1].Path(); path != "A.f" {
		t.Errorf("the path is %s", path)
	}
}

func TestBuilder_SignatureLimit(t *testing.T) {
	src := "f" + strings.Repeat(" あああ", 400)
	b := source.NewBuilder([]byte(src), source.Ruby)
	b.Add(source.Chunk{Kind: source.Function, Name: "f", End: int32(len(src)), Parent: -1})
	signature := b.File("test").Chunks[0].Signature
	if len(signature) > source.MaxSignature+len("…") || !strings.HasSuffix(signature, "あ…") && !strings.HasSuffix(signature, " …") {
		t.Errorf("%d bytes, the end is %q", len(signature), signature[len(signature)-10:])
	}
}

func TestBuilder_SignatureComments(t *testing.T) {
	for src, want := range map[string]string{
		"func f(a /* one */ int, // two\n b int)": "func f(a int, b int)",
		"func f(url = \"http://x\" /* y */)":      "func f(url = \"http://x\" )",
		"func f(a = \"/*\", b = `//` , c = '\"')": "func f(a = \"/*\", b = `//` , c = '\"')",
		"func f(/* open":                          "func f(",
		"func f( // open":                         "func f(",
	} {
		b := source.NewBuilder([]byte(src), source.Swift)
		b.Add(source.Chunk{Kind: source.Function, Name: "f", Ident: 5, End: int32(len(src)), Parent: -1})
		if got := b.File("test").Chunks[0].Signature; got != want {
			t.Errorf("%q has the signature %q, want %q", src, got, want)
		}
	}
}

func TestLanguage_Family(t *testing.T) {
	kin := map[source.Language]source.Language{source.TSX: source.TypeScript, source.JavaScript: source.TypeScript, source.Java: source.Kotlin, source.Scala: source.Kotlin, source.CPP: source.C}
	for _, lang := range append(source.Languages(), "cobol") {
		want, ok := kin[lang]
		if !ok {
			want = lang
		}
		if got := lang.Family(); got != want {
			t.Errorf("%s is of the family %s, want %s", lang, got, want)
		}
	}
}

// TestFile_Check spoils each member of a File of a text of ten bytes; Check refuses all.
func TestFile_Check(t *testing.T) {
	for what, spoil := range map[string]func(f *source.File){
		"":                  func(*source.File) {},
		"no language":       func(f *source.File) { f.Language = "" },
		"no parser":         func(f *source.File) { f.Parser = "" },
		"problems":          func(f *source.File) { f.Problems = make([]source.Problem, source.MaxProblems+1) },
		"a problem's line":  func(f *source.File) { f.Problems = []source.Problem{{Line: -1}} },
		"an import's line":  func(f *source.File) { f.Imports = []source.Import{{Path: "a"}} },
		"a call's line":     func(f *source.File) { f.Calls = []source.Call{{Name: "a", Chunk: -1}} },
		"a call's chunk":    func(f *source.File) { f.Calls = []source.Call{{Name: "a", Line: 1, Chunk: 2}} },
		"kind":              func(f *source.File) { f.Chunks[1].Kind = source.Module + 1 },
		"name":              func(f *source.File) { f.Chunks[1].Name = "" },
		"start":             func(f *source.File) { f.Chunks[0].Start = -1 },
		"end":               func(f *source.File) { f.Chunks[0].End = 11 },
		"ident":             func(f *source.File) { f.Chunks[1].Ident = 8 },
		"documentation":     func(f *source.File) { f.Chunks[0].Doc = 1 },
		"documentation end": func(f *source.File) { f.Chunks[0].DocEnd = 3 },
		"body":              func(f *source.File) { f.Chunks[1].Body = 9 },
		"lines":             func(f *source.File) { f.Chunks[1].Line = 1 },
		"parent":            func(f *source.File) { f.Chunks[1].Parent = 1 },
		"order":             func(f *source.File) { f.Chunks[0].Decl, f.Chunks[0].Sig, f.Chunks[0].Ident = 6, 6, 6 },
		"within":            func(f *source.File) { f.Chunks[1].End = 10 },
	} {
		f := &source.File{Language: source.Go, Parser: "toy", Chunks: []source.Chunk{
			{Kind: source.Class, Name: "a", Ident: 1, End: 9, StartLine: 1, Line: 1, IdentLine: 1, EndLine: 3, Parent: -1},
			{Kind: source.Method, Name: "b", Start: 4, Decl: 5, Sig: 5, Ident: 5, Body: 6, End: 8, StartLine: 2, Line: 2, IdentLine: 2, EndLine: 2, Parent: 0},
		}}
		spoil(f)
		if err := f.Check(10); (err == nil) != (what == "") {
			t.Errorf("%q: %v", what, err)
		}
	}
}
