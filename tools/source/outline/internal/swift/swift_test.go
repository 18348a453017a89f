package swift_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/swift"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func read(t *testing.T, src string) *source.File {
	t.Helper()
	f, err := swift.Parse(t.Context(), []byte(src), source.Swift, source.Options{Calls: true})
	if err != nil {
		t.Fatalf("unsure: %v", err)
	}
	return f
}

func TestSignatures(t *testing.T) {
	for src, want := range map[string]string{
		"func push(_ x: Int) -> Bool { true }":                        "func push(_ x: Int) -> Bool",
		"@objc(a:)\n@available(iOS 13, *) public\n  func f() {}":      "public func f()",
		"public @objc static func f(\n  a: Int\n)\n  async -> Int {}": "public @objc static func f( a: Int ) async -> Int",
		"struct S<T>: P where T: Q {}":                                "struct S<T>: P where T: Q",
		"private(set) var a: Int = 1":                                 "private(set) var a: Int = 1",
		"var a: Int { 1 }":                                            "var a: Int",
		"var a = 1 { didSet {\n} }":                                   "var a = 1",
		"lazy var a: [Int] = {\n  [1]\n}()":                           "lazy var a: [Int]",
		"let a: (Int) -> Int = { $0 }":                                "let a: (Int) -> Int",
		"typealias A<T> = [T]":                                        "typealias A<T> = [T]",
		"extension A.B where C == D {}":                               "extension A.B where C == D",
		"infix operator +++: Sum":                                     "infix operator +++: Sum",
		"typealias A = `B`\n":                                         "typealias A = `B`",
		"func `default`() {}":                                         "func `default`()",
	} {
		if f := read(t, src); len(f.Chunks) == 0 || f.Chunks[0].Signature != want {
			t.Errorf("%q: got %+v, want %q", src, f.Chunks, want)
		}
	}
}

func TestParse_BackQuotes(t *testing.T) {
	const src = "enum E { case `in`, `is` }\nextension `A`.`B` {}\nlet `a`, `b`: Int\n"
	want := []string{src[:26], "case `in`", "`is`", "extension `A`.`B` {}", "let `a`", "`b`: Int"}
	for i, c := range read(t, src).Chunks {
		if got := src[c.Decl:c.End]; got != want[i] || strings.Contains(c.Name, "`") {
			t.Errorf("%s is %q, want %q", c.Name, got, want[i])
		}
	}
}

func TestPlaces(t *testing.T) {
	const src = "/// Says.\n@A /* not this */\n// nor this\n@B(1) public\nfunc `f`() { 1 }\n"
	c := read(t, src).Chunks[0]
	for what, at := range map[string]struct {
		got  int32
		text string
	}{
		"start": {c.Start, "/// Says.\n@A"}, "doc": {c.Doc, "/// Says.\n@A"}, "end of doc": {c.DocEnd, "\n@A"},
		"decl": {c.Decl, "@A /*"}, "sig": {c.Sig, "public\n"}, "ident": {c.Ident, "f`()"}, "body": {c.Body, "{ 1 }"},
		"end": {c.End, "\n"},
	} {
		if !strings.HasPrefix(src[at.got:], at.text) {
			t.Errorf("%s is at %.10q, want %.10q", what, src[at.got:], at.text)
		}
	}
	if c.StartLine != 1 || c.Line != 2 || c.IdentLine != 5 || c.EndLine != 5 {
		t.Errorf("lines %d %d %d %d", c.StartLine, c.Line, c.IdentLine, c.EndLine)
	}
}

func TestBodies(t *testing.T) {
	for src, want := range map[string]string{
		"func f() { 1 }":                   "{ 1 }",
		"protocol P { func f() }":          "{ func",
		"var a: Int { get { 1 } }":         "{ get",
		"let f = { 1 }":                    "{ 1 }",
		"let f = { 1 }()":                  "",
		"let f = 1":                        "",
		"macro m() = #external(module: 1)": "= #ext",
		"typealias A = B":                  "",
	} {
		c := read(t, src).Chunks[0]
		if want == "" && c.Body != 0 || want != "" && !strings.HasPrefix(src[c.Body:], want) {
			t.Errorf("%q: the body is %q, want %q", src, src[c.Body:], want)
		}
	}
	f := read(t, "protocol P { var a: Int { get set }; func f(); subscript(i: Int) -> Int { get } }")
	for _, c := range f.Chunks[1:] {
		if c.Body != 0 {
			t.Errorf("the requirement %s has a body", c.Path())
		}
	}
}

