package parse_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func TestLanguageOf(t *testing.T) {
	for _, tc := range []struct {
		name, head string
		want       parse.Language
	}{
		{"Sources/App/Main.swift", "", parse.Swift},
		{"build.gradle.kts", "", parse.Kotlin},
		{`src\A.KT`, "", parse.Kotlin},
		{"a.d.mts", "", parse.TypeScript},
		{"View.tsx", "", parse.TSX},
		{"index.jsx", "", parse.JavaScript},
		{"a.h", "int f(void);\n", parse.C},
		{"a.h", "", parse.C},
		{"a.h", "#pragma once\nnamespace a { int f(); }\n", parse.CPP},
		{"a.h", "struct classy;\nint class_of(int);\n", parse.C},
		{"a.h", "  template<class T> struct S;\n", parse.CPP},
		{"Podfile", "", parse.Ruby},
		{"run", "#!/usr/bin/env python3\nprint(1)\n", parse.Python},
		{"run", "#!/usr/bin/node\n", parse.JavaScript},
		{"run", "#!/usr/bin/env -S node --harmony\n", parse.JavaScript},
		{"run", "#!/bin/sh\npython\n", ""},
		{"run", "python", ""},
		{"README.md", "", ""},
		{"swift", "", ""},
	} {
		got, ok := parse.LanguageOf(tc.name, []byte(tc.head))
		if got != tc.want || ok != (tc.want != "") {
			t.Errorf("%s with %q is %q, %v; want %q", tc.name, tc.head, got, ok, tc.want)
		}
	}
}

func TestLanguageNamed(t *testing.T) {
	for name, want := range map[string]parse.Language{"Swift": parse.Swift, "c++": parse.CPP, "C#": parse.CSharp, "golang": parse.Go, "kt": parse.Kotlin, "cobol": "", "": ""} {
		if got, ok := parse.LanguageNamed(name); got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v; want %q", name, got, ok, want)
		}
	}
	for _, lang := range parse.Languages() {
		if got, ok := parse.LanguageNamed(string(lang)); !ok || got != lang {
			t.Errorf("%q is not found by its name", lang)
		}
	}
}

func TestKinds(t *testing.T) {
	seen := 0
	for k := parse.Function; ; k++ {
		name := k.String()
		if strings.Contains(name, "(") {
			break
		}
		seen++
		if got, ok := parse.KindNamed(name); !ok || got != k {
			t.Errorf("%s is read as %v", name, got)
		}
		var back parse.Kind
		if text, _ := k.MarshalText(); back.UnmarshalText(text) != nil || back != k {
			t.Errorf("%s comes back as %v", name, back)
		}
	}
	if seen != 22 {
		t.Errorf("there are %d kinds", seen)
	}
	var k parse.Kind
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
}

func (w words) Name() string                { return w.name }
func (w words) Languages() []parse.Language { return []parse.Language{parse.Ruby} }
func (w words) Parse(_ context.Context, src []byte, lang parse.Language, _ parse.Options) (*parse.File, error) {
	if w.fault != nil {
		return nil, w.fault
	}
	b := parse.NewBuilder(src, lang)
	if w.doubt {
		return b.File(w.name), &parse.UnsureError{Line: 3, Reason: "nothing is as it was"}
	}
	return b.File(w.name), nil
}

