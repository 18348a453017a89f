package symbols_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/parsertest"
	"github.com/dougu-go/dougu/tools/source/symbols"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// position is that of a byte.
func position(text string, at int) symbols.Position {
	before := strings.TrimPrefix(text[:at], "\uFEFF")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return symbols.Position{Line: strings.Count(before, "\n") + 1, Column: len(utf16.Encode([]rune(line))) + 1}
}

// symbol is that of the declaration that begins with some words and ends with others;
// its name stands where the name's first word does.
func symbol(t testing.TB, text, kind, name, from, to string) symbols.Symbol {
	t.Helper()
	start := strings.Index(text, from)
	if start < 0 {
		t.Fatalf("no %q", from)
	}
	n := strings.Index(text[start:], to)
	bare, _, _ := strings.Cut(name, "(")
	ident := strings.Index(text[start:], bare)
	if n < 0 || ident < 0 {
		t.Fatalf("no %q or %q behind %q", to, bare, from)
	}
	end, ident := start+n+len(to), start+ident
	return symbols.Symbol{
		Name: name, Kind: kind, Range: symbols.Range{Start: position(text, start), End: position(text, end)},
		Selection: symbols.Range{Start: position(text, ident), End: position(text, ident+len(bare))},
	}
}

func parser(found []symbols.Symbol, rest symbols.Rest, languages ...source.Language) *symbols.Parser {
	return symbols.New(symbols.Options{Languages: languages, Rest: rest, List: func(context.Context, string, source.Language) ([]symbols.Symbol, error) {
		return found, nil
	}})
}

const swift = "\uFEFF" + `import Foundation

// MARK: - Stack 😀

/// A stack.
@available(iOS 13, *)
public final class Stack<Element> {
    private var items: [Element] = [], /* 😀 */ spare = 1
    /// How many.
    var count: Int { items.count }
    let show = { print("}") }

    // Puts on top.
    @discardableResult
    func push(_ x: Element, at: Int = 0) -> Bool where Element == Int {
        let local = 1
        func inner() { print(local) }
        inner()
        return true
    }

    init?(x: Int) { push(x) }
    static func == (a: Stack, b: Stack) -> Bool { true }
    class func make() {}
    enum Side { case left, right(Int) }
}

protocol Shape { var area: Double { get }; func draw() }
extension Stack: Shape {}
actor Bank {}
`

// swiftSymbols returns the symbols of the text as sourcekit-lsp reports them.
func swiftSymbols(t testing.TB) []symbols.Symbol {
	at := func(kind, name, from, to string) symbols.Symbol { return symbol(t, swift, kind, name, from, to) }
	return []symbols.Symbol{
		at("namespace", "MARK", "// MARK", "😀"),
		at("class", "Stack", "@available", "right(Int) }\n}"),
		at("property", "items", "private var", "= 1"),
		at("property", "spare", "private var", "= 1"),
		at("property", "count", "var count", "items.count }"),
		at("property", "show", "let show", `("}") }`),
		at("method", "push(_:at:)", "@discardableResult", "return true\n    }"),
		at("variable", "local", "let local", "1"),
		at("function", "inner()", "func inner", "}"),
		at("constructor", "init(x:)", "init?", "}"),
		at("method", "==(_:_:)", "static func ==", "}"),
		at("method", "make()", "class func", "}"),
		at("enum", "Side", "enum Side", "}"),
		at("enummember", "left", "left", "left"),
		at("enummember", "right(_:)", "right", ")"),
		at("interface", "Shape", "protocol", "draw() }"),
		at("property", "area", "var area", "}"),
		at("method", "draw()", "func draw", ")"),
		at("namespace", "Stack", "extension", "{}"),
		at("class", "Bank", "actor", "{}"),
	}
}