func TestImports(t *testing.T) {
	f := read(t, `import Foundation
@testable import App
import struct Swift.Array ; @_exported public import UIKit.UIView
#if canImport(X)
import X
#endif
import
`)
	if got, want := fmt.Sprint(f.Imports), "[{Foundation 1} {App 2} {Swift.Array 3} {UIKit.UIView 3} {X 5}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCalls(t *testing.T) {
	f := read(t, `let first = Foo(1).bar?()
func f(x: Int = initial()) {
  a.b.push(1, "\(inner(2) + "\(deep())")")
  if cond { run { third() } } else { x! .y() }
  for x in items { Dictionary<String, Int>() }
  switch value { case .some(let x): use(x) case .none where test(x): break }
  guard let self, case .ok(let y) = load() else { return }
  let g = { self.inClosure(); super.init(); open(1); $0() }
  while next() {}
  list.map { $0 }.filter(ok) ; optional?(1) ; force!(2)
  func local() { inLocal() }
  return (after)(1)
}
@Attribute(no()) struct S { var a: Int { computed() } ; var b: Int { get { got() } } }
var c = Color.red { didSet { changed() } }
var d = true { willSet { } } ; func set() { x.set(1); defer { undo() } ; x.default() }
`)
	var got []string
	for _, c := range f.Calls {
		in := "-"
		if c.Chunk >= 0 {
			in = f.Chunks[c.Chunk].Path()
		}
		got = append(got, fmt.Sprintf("%s:%d:%s", c.Name, c.Line, in))
	}
	const want = `Foo:1:- bar:1:- initial:2:f(x:) push:3:f(x:) inner:3:f(x:) deep:3:f(x:) run:4:f(x:) third:4:f(x:) y:4:f(x:) ` +
		`Dictionary:5:f(x:) use:6:f(x:) test:6:f(x:) load:7:f(x:) inClosure:8:f(x:).g init:8:f(x:).g open:8:f(x:).g next:9:f(x:) map:10:f(x:) filter:10:f(x:) ` +
		`optional:10:f(x:) force:10:f(x:) inLocal:11:f.local() no:14:- computed:14:S.a got:14:S.b.get changed:15:c.didSet set:16:set() undo:16:set() default:16:set()`
	if all := strings.Join(got, " "); all != strings.ReplaceAll(want, "f(x:).g", "f.g") {
		t.Errorf("got\n%s\nwant\n%s", all, want)
	}
	f, err := swift.Parse(t.Context(), []byte("f(1)"), source.Swift, source.Options{})
	if err != nil || len(f.Calls) != 0 {
		t.Errorf("calls that nobody asked for: %v, %v", f.Calls, err)
	}
}