func TestParsersAskInOrder(t *testing.T) {
	broken := errors.New("broken")
	for _, tc := range []struct {
		about   string
		parsers []parse.Parser
		want    string
	}{
		{"the first that is sure", []parse.Parser{words{name: "a"}, words{name: "b"}}, "a"},
		{"the next where one is unsure", []parse.Parser{words{name: "a", doubt: true}, words{name: "b"}}, "b"},
		{"the next where one fails", []parse.Parser{words{name: "a", fault: broken}, words{name: "b"}}, "b"},
		{"the guess where the next fails", []parse.Parser{words{name: "a", doubt: true}, words{name: "b", fault: broken}}, "a, line 3: nothing is as it was"},
		{"the error where there is no guess", []parse.Parser{words{name: "a", fault: broken}}, "error: a: broken"},
		{"no parser", nil, `error: no parser knows the language "ruby"`},
	} {
		f, err := parse.NewParsers(tc.parsers...).Parse(context.Background(), []byte("x"), parse.Ruby, parse.Options{})
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

func TestParsersRefuse(t *testing.T) {
	p := parse.NewParsers(words{name: "a"})
	if _, err := p.Parse(context.Background(), []byte("a\x00b"), parse.Ruby, parse.Options{}); !errors.Is(err, parse.ErrBinary) {
		t.Errorf("NUL bytes: %v", err)
	}
	if _, err := p.Parse(context.Background(), make([]byte, parse.MaxSource+1), parse.Ruby, parse.Options{}); !errors.Is(err, parse.ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	if !p.Knows(parse.Ruby) || p.Knows(parse.Go) || len(p.Languages()) != 1 {
		t.Errorf("it knows %v", p.Languages())
	}
}

func TestBuilder(t *testing.T) {
	const src = "# says\nclass A\n  def  f(\n    x)\n  end\nend\nf\n"
	at := func(part string) int32 { return int32(strings.Index(src, part)) }
	b := parse.NewBuilder([]byte(src), parse.Ruby)
	// In any order: the inner one is seen first.
	f := b.Add(parse.Chunk{Kind: parse.Method, Name: "f", Decl: at("def"), Ident: at("f("), Body: at("\n  end"), End: at("\nend\nf"), Parent: 1})
	c := b.Add(parse.Chunk{Kind: parse.Class, Name: "A", Decl: at("class"), Ident: at("A"), Doc: 0, DocEnd: 6, Parent: -1})
	b.Close(c, int(at("\nf\n")))
	b.Call("f", int(at("x)")), f)
	b.Import("a", 0)
	b.Problem("odd", len(src))
	got := b.File("test")
	want := &parse.File{
		Language: parse.Ruby, Parser: "test",
		Chunks: []parse.Chunk{
			{Kind: parse.Class, Name: "A", Signature: "class A def f( x) end end", Start: 0, DocEnd: 6, Decl: 7, Sig: 7, Ident: 13, End: at("\nf\n"), StartLine: 1, Line: 2, IdentLine: 2, EndLine: 6, Parent: -1},
			{Kind: parse.Method, Name: "f", Container: "A", Signature: "def f( x)", Start: 17, Decl: 17, Sig: 17, Ident: 22, Body: at("\n  end"), End: at("\nend\nf"), StartLine: 3, Line: 3, IdentLine: 3, EndLine: 5, Parent: 0},
		},
		Imports:  []parse.Import{{Path: "a", Line: 1}},
		Calls:    []parse.Call{{Name: "f", Line: 4, Chunk: 1}},
		Problems: []parse.Problem{{Line: 8, Message: "odd"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if path := got.Chunks[1].Path(); path != "A.f" {
		t.Errorf("the path is %s", path)
	}
}

func TestSignaturesAreBounded(t *testing.T) {
	src := "f" + strings.Repeat(" あああ", 400)
	b := parse.NewBuilder([]byte(src), parse.Ruby)
	b.Add(parse.Chunk{Kind: parse.Function, Name: "f", End: int32(len(src)), Parent: -1})
	signature := b.File("test").Chunks[0].Signature
	if len(signature) > parse.MaxSignature+len("…") || !strings.HasSuffix(signature, "あ…") && !strings.HasSuffix(signature, " …") {
		t.Errorf("%d bytes, the end is %q", len(signature), signature[len(signature)-10:])
	}
}

func TestSignaturesHaveNoComments(t *testing.T) {
	for src, want := range map[string]string{
		"func f(a /* one */ int, // two\n b int)": "func f(a int, b int)",
		"func f(url = \"http://x\" /* y */)":      "func f(url = \"http://x\" )",
		"func f(a = \"/*\", b = `//` , c = '\"')": "func f(a = \"/*\", b = `//` , c = '\"')",
		"func f(/* open":                          "func f(",
		"func f( // open":                         "func f(",
	} {
		b := parse.NewBuilder([]byte(src), parse.Swift)
		b.Add(parse.Chunk{Kind: parse.Function, Name: "f", Ident: 5, End: int32(len(src)), Parent: -1})
		if got := b.File("test").Chunks[0].Signature; got != want {
			t.Errorf("%q has the signature %q, want %q", src, got, want)
		}
	}
}

func TestFamily(t *testing.T) {
	kin := map[parse.Language]parse.Language{parse.TSX: parse.TypeScript, parse.JavaScript: parse.TypeScript, parse.Java: parse.Kotlin, parse.Scala: parse.Kotlin, parse.CPP: parse.C}
	for _, lang := range append(parse.Languages(), "cobol") {
		want, ok := kin[lang]
		if !ok {
			want = lang
		}
		if got := lang.Family(); got != want {
			t.Errorf("%s is of the family %s, want %s", lang, got, want)
		}
	}
}

// What cannot be about a text of ten bytes is refused, whichever member says it.
func TestCheck(t *testing.T) {
	for what, spoil := range map[string]func(f *parse.File){
		"":                  func(*parse.File) {},
		"no language":       func(f *parse.File) { f.Language = "" },
		"no parser":         func(f *parse.File) { f.Parser = "" },
		"problems":          func(f *parse.File) { f.Problems = make([]parse.Problem, parse.MaxProblems+1) },
		"a problem's line":  func(f *parse.File) { f.Problems = []parse.Problem{{Line: -1}} },
		"an import's line":  func(f *parse.File) { f.Imports = []parse.Import{{Path: "a"}} },
		"a call's line":     func(f *parse.File) { f.Calls = []parse.Call{{Name: "a", Chunk: -1}} },
		"a call's chunk":    func(f *parse.File) { f.Calls = []parse.Call{{Name: "a", Line: 1, Chunk: 2}} },
		"kind":              func(f *parse.File) { f.Chunks[1].Kind = parse.Module + 1 },
		"name":              func(f *parse.File) { f.Chunks[1].Name = "" },
		"start":             func(f *parse.File) { f.Chunks[0].Start = -1 },
		"end":               func(f *parse.File) { f.Chunks[0].End = 11 },
		"ident":             func(f *parse.File) { f.Chunks[1].Ident = 8 },
		"documentation":     func(f *parse.File) { f.Chunks[0].Doc = 1 },
		"documentation end": func(f *parse.File) { f.Chunks[0].DocEnd = 3 },
		"body":              func(f *parse.File) { f.Chunks[1].Body = 9 },
		"lines":             func(f *parse.File) { f.Chunks[1].Line = 1 },
		"parent":            func(f *parse.File) { f.Chunks[1].Parent = 1 },
		"order":             func(f *parse.File) { f.Chunks[0].Decl, f.Chunks[0].Sig, f.Chunks[0].Ident = 6, 6, 6 },
		"within":            func(f *parse.File) { f.Chunks[1].End = 10 },
	} {
		f := &parse.File{Language: parse.Go, Parser: "toy", Chunks: []parse.Chunk{
			{Kind: parse.Class, Name: "a", Ident: 1, End: 9, StartLine: 1, Line: 1, IdentLine: 1, EndLine: 3, Parent: -1},
			{Kind: parse.Method, Name: "b", Start: 4, Decl: 5, Sig: 5, Ident: 5, Body: 6, End: 8, StartLine: 2, Line: 2, IdentLine: 2, EndLine: 2, Parent: 0},
		}}
		spoil(f)
		if err := f.Check(10); (err == nil) != (what == "") {
			t.Errorf("%q: %v", what, err)
		}
	}
}