// describe shows the chunks of a file.
func describe(src string, f *source.File) string {
	var b strings.Builder
	for i := range f.Chunks {
		c := &f.Chunks[i]
		fmt.Fprintf(&b, "%s %s | %s", c.Kind, c.Path(), c.Signature)
		if c.DocEnd > 0 {
			fmt.Fprintf(&b, " | doc %s", src[c.Doc:c.DocEnd])
		}
		if c.Body > 0 {
			fmt.Fprintf(&b, " | body %.8q", src[c.Body:c.End])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestSwift(t *testing.T) {
	f, err := parser(swiftSymbols(t), outline.Parser{}, source.Swift).Parse(t.Context(), []byte(swift), source.Swift, source.Options{Calls: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := parsertest.Invariants([]byte(swift), f); err != nil {
		t.Error(err)
	}
	want := `class Stack | public final class Stack<Element> | doc /// A stack. | body "{\n    pr"
property Stack.items | private var items: [Element] = [], spare = 1
property Stack.spare | private var items: [Element] = [], spare = 1
property Stack.count | var count: Int | doc /// How many. | body "{ items."
lambda Stack.show | let show | body "{ print("
method Stack.push(_:at:) | func push(_ x: Element, at: Int = 0) -> Bool where Element == Int | doc // Puts on top. | body "{\n      "
function Stack.push.inner() | func inner() | body "{ print("
initializer Stack.init(x:) | init?(x: Int) | body "{ push(x"
operator Stack.==(_:_:) | static func == (a: Stack, b: Stack) -> Bool | body "{ true }"
method Stack.make() | class func make() | body "{}"
enum Stack.Side | enum Side | body "{ case l"
enumCase Stack.Side.left | left
enumCase Stack.Side.right | right(Int)
interface Shape | protocol Shape | body "{ var ar"
property Shape.area | var area: Double { get }
method Shape.draw() | func draw()
extension Stack | extension Stack: Shape | body "{}"
actor Bank | actor Bank | body "{}"
`
	if got := describe(swift, f); got != want {
		t.Errorf("the chunks are\n%s\nwant\n%s", got, want)
	}
	if f.Parser != "symbols" || len(f.Imports) != 1 || f.Imports[0].Path != "Foundation" {
		t.Errorf("%q, imports %+v", f.Parser, f.Imports)
	}
	var calls []string
	for _, c := range f.Calls {
		who := ""
		if c.Chunk >= 0 {
			who = f.Chunks[c.Chunk].Name
		}
		calls = append(calls, fmt.Sprintf("%s calls %s in %d", who, c.Name, c.Line))
	}
	if got := strings.Join(calls, "; "); !strings.Contains(got, "inner calls print in 17") || !strings.Contains(got, "push calls inner in 18") || !strings.Contains(got, "init calls push in 22") {
		t.Errorf("the calls are %s", got)
	}
}

// Other languages have other comments, attributes and bodies.
func TestOtherLanguages(t *testing.T) {
	for _, tc := range []struct {
		lang                      source.Language
		src, kind, name, from, to string
		want                      string
	}{
		{source.Go, "package a\n\n// Add adds.\n// It is fast.\nfunc (c *Cart) Add(n int) {\n}\n", "method", "(*Cart).Add", "func", "}",
			"method Cart.Add | func (c *Cart) Add(n int) | doc // Add adds.\n// It is fast. | body \"{\\n}\"\n"},
		{source.Python, "# It helps.\n@cache\ndef helper(x: int = {}['a']) -> str:\n    # why\n    return x\n", "function", "helper", "@cache", "return x",
			"function helper | def helper(x: int = {}['a']) -> str: # why | doc # It helps. | body \"return x\"\n"},
		{source.Rust, "/* {no} */\n/// Doc.\n#[inline(always)]\npub fn run<T>(x: T) -> u8 { 1 }\n", "function", "run", "/// Doc", "{ 1 }",
			"function run | pub fn run<T>(x: T) -> u8 | doc /* {no} */\n/// Doc. | body \"{ 1 }\"\n"},
		{source.TypeScript, "/** Doc. */\nconst f = (a: { b: string }): { c: 1 } => { return {c: 1} }\n", "function", "f", "const", "1} }",
			"lambda f | const f = (a: { b: string }): { c: 1 } => | doc /** Doc. */ | body \"{ return\"\n"},
		{source.Kotlin, "fun f(a: Int = 1) = a + 1\n", "function", "f", "fun", "+ 1", "function f | fun f(a: Int = 1) | body \"= a + 1\"\n"},
		{source.CSharp, "[Test(\"]\")]\nint F() => 1;\n", "method", "F()", "[Test", ";", "method F() | int F() | body \"=> 1;\"\n"},
	} {
		s := symbol(t, tc.src, tc.kind, tc.name[strings.LastIndexByte(tc.name, '.')+1:], tc.from, tc.to)
		if tc.name == "F()" {
			s.Selection = symbols.Range{Start: symbols.Position{Line: 2, Column: 5}, End: symbols.Position{Line: 2, Column: 6}}
		}
		if tc.lang == source.Kotlin {
			s.Selection = symbols.Range{Start: symbols.Position{Line: 1, Column: 5}, End: symbols.Position{Line: 1, Column: 6}}
		}
		if tc.lang == source.TypeScript {
			s.Selection = symbols.Range{Start: symbols.Position{Line: 2, Column: 7}, End: symbols.Position{Line: 2, Column: 8}}
		}
		s.Name = tc.name
		f, err := parser([]symbols.Symbol{s}, nil, tc.lang).Parse(t.Context(), []byte(tc.src), tc.lang, source.Options{})
		if err != nil {
			t.Errorf("%s: %v", tc.lang, err)
			continue
		}
		if err := parsertest.Invariants([]byte(tc.src), f); err != nil {
			t.Errorf("%s: %v", tc.lang, err)
		}
		if got := describe(tc.src, f); got != tc.want {
			t.Errorf("%s:\n%s\nwant\n%s", tc.lang, got, tc.want)
		}
	}
}

// Symbols of another text give the word to the next parser.
func TestParser_Parse_MismatchedSymbols(t *testing.T) {
	const src = "func a() {\n}\nfunc b() {\n}\n"
	a, b := symbol(t, src, "function", "a()", "func a", "}"), symbol(t, src, "function", "b()", "func b", "}")
	// The first "a" behind "func a" is the name.
	change := func(s symbols.Symbol, with func(s *symbols.Symbol)) symbols.Symbol {
		with(&s)
		return s
	}
	for name, found := range map[string][]symbols.Symbol{
		"none":                   nil,
		"a line that is not":     {change(a, func(s *symbols.Symbol) { s.Range.End.Line = 70 })},
		"no position":            {{Name: "a", Kind: "function"}},
		"negative":               {change(a, func(s *symbols.Symbol) { s.Range.Start.Column = -1 })},
		"a name that is outside": {change(a, func(s *symbols.Symbol) { s.Selection = b.Selection })},
		"backwards":              {change(a, func(s *symbols.Symbol) { s.Range.Start, s.Range.End = s.Range.End, s.Range.Start })},
		"another name":           {change(a, func(s *symbols.Symbol) { s.Name = "c()" })},
		"two that overlap":       {change(a, func(s *symbols.Symbol) { s.Range.End = symbols.Position{Line: 3, Column: 6} }), b},
	} {
		f, err := parser(found, nil, source.Swift).Parse(t.Context(), []byte(src), source.Swift, source.Options{})
		var unsure *source.UnsureError
		if f != nil || !errors.As(err, &unsure) || unsure.Line < 1 || unsure.Line > 5 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		// The next one has the word.
		all := source.NewParsers(parser(found, nil, source.Swift), outline.Parser{})
		if f, err := all.Parse(t.Context(), []byte(src), source.Swift, source.Options{}); err != nil || f.Parser != "outline" || len(f.Chunks) != 2 {
			t.Errorf("%s: the next parser: %+v, %v", name, f, err)
		}
	}
	if f, err := parser(nil, nil, source.Swift).Parse(t.Context(), []byte("// nothing\n"), source.Swift, source.Options{}); err != nil || len(f.Chunks) != 0 {
		t.Errorf("an empty text: %+v, %v", f, err)
	}
}

// A server that does not answer delays one text.
func TestParser_Parse_HangingServer(t *testing.T) {
	asked := 0
	p := symbols.New(symbols.Options{Languages: []source.Language{source.Swift}, Timeout: time.Millisecond, Pause: time.Hour, List: func(ctx context.Context, _ string, _ source.Language) ([]symbols.Symbol, error) {
		asked++
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	_, err := p.Parse(t.Context(), []byte("func a() {}"), source.Swift, source.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the first time: %v", err)
	}
	if _, err := p.Parse(t.Context(), []byte("func a() {}"), source.Swift, source.Options{}); !errors.Is(err, symbols.ErrPaused) || asked != 1 {
		t.Errorf("then: %v, asked %d times", err, asked)
	}
	if _, err := p.Parse(t.Context(), []byte("\xff"), source.Swift, source.Options{}); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("no UTF-8: %v", err)
	}
}

// Whatever a server says, the outcome is a File that holds together, or an error.
func FuzzParse(f *testing.F) {
	f.Add(swift, "class", "Stack", 7, 1, 27, 2, 7, 20)
	f.Add("def a(): # {\n  x = '''\n", "function", "a", 1, 1, 2, 9, 1, 5)
	f.Add("f /* x\n*/ = {\"", "variable", "f", 1, 1, 2, 99, 1, 1)
	f.Fuzz(func(t *testing.T, src, kind, name string, line, column, endLine, endColumn, nameLine, nameColumn int) {
		at := symbols.Position{Line: nameLine, Column: nameColumn}
		found := []symbols.Symbol{
			{Name: name, Kind: kind, Range: symbols.Range{Start: symbols.Position{Line: line, Column: column}, End: symbols.Position{Line: endLine, Column: endColumn}}, Selection: symbols.Range{Start: at, End: at}},
			{Name: name, Kind: kind, Range: symbols.Range{Start: at, End: symbols.Position{Line: endLine, Column: endColumn}}, Selection: symbols.Range{Start: at, End: at}},
		}
		for _, lang := range []source.Language{source.Swift, source.Python, source.TypeScript, source.Kotlin, source.CSharp} {
			file, err := parser(found, outline.Parser{}, lang).Parse(t.Context(), []byte(src), lang, source.Options{Calls: true})
			if err != nil {
				continue
			}
			if err := parsertest.Invariants([]byte(src), file); err != nil {
				t.Errorf("%s: %v", lang, err)
			}
		}
	})
}