func TestParse_Unsure(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		line int
	}{
		"an open brace":              {"\nfunc f() {\n", 2},
		"a brace too many":           {"\nfunc f() {}\n}\nfunc g() {}", 3},
		"brackets that cross":        {"func f() {\n ( ]\n}", 2},
		"a brace in brackets":        {"func f() {\n g(1\n}", 2},
		"an open string":             {"let a = 1\nlet b = \"x\nlet c = 2", 2},
		"an open text":               {"let a = \"\"\"\n x", 1},
		"an open interpolation":      {"let a = \"\\(x\nlet b = 1", 1},
		"an open comment":            {"func f() {}\n/* /* */", 2},
		"an open regular expression": {"let a = #/x\n", 1},
		"branches that differ":       {"#if A\nfunc f() {\n#else\nfunc g() {\n#endif\n}", 3},
		"a branch that is open":      {"#if A\nfunc f() {}\n", 2},
		"a branch of nothing":        {"func f() {}\n#endif", 2},
		"a type without a body":      {"class A\nfunc f() {}", 2},
		"a statement among members":  {"class A {\n  return 1\n}", 2},
		"a word among members":       {"class A {\n  hello\n}", 2},
		"a function without a name":  {"func (x) {}", 1},
		"no parameters":              {"func f {}", 1},
		"parameters without types":   {"func f(a, b) {}", 1},
		"open parameters":            {"func f(a: Int {}", 1},
		"open type parameters":       {"func f<T(a: T) {}", 1},
		"an extension of nothing":    {"\nextension {}", 2},
		"an alias of nothing":        {"typealias = Int", 1},
		"a case of nothing":          {"enum E {\n  case\n}", 3},
		"an operator of nothing":     {"infix operator {}", 1},
		"a variable of nothing":      {"class A {\n  let = 1\n}", 2},
		"an accessor of nothing":     {"var a: Int { get { 1 } 2 }", 1},
		"a merge conflict":           {"class A {\n<<<<<<< HEAD\n  let a = 1\n}", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := swift.Parse(t.Context(), []byte(c.src), source.Swift, source.Options{})
			var unsure *source.UnsureError
			if !errors.As(err, &unsure) || f == nil {
				t.Fatalf("got %v, want doubt; found %s", err, outline(f))
			}
			if unsure.Line != c.line {
				t.Errorf("%v, want line %d", unsure, c.line)
			}
			if err := parsertest.Invariants([]byte(c.src), f); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestParse_Guess(t *testing.T) {
	f, err := swift.Parse(t.Context(), []byte("class A {\n  func f() { g( }\n  func h() {}\n}\nfunc i() {}\n"), source.Swift, source.Options{})
	if err == nil {
		t.Error("it is sure of that")
	}
	const want = "class A 1-4\nmethod A.f() 2-2\nmethod A.h() 3-3\nfunction i() 5-5"
	if got := outline(f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Whatever it is, it takes a bounded time and no more stack than there is.
func TestParse_LongAndDeepTexts(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n = 10_000
	}
	for name, src := range map[string]string{
		"brackets":        strings.Repeat("(", n),
		"braces":          strings.Repeat("{", n),
		"types":           strings.Repeat("class A {", n),
		"closures":        strings.Repeat("let a = {", n),
		"interpolations":  strings.Repeat(`"\(`, n),
		"comments":        strings.Repeat("/*", n),
		"accessors":       strings.Repeat("var a: Int { get {", n),
		"type arguments":  strings.Repeat("A<", n),
		"less":            "let a = " + strings.Repeat("a<b,", n),
		"attributes":      strings.Repeat("@a(", n),
		"slashes":         strings.Repeat("=/(a", n),
		"hashes":          strings.Repeat("#", n) + strings.Repeat(`#"`, n),
		"branches":        strings.Repeat("#if a\n", n),
		"modifiers":       strings.Repeat("public ", n),
		"arrows":          "let a: " + strings.Repeat("() -> ", n),
		"one line":        strings.Repeat("func f(){ g(1, \"a\\(b)\") };", n),
		"spaces":          strings.Repeat(" ", 100*n),
		"quotes":          strings.Repeat(`#"""`, n),
		"raw quotes":      `#"` + strings.Repeat(`"""`, n),
		"operators":       strings.Repeat("<", n) + strings.Repeat("=", n),
		"balanced":        strings.Repeat("(", n) + strings.Repeat(")", n),
		"labelled blocks": strings.Repeat("}a:{", n),
		"bytes":           string(bytes.Repeat([]byte{0xff, 0x00, 0x80, 0xc3}, n)),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			f, err := swift.Parse(t.Context(), []byte(src), source.Swift, source.Options{Calls: true})
			if f == nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// Whatever is looked at ahead must not be read again at each level.
func TestParse_LinearNesting(t *testing.T) {
	for _, level := range []string{
		`a { @b(a { X })`, `var a: Int { @b(x { X })`, `a { "\(a { X })" `, `var a: Int { "\(a { X })"`, `var a: Int { get "\(a { X })"`,
		`let a: some "\(a { X })"; b {`, `@a("\(a { X })") {`, `a<b<c<"\(a { X })">() {`, `set("\(a { X })") {`, `let a = b { set("\(a { X })") }; {`,
	} {
		src := "X"
		for range 60 {
			src = strings.Replace(level, "X", src, 1) + "}"
		}
		start := time.Now()
		f, err := swift.Parse(t.Context(), []byte(src), source.Swift, source.Options{Calls: true})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: it took %v: %v", level, took, err)
		}
		if err := parsertest.Invariants([]byte(src), f); err != nil {
			t.Errorf("%s: %v", level, err)
		}
		if len(f.Chunks) > 120 {
			t.Errorf("%s: %d chunks", level, len(f.Chunks))
		}
	}
}

func TestParse_NestingLimit(t *testing.T) {
	src := "func f() { " + strings.Repeat("(", 190) + "{ func g() {} }" + strings.Repeat(")", 190) + " }"
	if got, want := outline(read(t, src)), "function f() 1-1\nfunction f.g() 1-1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestParse_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := []byte(strings.Repeat("func f() { g() }\n", 100_000))
	if _, err := swift.Parse(ctx, src, source.Swift, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range hardCases(f) {
		f.Add([]byte(c.src), true)
	}
	f.Add([]byte("class A { var a: Int { @a( get { \"\\(\"\"\" } } }"), false)
	f.Fuzz(func(t *testing.T, src []byte, calls bool) {
		file, err := swift.Parse(t.Context(), src, source.Swift, source.Options{Calls: calls})
		var unsure *source.UnsureError
		if err != nil && (!errors.As(err, &unsure) || unsure.Line < 1 || unsure.Line > 1+bytes.Count(src, []byte("\n"))) {
			t.Fatalf("the error is %v", err)
		}
		if err := parsertest.Invariants(src, file); err != nil {
			t.Fatalf("%v in %q", err, src)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("testdata/typical.swift")
	if err != nil {
		b.Fatal(err)
	}
	for name, o := range map[string]source.Options{"declarations": {}, "calls": {Calls: true}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := swift.Parse(b.Context(), src, source.Swift, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
